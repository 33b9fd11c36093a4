// HTTP requests and raw TCP servers for the transport tests.
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { HttpReply, HttpRequest } from "../../../src/calls/types.ts";

export const never = new AbortController().signal;
/** The options of a request that nothing ends: the connect limit is longer than a test. */
export const UNLIMITED = { signal: never, connectMs: 600_000 };
export const post = (url: string, body = "{}"): HttpRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body,
});

export async function read({ body }: Pick<HttpReply, "body">): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

export async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("It should have failed."),
    (error: unknown) => error,
  );
}

/** Waits for a condition; the test's time limit ends an endless wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

/** Starts a server that accepts connections and sends the given bytes, if any. */
export async function rawServer(response?: string): Promise<{ port: number; sockets: Set<Socket>; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // clients may disconnect at any time
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
    if (response !== undefined) socket.end(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return { port: address.port, sockets, close: () => void server.close() };
}
