// An MCP server that follows the protocol's frame only, written without the SDK, with the kinds of lists and results that
// real servers send.
import { createInterface } from "node:readline";

const OBJECT = { type: "object" };
const PAGES: Record<string, { tools: unknown; nextCursor?: string }> = {
  first: {
    tools: [
      { name: "good", inputSchema: OBJECT, outputSchema: { type: "object", $ref: "#/nowhere" } },
      { inputSchema: OBJECT },
    ],
    nextCursor: "second",
  },
  second: {
    tools: [
      { name: "good", inputSchema: OBJECT },
      { name: "bare" },
      { name: "task", inputSchema: OBJECT, execution: { taskSupport: "required" } },
      { name: "odd schema", inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
    ],
    nextCursor: "",
  },
};
/** The lists, by name. */
const LISTS: Record<string, unknown> = { endless: { tools: [], nextCursor: "more" }, none: { tools: "none" } };

interface Call {
  id?: number;
  method: string;
  params?: { cursor?: string; protocolVersion?: string; name?: string };
}

function answer({ method, params }: Call): unknown {
  if (method === "initialize") {
    const serverInfo = { name: "odd", version: "0" };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return LISTS[process.argv[2] ?? ""] ?? PAGES[params?.cursor ?? "first"];
  // Without the promised structured content, and with a block of an unknown type.
  return { content: [{ type: "hologram", depth: 3 }] };
}

process.stdout.write("Welcome!\n");
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as Call;
  if (call.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: call.id, result: answer(call) })}\n`);
}
