// An MCP server over streamable HTTP on this machine, with controllable failures.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type EventStore, StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { toolServer, type ToolServerOptions } from "./mcp-tools.ts";

export interface McpHttp {
  readonly url: string;
  /** Headers of every request so far. */
  readonly seen: Record<string, string | string[] | undefined>[];
  readonly sessions: number;
  /** Forgets all sessions, as after a restart. */
  forget(): void;
  /** Breaks every connection. */
  sever(): void;
  stop(): Promise<void>;
}

export interface McpHttpOptions extends ToolServerOptions {
  port?: number;
  /** The reply to a request with an unknown session. */
  unknownSession?: number;
  /** Requests without this header are rejected. */
  key?: string;
  /** Replacement replies, by method. */
  instead?: (method: string) => { status: number; body: string } | undefined;
  /** Replies with JSON instead of a stream. */
  json?: boolean;
  /** Sends resumable streams. */
  eventStore?: EventStore;
  makeServer?: (options: ToolServerOptions) => Server;
}

export async function startMcpHttp(options: McpHttpOptions = {}): Promise<McpHttp> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen: McpHttp["seen"] = [];
  const http = createServer((request, response) => {
    seen.push(request.headers);
    answer(request, response).catch(() => response.destroy());
  });
  const make = options.makeServer ?? toolServer;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (options.key !== undefined && request.headers["x-key"] !== options.key) {
      return void response.writeHead(401).end("Who are you?");
    }
    const id = request.headers["mcp-session-id"];
    if (id === undefined) return begin(request, response);
    const transport = sessions.get(String(id));
    if (transport !== undefined) return pass(transport, request, response);
    response.writeHead(options.unknownSession ?? 404).end("Unknown session");
  }

  async function pass(
    transport: StreamableHTTPServerTransport,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (options.instead === undefined || request.method !== "POST") return transport.handleRequest(request, response);
    // Written by the client under test: one message.
    const message = (await json(request)) as { method: string };
    const { status, body } = options.instead(message.method) ?? {};
    if (status === undefined) return transport.handleRequest(request, response, message);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  }

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      ...(options.json === true && { enableJsonResponse: true }),
      ...(options.eventStore && { eventStore: options.eventStore, retryInterval: 10 }),
    });
    const server = make({ crash: () => http.closeAllConnections(), ...options });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  }

  http.listen(options.port ?? 0, "127.0.0.1");
  await once(http, "listening");
  // A TCP server's address is an object.
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    get sessions() {
      return sessions.size;
    },
    forget: () => sessions.clear(),
    sever: () => http.closeAllConnections(),
    async stop() {
      if (!http.listening) return;
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
