// A provider made of prepared replies, for tests of what calls one: it listens on this machine, says what it was told
// to say in the pieces it was told, breaks off or falls silent on request, and remembers what it was asked.
/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="node" />
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A place in a reply: after so many bytes of its body, or before the headers have gone out. */
export type ReplyCut = number | "headers";

/** What the server says to one request. */
export interface Reply {
  /** 200 where nothing is said. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** The whole body at once; an object goes out as JSON. */
  body?: string | Uint8Array | object;
  /** The body in pieces, each an HTTP chunk of its own, so that its reader meets the same boundaries. */
  chunks?: readonly (string | Uint8Array)[];
  /** A pause before the headers and before each piece. */
  delayMs?: number;
  /** Here the connection is torn down. */
  reset?: ReplyCut;
  /** From here on nothing more comes, while the connection stays open until somebody closes it. */
  stall?: ReplyCut;
}

/** What the server was asked. */
export interface ReceivedRequest {
  method: string;
  /** The path without its query. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** In lower case. */
  headers: Readonly<Record<string, string>>;
  /** The body as parsed JSON; its text where it is none. */
  body: unknown;
  /** How the exchange ended: all was sent, the reply said `reset`, or the other side went away before the end. */
  readonly ended: Promise<"sent" | "reset" | "aborted">;
}

/** Makes the reply to a request. */
export type Responder = (request: ReceivedRequest) => Reply | Promise<Reply>;

/**
 * Replies by path: `"POST /v1/messages"`, or `"/v1/messages"` for any method; `"*"` is for all other paths. A list is
 * served one by one, and its last reply from then on. What has no reply gets a 404 that names the routes.
 */
export type Routes = Readonly<Record<string, Reply | readonly Reply[] | Responder>>;

export interface ReplayServer extends AsyncDisposable {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Every request, in the order in which their bodies were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** How many connections are open. */
  readonly connections: number;
  /** Ends every connection, whatever is still to be said, and resolves once all are gone. */
  close(): Promise<void>;
}

/** Starts a server on a free port of this machine. Close it, or bind it with `await using`. */
export async function replayServer(answer: Routes | Responder): Promise<ReplayServer> {
  const respond = typeof answer === "function" ? answer : router(answer);
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    void exchange(incoming, outgoing, respond, requests);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const shut = async (): Promise<void> => {
    const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve).destroy()));
    await Promise.all([...gone, new Promise((resolve) => server.close(resolve))]);
  };
  const close = (): Promise<void> => (closing ??= shut());
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

function router(routes: Routes): Responder {
  const served = new Map<string, number>();
  return (request) => {
    const names = [`${request.method} ${request.path}`, request.path, "*"];
    const name = names.find((each) => Object.hasOwn(routes, each)) ?? "";
    const route = routes[name];
    if (typeof route === "function") return route(request);
    const count = served.get(name) ?? 0;
    served.set(name, count + 1);
    const reply = isList(route) ? route[Math.min(count, route.length - 1)] : route;
    const known = Object.keys(routes).join(", ");
    return reply ?? { status: 404, body: { error: `No reply for ${names[0]}; there are ${known}.` } };
  };
}

function isList(route: Routes[string] | undefined): route is readonly Reply[] {
  return Array.isArray(route);
}

async function exchange(
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
    const request = { ...describe(incoming), body: await readBody(incoming), ended };
    requests.push(request);
    await send(await respond(request), outgoing, () => {
      isReset = true;
      incoming.socket.destroy();
    });
  } catch (error) {
    // The other side has gone, or the test's own responder threw: nobody waits for more, but the test should see it.
    if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
    else outgoing.writeHead(500, { "content-type": "text/plain" }).end(`The responder failed: ${String(error)}`);
  }
}

function describe(incoming: IncomingMessage): Omit<ReceivedRequest, "body" | "ended"> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return { method: incoming.method ?? "GET", path: pathname, query: Object.fromEntries(searchParams), headers };
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += String(piece);
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
  const limit = Math.min(cutOf(reply.reset), cutOf(reply.stall));
  let sent = 0;
  for (const piece of chunks ?? [bodyBytes(body)]) {
    await pause();
    if (outgoing.destroyed) return;
    const bytes = bodyBytes(piece).subarray(0, limit - sent);
    sent += bytes.length;
    if (bytes.length > 0) await written(outgoing, bytes);
    if (sent >= limit) break;
  }
  if (limit === Infinity) outgoing.end();
  else if (cutOf(reply.reset) === limit) reset();
}

function cutOf(cut: ReplyCut | undefined): number {
  return typeof cut === "number" ? cut : Infinity;
}

function contentType(body: Reply["body"], chunks: Reply["chunks"]): Record<string, string> {
  if (chunks !== undefined) return { "content-type": "text/event-stream" };
  const isText = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  return { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" };
}

function bodyBytes(body: Reply["body"]): Uint8Array {
  if (body instanceof Uint8Array) return body;
  const text = typeof body === "object" ? JSON.stringify(body) : (body ?? "");
  return new TextEncoder().encode(text);
}

/** Resolves once the bytes have been handed to the system, so that nothing is torn down before it has gone out. */
function written(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("close", settle);
      resolve();
    };
    // A side that goes away while it is written to is no error here: `ended` tells.
    outgoing.once("close", settle);
    outgoing.write(bytes, settle);
  });
}
