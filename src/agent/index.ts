// Exports the agent, which runs a model with tools and records every step in a ledger.
export { createAgent } from "./agent.ts";
export type { AgentErrorCode } from "./errors.ts";
export { AGENT_ERRORS, AgentError } from "./errors.ts";
export type {
  McpCommandOptions,
  McpProgress,
  McpServer,
  McpServerOptions,
  McpTimeouts,
  McpUrlOptions,
} from "./mcp/index.ts";
export { mcpServer } from "./mcp/index.ts";
export { tool, toolOutput } from "./tools/tool.ts";
export type {
  Agent,
  AgentEvent,
  AgentOptions,
  AgentResult,
  AgentRun,
  AgentTool,
  Approval,
  EndReason,
  QueuedMessage,
  QueueKind,
  ResumeOptions,
  RunOptions,
  StepInfo,
  ToolContext,
  ToolOutput,
  ToolSource,
} from "./types.ts";
