// Shutdown: new calls are rejected, open ones are finished or aborted after their time.
import { describe, expect, test } from "vitest";
import { createSseReply } from "../../src/server/http/sse.ts";
import type { Route } from "../../src/server/types.ts";
import { spawnKoine, startRoutes } from "./support/start-koine.ts";
import { connectRaw } from "./support/raw-client.ts";
import { json, route } from "./support/test-routes.ts";

/** A stream that writes "begun" and continues when the gate opens; it records whether it was ended. */
function gated(): { stream: Route; open: () => void } {
  const gate = Promise.withResolvers<void>();
  const stream = route("GET", "/stream", () => ({
    status: 200,
    headers: {},
    async body(sink) {
      await sink.write("begun ");
      await gate.promise;
      await sink.write("done");
    },
  }));
  return { stream, open: () => gate.resolve() };
}

describe("a server that is closed", () => {
  test("finishes its streams, is not ready, and rejects new calls on open connections", async () => {
    const { stream, open } = gated();
    const heavy = route("GET", "/heavy", () => json({}), { countsAsOpenCall: true });
    const server = await startRoutes([stream, heavy]);
    using other = connectRaw(server.url);
    // An incomplete request holds its connection open. The server accepts this connection before that of the reader.
    await new Promise((resolve) => other.socket.write("GET /readyz HTTP/1.1\r\n", resolve));
    using reader = connectRaw(server.url);
    reader.write("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await reader.until(/begun/);
    const closed = server.close();
    other.write("Host: localhost\r\n\r\n");
    const received = await other.closed();
    expect(received).toMatch(/^HTTP\/1.1 503 [^]*shutting down/);
    expect(received.toLowerCase()).toContain("connection: close");
    const late = await server.fetch(new Request("http://localhost/heavy"));
    expect([late.status, late.headers.get("retry-after")]).toStrictEqual([503, "1"]);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    open();
    await reader.until(/done\r\n0\r\n\r\n/);
    await closed;
  });

  test("still listens for a while, is not ready, and rejects calls", async () => {
    const heavy = route("GET", "/heavy", () => json({}), { countsAsOpenCall: true });
    const over = Promise.withResolvers<void>();
    const waits: number[] = [];
    const pause = (ms: number): Promise<void> => (waits.push(ms), over.promise);
    const server = await startRoutes([heavy], { lameDuckMs: 300 }, { pause });
    const { url } = server;
    const closed = server.close();
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, ready.headers.get("connection")]).toStrictEqual([503, "close"]);
    const late = await fetch(`${url}/heavy`);
    expect([late.status, late.headers.get("retry-after")]).toStrictEqual([503, "1"]);
    expect(waits).toStrictEqual([300]);
    over.resolve();
    await closed;
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    expect(server.url).toBe(url);
  });

  test("ends event streams at once: their readers reconnect elsewhere", async () => {
    const events = route("GET", "/events", (request) =>
      createSseReply(server.services, request, async function* (signal) {
        yield { id: "1", data: "one" };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    );
    const server = await startRoutes([events], { drainMs: 60_000 });
    using reader = connectRaw(server.url);
    reader.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await reader.until(/data: one/);
    await server.close();
    expect(await reader.closed()).toMatch(/0\r\n\r\n$/);
  });

  test("waits for background work, and then stops its modules", async () => {
    const order: string[] = [];
    const work = Promise.withResolvers<void>();
    const stop = async (): Promise<void> => void order.push("part");
    const server = await startRoutes([], { drainMs: 60_000 }, { part: { stop } });
    server.services.background(work.promise.then(() => order.push("work")));
    server.services.stopping.addEventListener("abort", () => order.push("stopping"));
    const closed = server.close();
    setImmediate(work.resolve);
    await closed;
    expect(order).toStrictEqual(["work", "stopping", "part"]);
  });

  test("aborts unfinished work after its time, and cuts off the rest", async () => {
    const stubborn = route("GET", "/stubborn", (request) => ({
      status: 200,
      headers: {},
      async body(sink) {
        await sink.write("begun");
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      },
    }));
    const server = await startRoutes([stubborn], { drainMs: 20 }, { stopMs: 50 });
    const stopped = Promise.withResolvers<unknown>();
    const { stopping } = server.services;
    stopping.addEventListener("abort", () => stopped.resolve(stopping.reason));
    using reader = connectRaw(server.url);
    reader.write("GET /stubborn HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await reader.until(/begun/);
    await server.close();
    expect(await stopped.promise).toMatchObject({ code: "unavailable" });
    expect(await reader.closed()).not.toMatch(/0\r\n\r\n$/);
  });

  test("is closed once, even if it never listened or a module fails to stop", async () => {
    const server = await startRoutes([], {}, { part: { stop: () => Promise.reject(new Error("stuck")) } });
    expect(server.close()).toBe(server.close());
    await server.close();
    await expect(server.ledger.threads()).rejects.toMatchObject({ code: "closed" });
  });

  test("is not delayed by idle connections", async () => {
    const server = await startRoutes([], { drainMs: 60_000 });
    using silent = connectRaw(server.url);
    await new Promise((resolve) => silent.socket.once("connect", resolve));
    await fetch(`${server.url}/healthz`);
    await server.close();
    await silent.closed();
  });

  test("in a separate process ends on a signal", async () => {
    await using server = await spawnKoine();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});
