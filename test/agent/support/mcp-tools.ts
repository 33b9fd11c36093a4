// A real MCP server with a tool for everything that a server can do. mcp-stdio.ts and mcp-http.ts provide its transport.
import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export interface ToolServerOptions {
  /** A file that gets a line for each event: "began wait", "cancelled wait". */
  record?: string | undefined;
  /** Tools per page of the list. */
  pageSize?: number;
  /** The action of the tool "crash". */
  crash?: () => void;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Run = (input: Record<string, unknown>, extra: Extra) => CallToolResult | Promise<CallToolResult>;
type Entry = [about: Omit<Tool, "name" | "inputSchema">, run: Run, properties?: Record<string, object>];

const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const PIXEL = "iVBORw0KGgo=";
const resource = { uri: "memo://notes/today.md", mimeType: "text/markdown", text: "# Today" };

/** Every session has its own server, as the protocol requires. */
export function toolServer(options: ToolServerOptions = {}): Server {
  const server = new Server(
    { name: "tools", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } }, instructions: "Mind the gap." },
  );
  const tools = new Map(Object.entries(plainTools(options)));
  tools.set("grow", [
    { description: "Adds a tool." },
    async () => {
      tools.set("grown", [{}, () => textResult("I am new.")]);
      await server.sendToolListChanged();
      return textResult("grown");
    },
  ]);
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const names = [...tools.keys()];
    const from = Number(params?.cursor ?? 0);
    const to = from + (options.pageSize ?? names.length);
    const page = names.slice(from, to).map((name): Tool => {
      const [about, , properties = {}] = tools.get(name) ?? [{}, () => textResult("")];
      return { name, inputSchema: { type: "object", properties }, ...about };
    });
    return { tools: page, ...(to < names.length && { nextCursor: String(to) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const entry = tools.get(params.name);
    if (entry === undefined) throw new McpError(-32_602, `There is no tool "${params.name}".`);
    return entry[1](params.arguments ?? {}, extra);
  });
  return server;
}

function plainTools({ record, crash }: ToolServerOptions): Record<string, Entry> {
  const note = (what: string): void => {
    if (record !== undefined) appendFileSync(record, `${what}\n`);
  };
  const released = Promise.withResolvers<void>();
  return {
    echo: [
      { description: "Returns its text.", annotations: { readOnlyHint: true } },
      ({ text }) => textResult(String(text)),
      { text: { type: "string" } },
    ],
    add: [
      { title: "Adds", annotations: { idempotentHint: true }, outputSchema: { type: "object" } },
      ({ a, b }) => {
        const structuredContent = { sum: Number(a) + Number(b) };
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
      },
    ],
    picture: [{}, () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] })],
    document: [{}, () => ({ content: [{ type: "resource", resource }] })],
    fail: [{}, () => ({ isError: true, content: [{ type: "text", text: "The disk is full." }] })],
    refuse: [
      {},
      () => {
        throw new McpError(-32_000, "Not on Sundays.");
      },
    ],
    missing: [
      {},
      ({ code, text }) => {
        note("began missing");
        throw new McpError(Number(code), String(text));
      },
    ],
    crash: [
      {},
      () => {
        crash?.();
        return new Promise<never>(() => undefined);
      },
    ],
    wait: [
      {},
      (_input, { signal }) => {
        note("began wait");
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            note("cancelled wait");
            resolve(textResult("cancelled"));
          }),
        );
      },
    ],
    count: [
      { description: "Counts, then waits for its release." },
      async ({ to }, { sendNotification, _meta }) => {
        for (let progress = 1; progress <= Number(to); progress++) {
          const progressToken = _meta?.progressToken ?? 0;
          const params = { progressToken, progress, total: Number(to), message: `${progress}` };
          await sendNotification({ method: "notifications/progress", params });
        }
        await released.promise;
        return textResult("counted");
      },
    ],
    release: [
      {},
      () => {
        released.resolve();
        return textResult("released");
      },
    ],
    environment: [{}, ({ name }) => textResult(process.env[String(name)] ?? "(unset)")],
  };
}
