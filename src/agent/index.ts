// The agent: a model, its tools, and a record of everything they did.
export { createAgent } from "./agent.ts";
export type { AgentErrorCode } from "./errors.ts";
export { AGENT_ERRORS, AgentError } from "./errors.ts";
export type * from "./mcp/index.ts";
export { mcpServer } from "./mcp/index.ts";
export { tool, toolOutput } from "./tool.ts";
export type * from "./types.ts";
