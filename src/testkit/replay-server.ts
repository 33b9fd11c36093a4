// Runs a local HTTP server with prepared replies, for tests of provider clients. The server sends bodies in given
// chunks, resets or stalls connections on request, and records the requests.
/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="node" />
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A position in a reply: after a number of bytes of the body, or before the headers. */
export type ReplyCut = number | "headers";

/** A prepared reply to one request. */
export interface Reply {
  /** The HTTP status. Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The whole body; an object is sent as JSON. */
  body?: string | Uint8Array | object;
  /** The body in chunks; each element is sent as an HTTP chunk, so that the client receives the same chunks. */
  chunks?: readonly (string | Uint8Array)[];
  /** The pause before the headers and before each chunk, in milliseconds. Default 0. */
  delayMs?: number;
  /** The position at which the server destroys the connection. */
  reset?: ReplyCut;
  /** The position at which the server stops sending and leaves the connection open. */
  stall?: ReplyCut;
}

/** A request that the server received. */
export interface ReceivedRequest {
  method: string;
  /** The path without the query. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Headers with names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The parsed JSON body; the text of a body that is not JSON. */
  body: unknown;
  /** The end of the exchange: reply complete, connection destroyed by `reset`, or connection closed by the client. */
  readonly ended: Promise<"sent" | "reset" | "aborted">;
}

/** Creates the reply to a request. */
export type Responder = (request: ReceivedRequest) => Reply | Promise<Reply>;

/**
 * Replies by path: `"POST /v1/messages"`, or `"/v1/messages"` for any method; `"*"` matches all other paths. The
 * replies of a list are sent to successive requests, and the last reply to all further requests. A request without a
 * reply gets a 404 that lists the routes.
 */
export type Routes = Readonly<Record<string, Reply | readonly Reply[] | Responder>>;

/** A running replay server. */
export interface ReplayServer extends AsyncDisposable {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** All requests, in the order in which their bodies were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** The number of open connections. */
  readonly connections: number;
  /** Destroys all connections, including connections with unfinished replies, and resolves when all are closed. */
  close(): Promise<void>;
}

/**
 * Starts a replay server on a free local port. Close it, or bind it with `await using`.
 *
 * @example
 * ```ts
 * import { getText, user } from "koine";
 * import { createClient } from "koine/client";
 * import { replayServer } from "koine/testkit";
 *
 * const message = { role: "assistant", content: "Hello." };
 * const server = await replayServer({
 *   "POST /v1/chat/completions": { body: { model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] } },
 * });
 * const client = createClient({ providers: { up: { dialect: "openai-chat", baseUrl: server.url } } });
 * const answer = await client.complete({ model: "up/m", messages: [user("Hi")] });
 * console.log(getText(answer.message)); // Hello.
 * console.log(server.requests.map(({ path }) => path)); // ["/v1/chat/completions"]
 * await client.close();
 * await server.close();
 * ```
 */
export async function replayServer(replies: Routes | Responder): Promise<ReplayServer> {
  const respond = typeof replies === "function" ? replies : createRouter(replies);
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    void handleRequest(incoming, outgoing, respond, requests);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // The cast is safe, because the server listens on a port, for which `address` returns an AddressInfo.
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve).destroy()));
    await Promise.all([...closed, new Promise((resolve) => server.close(resolve))]);
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createRouter(routes: Routes): Responder {
  const counts = new Map<string, number>();
  return (request) => {
    const candidates = [`${request.method} ${request.path}`, request.path, "*"];
    const pattern = candidates.find((each) => Object.hasOwn(routes, each)) ?? "";
    const route = routes[pattern];
    if (typeof route === "function") return route(request);
    const count = counts.get(pattern) ?? 0;
    counts.set(pattern, count + 1);
    const reply = isList(route) ? route[Math.min(count, route.length - 1)] : route;
    const patterns = Object.keys(routes).join(", ");
    return reply ?? { status: 404, body: { error: `No reply for ${candidates[0]}; there are ${patterns}.` } };
  };
}

function isList(route: Routes[string] | undefined): route is readonly Reply[] {
  return Array.isArray(route);
}

async function handleRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  respond: Responder,
  requests: ReceivedRequest[],
): Promise<void> {
  let isReset = false;
  const ended = new Promise<"sent" | "reset" | "aborted">((resolve) => {
    outgoing.on("close", () => resolve(isReset ? "reset" : outgoing.writableFinished ? "sent" : "aborted"));
  });
  try {
    const request = { ...readRequestLine(incoming), body: await readBody(incoming), ended };
    requests.push(request);
    await send(await respond(request), outgoing, () => {
      isReset = true;
      incoming.socket.destroy();
    });
  } catch (error) {
    // The client has disconnected, or the responder threw an error. The reply contains the error if no headers were
    // sent yet; otherwise the connection is closed.
    if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
    else outgoing.writeHead(500, { "content-type": "text/plain" }).end(`The responder failed: ${String(error)}`);
  }
}

function readRequestLine(incoming: IncomingMessage): Omit<ReceivedRequest, "body" | "ended"> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return { method: incoming.method ?? "GET", path: pathname, query: Object.fromEntries(searchParams), headers };
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) text += String(chunk);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function send(reply: Reply, outgoing: ServerResponse, reset: () => void): Promise<void> {
  const { status = 200, delayMs = 0, chunks, body } = reply;
  const pause = (): Promise<unknown> =>
    delayMs === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  await pause();
  if (reply.reset === "headers") return reset();
  if (reply.stall === "headers") return;
  outgoing.writeHead(status, { ...contentType(body, chunks), ...reply.headers });
  outgoing.flushHeaders();
  const limit = Math.min(toByteLimit(reply.reset), toByteLimit(reply.stall));
  let sent = 0;
  for (const chunk of chunks ?? [toBytes(body)]) {
    await pause();
    if (outgoing.destroyed) return;
    const bytes = toBytes(chunk).subarray(0, limit - sent);
    sent += bytes.length;
    if (bytes.length > 0) await writeBytes(outgoing, bytes);
    if (sent >= limit) break;
  }
  if (limit === Infinity) outgoing.end();
  else if (toByteLimit(reply.reset) === limit) reset();
}

function toByteLimit(cut: ReplyCut | undefined): number {
  return typeof cut === "number" ? cut : Infinity;
}

function contentType(body: Reply["body"], chunks: Reply["chunks"]): Record<string, string> {
  if (chunks !== undefined) return { "content-type": "text/event-stream" };
  const isText = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  return { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" };
}

function toBytes(body: Reply["body"]): Uint8Array {
  if (body instanceof Uint8Array) return body;
  const text = typeof body === "object" ? JSON.stringify(body) : (body ?? "");
  return new TextEncoder().encode(text);
}

/** Resolves when the system has accepted the bytes, so that a reset does not destroy the connection before that. */
function writeBytes(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("close", settle);
      resolve();
    };
    // A client that disconnects during a write is not an error; `ended` reports it.
    outgoing.once("close", settle);
    outgoing.write(bytes, settle);
  });
}
