// Exports MCP servers as tool sources of an agent.
export { mcpServer } from "./mcp-server.ts";
export type {
  McpCommandOptions,
  McpProgress,
  McpServer,
  McpServerOptions,
  McpTimeouts,
  McpUrlOptions,
} from "./types.ts";
