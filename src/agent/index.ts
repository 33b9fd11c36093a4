// The agent: a model, its tools, and a record of everything they did.
export type { AgentErrorCode } from "./errors.ts";
export { AGENT_ERRORS, AgentError } from "./errors.ts";
export type * from "./types.ts";
