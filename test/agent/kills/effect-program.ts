// The MCP server as a program: its arguments are the record's file and the prefix of its tools.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { effectServer } from "./effect-server.ts";

const [, , record = "", prefix = ""] = process.argv;
await effectServer(record, prefix).connect(new StdioServerTransport());
