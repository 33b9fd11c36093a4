// Tools of MCP servers.
export { mcpServer } from "./server.ts";
export type * from "./types.ts";
