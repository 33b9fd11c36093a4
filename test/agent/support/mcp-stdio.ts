// An MCP server as a program of its own, on standard input and output.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { toolServer } from "./mcp-tools.ts";

const server = toolServer({ record: process.env["RECORD"], crash: () => process.exit(3) });
await server.connect(new StdioServerTransport());
