// Implements the node:http adapter of the server: limits connections and headers, and sends each reply with as few
// writes as possible.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import type { ServerLimits } from "../config/types.ts";
import { SERVER_ERRORS } from "../errors.ts";
import type { ServerErrorCode } from "../errors.ts";
import type { StreamBody } from "../types.ts";
import { SAFE_HEADERS } from "./cors.ts";
import { BodyDeadlines } from "./body-deadlines.ts";
import type { ServerExchange, IncomingRequest } from "./exchange.ts";
import { NodeRequest } from "./node-request.ts";
import { NodeSink } from "./node-sink.ts";

export interface NodeServerOptions {
  limits: ServerLimits;
  nextId: () => string;
  openExchange: (request: IncomingRequest) => ServerExchange;
  /** The function that is called when a reply has ended or its connection has closed. */
  onReplyEnd: () => void;
  isDraining: () => boolean;
}

/**
 * The time in milliseconds for which the rest of an unread body is discarded after the reply, so that a client that is
 * still sending can read the error reply.
 */
const LINGER_MS = 2000;

export function createNodeServer(options: NodeServerOptions): Server {
  const { limits } = options;
  // The latest response of each connection. If a protocol error occurs, this response shows whether a reply has already
  // started.
  const replies = new WeakMap<Duplex, ServerResponse>();
  const shared = { limits, deadlines: new BodyDeadlines(limits.requestMs), onReplyEnd: options.onReplyEnd };
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    // This timeout limits bodies that no route reads. `BodyDeadlines` limits the others and replies with an error.
    requestTimeout: Math.max(limits.requestMs, limits.headersMs) + 1000,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(Math.max(limits.headersMs / 4, 50), 5000),
    noDelay: true,
  });
  // 0 disables Node's limit, because Node silently drops excess headers. The exchange counts the headers and rejects
  // the request instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  const handle = (message: IncomingMessage, response: ServerResponse, continues: boolean): void => {
    replies.set(message.socket, response);
    const request = new NodeRequest(message, response, shared, { id: options.nextId(), continues });
    const exchange = options.openExchange(request);
    void exchange
      .answer()
      .then(() => send(options, exchange, request, message, response))
      .catch((error: unknown) => {
        response.destroy();
        exchange.end(true, error);
      });
  };
  server.on("request", (message, response) => handle(message, response, false));
  server.on("checkContinue", (message, response) => handle(message, response, true));
  server.on("clientError", (error, socket) => replyToProtocolError(error, socket, replies.get(socket)));
  return server;
}

function send(
  { isDraining, limits }: NodeServerOptions,
  exchange: ServerExchange,
  request: NodeRequest,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { reply } = exchange;
  if (isDraining()) reply.headers["connection"] = "close";
  if (!message.complete) lingerForBody(message, response, Math.min(LINGER_MS, limits.requestMs));
  if (typeof reply.body === "function") {
    void writeStream(reply.body, exchange, request, response, limits.stallMs);
    return;
  }
  if (!request.isGone) writeWhole(exchange, reply.body ?? "", response, limits.stallMs);
  exchange.end(request.isGone);
}

/** Writes status and headers. Returns false if Node rejects them; the exchange then has an error reply instead. */
function writeHead(exchange: ServerExchange, response: ServerResponse): boolean {
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

function writeWhole(
  exchange: ServerExchange,
  body: string | Uint8Array,
  response: ServerResponse,
  stallMs: number,
): void {
  const { status, headers } = exchange.reply;
  // The length is not computed for a reply to HEAD, because its body was removed: the header is already set, or the
  // length is unknown.
  const hasLength = headers["content-length"] !== undefined || exchange.request.method === "HEAD";
  if (!hasLength && status !== 204 && status !== 304) {
    headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);
  }
  if (!writeHead(exchange, response)) return writeErrorReply(exchange, response);
  response.end(body);
  // The timeout closes the connection if the client stops reading. When the whole body has been written, Node replaces
  // the timeout with its own.
  if (response.writableLength > 0) response.socket?.setTimeout(stallMs);
}

/** Writes the error reply that replaced the original reply of the exchange. */
function writeErrorReply({ reply, request }: ServerExchange, response: ServerResponse): void {
  const { status, headers, body } = reply;
  const text = typeof body === "string" ? body : "";
  if (request.method !== "HEAD") headers["content-length"] = String(Buffer.byteLength(text));
  response.writeHead(status, headers);
  response.end(text);
}

async function writeStream(
  body: StreamBody,
  exchange: ServerExchange,
  request: NodeRequest,
  response: ServerResponse,
  stallMs: number,
): Promise<void> {
  try {
    // The body is called even if the client has disconnected, because it must release its resources.
    if (!request.isGone && !writeHead(exchange, response)) {
      writeErrorReply(exchange, response);
      exchange.end(request.isGone);
      return;
    }
    const sink = new NodeSink(request, response, stallMs);
    const writing = body(sink);
    // If the body has written nothing yet, the headers are sent now, so that the client need not wait for the first
    // chunk. Otherwise headers and first chunk are sent together.
    if (!request.isGone && response.writableLength === 0) response.flushHeaders();
    await writing;
    sink.end();
    exchange.end(request.isGone);
  } catch (error) {
    const { isGone } = request;
    response.destroy();
    exchange.end(true, isGone ? undefined : error);
  }
}

/**
 * Discards the rest of a request body after the reply, and closes the connection if the body takes longer than `ms`.
 */
function lingerForBody(message: IncomingMessage, response: ServerResponse, ms: number): void {
  response.once("finish", () => {
    if (message.complete) return;
    const { socket } = message;
    const timer = setTimeout(() => socket.destroy(), ms);
    message.once("close", () => clearTimeout(timer));
    message.resume();
  });
}

/** Replies to a protocol error if possible, and closes the connection. */
function replyToProtocolError(
  error: Error & { code?: string },
  socket: Duplex,
  response: ServerResponse | undefined,
): void {
  const hasReplyStarted = response !== undefined && response.headersSent && !response.writableFinished;
  if (hasReplyStarted || !socket.writable || error.code === "ECONNRESET") {
    socket.destroy(error);
    return;
  }
  const [code, message] = toProtocolError(error);
  const body = JSON.stringify({ error: { code, message } });
  const head = { ...SAFE_HEADERS, "content-type": "application/json", connection: "close" };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = SERVER_ERRORS[code];
  socket.end(
    `HTTP/1.1 ${status} ${code}\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function toProtocolError({ code }: { code?: string }): [ServerErrorCode, string] {
  if (code === "HPE_HEADER_OVERFLOW")
    return ["headers-too-large", "The headers are larger than the limit of this server."];
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return ["too-large", "The chunk extensions of the body are too long."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["timeout", "The request took too long to arrive."];
  return ["invalid-request", `The request is not valid HTTP${code === undefined ? "" : ` (${code})`}.`];
}
