// The server as a handler of web `Request`s, for runtimes without node:http.
import { describe, expect, test } from "vitest";
import type { Route } from "../../../src/server/types.ts";
import { startRoutes } from "../support/start-koine.ts";
import { echo, json, route, whoami } from "../support/test-routes.ts";

const HERE = "http://localhost:4141";
const start = (routes: Route[], limits = {}): ReturnType<typeof startRoutes> => startRoutes(routes, { limits });

describe("the fetch handler", () => {
  test("replies like the socket", async () => {
    const routes = [echo(), whoami, route("GET", "/things/:id", ({ params, query }) => json([params, query.get("q")]))];
    await using server = await start(routes);
    const requests: [string, RequestInit?][] = [
      ["/whoami"],
      ["/things/a%20b?q=1"],
      ["/nothing"],
      ["/whoami", { method: "HEAD" }],
      ["/whoami", { method: "OPTIONS" }],
      ["/whoami", { method: "DELETE" }],
      ["/echo", { method: "POST", body: '{"a":"β"}' }],
      ["/echo", { method: "POST", body: "{" }],
    ];
    for (const [path, init] of requests) {
      const ours = await server.fetch(new Request(HERE + path, init));
      const theirs = await fetch(server.url + path, init);
      expect([ours.status, await ours.text()]).toStrictEqual([theirs.status, await theirs.text()]);
      const named = (reply: Response): string[] =>
        [...reply.headers.keys()].filter((name) => !/^(connection|date|keep-alive|content-length)$/.test(name));
      expect(named(ours)).toStrictEqual(named(theirs));
    }
  });

  test("checks hosts and origins", async () => {
    await using server = await start([whoami]);
    expect((await server.fetch(new Request("http://evil.example/whoami"))).status).toBe(403);
    const page = new Request(`${HERE}/whoami`, { headers: { origin: "https://evil.example" } });
    expect((await server.fetch(page)).status).toBe(403);
  });

  test("limits bodies, declared or not", async () => {
    await using server = await start([echo({ bodyBytes: 10 })], { bodyBytes: 10 });
    const body = JSON.stringify("x".repeat(20));
    const stream = new Blob([body]).stream();
    const endless = new ReadableStream({ pull: () => new Promise(() => {}) });
    const init = { method: "POST", body: endless, duplex: "half", headers: { "content-length": "22" } };
    const declared = new Request(`${HERE}/echo`, init);
    const flowing = new Request(`${HERE}/echo`, { method: "POST", body: stream, duplex: "half" } as RequestInit);
    expect([(await server.fetch(declared)).status, (await server.fetch(flowing)).status]).toStrictEqual([413, 413]);
  });

  test("streams as fast as it is read", async () => {
    let written = 0;
    const stream = route("GET", "/stream", () => ({
      status: 200,
      headers: {},
      async body(sink) {
        for (; written < 100; written++) await sink.write(`${written} `);
      },
    }));
    await using server = await start([stream]);
    const reply = await server.fetch(new Request(`${HERE}/stream`));
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("0 ");
    // The writer had time to write more.
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(10);
    let text = "0 ";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
    expect(text.trim().split(" ")).toHaveLength(100);
  });

  test.each<[string, (reply: Response, leave: AbortController) => unknown]>([
    ["cancels its source", (reply) => reply.body?.cancel()],
    ["aborts its request", (_reply, leave) => leave.abort()],
  ])("notifies the route if the reader %s", async (_what, go) => {
    const left = Promise.withResolvers<boolean>();
    const stream = route("GET", "/stream", ({ signal }) => ({
      status: 200,
      headers: {},
      async body(sink) {
        while (!sink.closed) await sink.write("x".repeat(100_000));
        left.resolve(signal.aborted);
      },
    }));
    await using server = await start([stream]);
    const leave = new AbortController();
    const reply = await server.fetch(new Request(`${HERE}/stream`, { signal: leave.signal }));
    await go(reply, leave);
    expect(await left.promise).toBe(true);
  });

  test("fails a stream that breaks", async () => {
    const broken = route("GET", "/stream", () => ({
      status: 200,
      headers: {},
      body: () => Promise.reject(new Error("broken")),
    }));
    await using server = await start([broken]);
    const reply = await server.fetch(new Request(`${HERE}/stream`));
    await expect(reply.text()).rejects.toThrow("broken");
  });

  test.each<[string, RequestInit["body"], object, number]>([
    ["that does not arrive in time", new ReadableStream({ pull: () => new Promise(() => {}) }), { requestMs: 20 }, 408],
    ["that breaks", new ReadableStream({ pull: () => Promise.reject(new Error("broken")) }), {}, 499],
  ])("rejects a body %s, without a stack trace", async (_what, body, limits, status) => {
    let log = "";
    const logged = { log: { level: "info", format: "json" } as const, limits };
    await using server = await startRoutes([echo()], logged, { write: (lines) => (log += lines) });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await server.fetch(new Request(`${HERE}/echo`, init))).status).toBe(status);
    await expect.poll(() => log).toContain(`"status":${status}`);
    expect(log).not.toContain("stack");
  });

  test("stops reading a body whose client leaves, or that is too large", async () => {
    await using server = await start([echo({ bodyBytes: 10 })], { bodyBytes: 10 });
    const send = async (first: string, onRead = () => {}, signal?: AbortSignal): Promise<[unknown, number]> => {
      const cancelled = Promise.withResolvers<unknown>();
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
        pull: () => (onRead(), new Promise(() => {})),
        cancel: () => cancelled.resolve("cancelled"),
      });
      const init = { method: "POST", body, duplex: "half", signal } as RequestInit;
      const reply = server.fetch(new Request(`${HERE}/echo`, init));
      return [await cancelled.promise, (await reply).status];
    };
    const leave = new AbortController();
    expect(await send('"', () => leave.abort(), leave.signal)).toStrictEqual(["cancelled", 499]);
    expect(await send("x".repeat(20))).toStrictEqual(["cancelled", 413]);
  });
});
