// A minimal MCP server with the official SDK. The server stores notes in memory.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const notes: string[] = [];
const server = new McpServer({ name: "notes", version: "1.0.0" });
server.registerTool("add", { description: "Keeps a note.", inputSchema: { text: z.string().min(3) } }, ({ text }) => ({
  content: [{ type: "text", text: `That is note ${notes.push(text)}.` }],
}));
server.registerTool(
  "list",
  {
    description: "Lists the notes.",
    annotations: { readOnlyHint: true },
    outputSchema: { notes: z.array(z.string()) },
  },
  () => ({ content: [{ type: "text", text: JSON.stringify({ notes }) }], structuredContent: { notes } }),
);
server.registerTool("crash", { description: "Ends the server." }, () => process.exit(1));
await server.connect(new StdioServerTransport());
