// node:http as a door to the server: limits on connections and headers, and replies written with as few calls as can be.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import type { ServerLimits } from "../config/types.ts";
import { SERVER_ERRORS } from "../errors.ts";
import type { ServerErrorCode } from "../errors.ts";
import type { StreamBody } from "../types.ts";
import { SAFE_HEADERS } from "./cors.ts";
import { Deadlines } from "./deadlines.ts";
import type { Exchange, Incoming } from "./front.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeSink } from "./node-sink.ts";

export interface NodeDoor {
  limits: ServerLimits;
  nextId: () => string;
  open: (request: Incoming) => Exchange;
  /** A reply is over: all of it was handed on, or its connection is gone. */
  closed: () => void;
  isDraining: () => boolean;
}

/** The longest that a body is read which nobody wants: a client that is still sending hears the refusal. */
const LINGER_MS = 2000;

export function createNodeServer(door: NodeDoor): Server {
  const { limits } = door;
  // To tell, when a connection breaks the protocol, whether a reply had begun on it.
  const replies = new WeakMap<Duplex, ServerResponse>();
  const shared = { limits, deadlines: new Deadlines(limits.requestMs), closed: door.closed };
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    // Bodies have a clock of their own, which refuses in the route's words; this is for those that nobody reads.
    requestTimeout: Math.max(limits.requestMs, limits.headersMs) + 1000,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(Math.max(limits.headersMs / 4, 50), 5000),
    noDelay: true,
  });
  // Node would drop what is beyond its limit without a word; we count, and refuse.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  const take = (message: IncomingMessage, response: ServerResponse, continues: boolean): void => {
    replies.set(message.socket, response);
    const request = new NodeRequest(message, response, shared, { id: door.nextId(), continues });
    const exchange = door.open(request);
    void exchange
      .answer()
      .then(() => send(door, exchange, request, message, response))
      .catch((error: unknown) => {
        response.destroy();
        exchange.end(true, error);
      });
  };
  server.on("request", (message, response) => take(message, response, false));
  server.on("checkContinue", (message, response) => take(message, response, true));
  server.on("clientError", (error, socket) => refuse(error, socket, replies.get(socket)));
  return server;
}

function send(
  { isDraining, limits }: NodeDoor,
  exchange: Exchange,
  request: NodeRequest,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { reply } = exchange;
  if (isDraining()) reply.headers["connection"] = "close";
  if (!message.complete) lingering(message, response, Math.min(LINGER_MS, limits.requestMs));
  if (typeof reply.body === "function") {
    void stream(reply.body, exchange, request, response, limits.stallMs);
    return;
  }
  if (!request.gone) writeWhole(exchange, reply.body ?? "", response, limits.stallMs);
  exchange.end(request.gone);
}

/** A head that cannot be sent is a fault, told as every other one is: nothing has gone out yet. */
function writeHead(exchange: Exchange, response: ServerResponse): boolean {
  const { status, headers } = exchange.reply;
  try {
    response.writeHead(status, headers);
    return true;
  } catch (error) {
    if (response.headersSent) throw error;
    exchange.replace(error);
    return false;
  }
}

function writeWhole(exchange: Exchange, body: string | Uint8Array, response: ServerResponse, stallMs: number): void {
  const { status, headers } = exchange.reply;
  // Of what HEAD leaves out, the length is known already, or nobody knows it.
  const isTold = headers["content-length"] !== undefined || exchange.request.method === "HEAD";
  if (!isTold && status !== 204 && status !== 304) {
    headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
  }
  if (!writeHead(exchange, response)) return writeFault(exchange, response);
  response.end(body);
  // A reader that takes nothing would hold the connection for ever. Node sets its own time once all is written.
  if (response.writableLength > 0) response.socket?.setTimeout(stallMs);
}

/** The error that took the reply's place. */
function writeFault({ reply, request }: Exchange, response: ServerResponse): void {
  const { status, headers, body } = reply;
  const text = typeof body === "string" ? body : "";
  if (request.method !== "HEAD") headers["content-length"] = String(Buffer.byteLength(text));
  response.writeHead(status, headers);
  response.end(text);
}

async function stream(
  body: StreamBody,
  exchange: Exchange,
  request: NodeRequest,
  response: ServerResponse,
  stallMs: number,
): Promise<void> {
  try {
    // Also where nobody is there any more: the body ends what it holds open.
    if (!request.gone && !writeHead(exchange, response)) {
      writeFault(exchange, response);
      exchange.end(request.gone);
      return;
    }
    const sink = new NodeSink(request, response, stallMs);
    const writing = body(sink);
    // What is written at once goes out together with the head; a silent stream must not hold it back.
    if (!request.gone && response.writableLength === 0) response.flushHeaders();
    await writing;
    sink.end();
    exchange.end(request.gone);
  } catch (error) {
    const { gone } = request;
    response.destroy();
    exchange.end(true, gone ? undefined : error);
  }
}

/** A reply to a request that is still being sent: what comes is thrown away for a while, then the connection is cut. */
function lingering(message: IncomingMessage, response: ServerResponse, ms: number): void {
  response.once("finish", () => {
    if (message.complete) return;
    const { socket } = message;
    const timer = setTimeout(() => socket.destroy(), ms);
    message.once("close", () => clearTimeout(timer));
    message.resume();
  });
}

/** What breaks the protocol is answered as far as it can be, and the connection is closed. */
function refuse(error: Error & { code?: string }, socket: Duplex, response: ServerResponse | undefined): void {
  const begun = response !== undefined && response.headersSent && !response.writableFinished;
  if (begun || !socket.writable || error.code === "ECONNRESET") {
    socket.destroy(error);
    return;
  }
  const [code, message] = protocolFault(error);
  const body = JSON.stringify({ error: { code, message } });
  const head = { ...SAFE_HEADERS, "content-type": "application/json", connection: "close" };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = SERVER_ERRORS[code];
  socket.end(
    `HTTP/1.1 ${status} ${code}\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function protocolFault({ code }: { code?: string }): [ServerErrorCode, string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["headers-too-large", "The headers are larger than the server takes."];
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return ["too-large", "The body's chunks carry too much beside data."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["timeout", "The request took too long to arrive."];
  return ["invalid-request", `This is no HTTP request${code === undefined ? "" : ` (${code})`}.`];
}
