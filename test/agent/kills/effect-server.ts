// An MCP server whose tools have effects: one that may be repeated and one that may not.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { work } from "./effect-log.ts";

const TOOLS: Tool[] = ["safe", "never"].map((name) => ({
  name,
  inputSchema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
}));

export function effectServer(record: string, prefix: string): Server {
  const server = new Server({ name: "effects", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const key = String(params.arguments?.["key"]);
    const text = await work(record, prefix + params.name, key, () => undefined);
    return { content: [{ type: "text", text }] };
  });
  return server;
}
