// MCP servers as tool sources.
export { mcpServer } from "./mcp-server.ts";
export type * from "./types.ts";
