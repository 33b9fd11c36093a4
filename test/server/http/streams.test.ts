// Streamed replies: written at once, no faster than they are read, and ended when the reader leaves.
import { EventSource } from "eventsource";
import { describe, expect, test } from "vitest";
import { createSseReply } from "../../../src/server/http/sse.ts";
import type { SseBatch } from "../../../src/server/http/sse.ts";
import type { Route, Services, StreamBody } from "../../../src/server/types.ts";
import { startRoutes } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { route } from "../support/test-routes.ts";

const streaming = (body: StreamBody): Route => route("GET", "/stream", () => ({ status: 200, headers: {}, body }));
const GET = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";

describe("a streamed reply", () => {
  test("arrives as it is written", async () => {
    const more = Promise.withResolvers<void>();
    await using server = await startRoutes([
      streaming(async (sink) => {
        await sink.write("one ");
        await more.promise;
        await sink.write(Buffer.from("two"));
      }),
    ]);
    using client = connectRaw(server.url);
    client.write(GET);
    await client.until(/one /);
    more.resolve();
    await client.until(/two\r\n0\r\n\r\n$/);
  });

  test.each<[string, string, RegExp]>([
    ["in chunks", "HTTP/1.1", /\r\ntransfer-encoding: chunked\r\n[^]*4\r\nÎ²Ã©\r\n5\r\nbytes\r\n0\r\n\r\n$/i],
    ["without chunked encoding to HTTP/1.0 clients", "HTTP/1.0", /\r\n\r\nÎ²Ã©bytes$/],
  ])("is written %s", async (_what, version, expected) => {
    await using server = await startRoutes([
      streaming(async (sink) => {
        await sink.write("βé");
        // An empty chunk must not end the body.
        await sink.write("");
        await sink.write(Buffer.from("bytes"));
      }),
    ]);
    using client = connectRaw(server.url);
    client.write(`GET /stream ${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await client.closed()).toMatch(expected);
  });

  test("leaves its connection usable for the next request", async () => {
    await using server = await startRoutes([streaming(async (sink) => sink.write("one"))]);
    using client = connectRaw(server.url);
    client.write(GET);
    await client.until(/one\r\n0\r\n\r\n$/);
    client.write(GET);
    await client.until(/one\r\n0\r\n\r\n[^]*one\r\n0\r\n\r\n$/);
  });

  test("sends its head before its first chunk", async () => {
    const more = Promise.withResolvers<void>();
    await using server = await startRoutes([streaming(() => more.promise)]);
    const reply = await fetch(`${server.url}/stream`);
    expect(reply.status).toBe(200);
    more.resolve();
    expect(await reply.text()).toBe("");
  });

  test("is no faster than its reader, and continues when the reader continues", async () => {
    let written = 0;
    const chunk = "x".repeat(64 * 1024);
    await using server = await startRoutes([
      streaming(async (sink) => {
        for (; written < 300; written++) await sink.write(chunk);
      }),
    ]);
    using client = connectRaw(server.url);
    client.socket.pause();
    client.write(GET);
    let before = -1;
    await expect
      .poll(() => {
        const still = written > 0 && written === before;
        before = written;
        return still;
      })
      .toBe(true);
    expect(written).toBeLessThan(300);
    client.socket.resume();
    await client.until(/\r\n0\r\n\r\n$/);
    expect(written).toBe(300);
  });

  test("is cut off if its reader stalls", async () => {
    const ended = Promise.withResolvers<boolean>();
    const chunk = "x".repeat(256 * 1024);
    await using server = await startRoutes(
      [
        streaming(async (sink) => {
          while (!sink.closed) await sink.write(chunk);
          ended.resolve(sink.closed);
        }),
      ],
      { limits: { stallMs: 100 } },
    );
    using client = connectRaw(server.url);
    client.socket.pause();
    client.write(GET);
    expect(await ended.promise).toBe(true);
  });

  test("that is not streamed but large is cut off too", async () => {
    const cut = Promise.withResolvers<unknown>();
    const large = route("GET", "/stream", ({ signal }) => {
      signal.addEventListener("abort", () => cut.resolve(signal.reason));
      return { status: 200, headers: {}, body: Buffer.alloc(32 * 1024 * 1024) };
    });
    await using server = await startRoutes([large], { limits: { stallMs: 100 } });
    using client = connectRaw(server.url);
    client.socket.pause();
    client.write(GET);
    expect(await cut.promise).toMatchObject({ code: "aborted" });
  });

  test("that fails is cut off, so that it is not taken for complete", async () => {
    await using server = await startRoutes([
      streaming(async (sink) => {
        await sink.write("half");
        throw new Error("broken");
      }),
    ]);
    using client = connectRaw(server.url);
    client.write(GET);
    const received = await client.closed();
    expect(received).not.toMatch(/0\r\n\r\n$/);
  });

  test("notifies its route when the reader leaves", async () => {
    const left = Promise.withResolvers<unknown>();
    const ended = Promise.withResolvers<void>();
    const stream = route("GET", "/stream", (request) => ({
      status: 200,
      headers: {},
      async body(sink) {
        await sink.write("x");
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        left.resolve([request.signal.reason, sink.closed, sink.write("unread")]);
        ended.resolve();
      },
    }));
    await using server = await startRoutes([stream]);
    const leave = new AbortController();
    await fetch(`${server.url}/stream`, { signal: leave.signal });
    leave.abort();
    expect(await left.promise).toMatchObject([{ code: "aborted" }, true, undefined]);
    await ended.promise;
  });

  test("whose route replies after the client has left still runs, to release its resources", async () => {
    const gate = Promise.withResolvers<void>();
    const saw = Promise.withResolvers<boolean>();
    const entered = Promise.withResolvers<void>();
    const late = route("GET", "/stream", async (request) => {
      entered.resolve();
      request.signal.addEventListener("abort", () => gate.resolve());
      await gate.promise;
      return { status: 200, headers: {}, body: async (sink) => saw.resolve(sink.closed) };
    });
    await using server = await startRoutes([late]);
    const leave = new AbortController();
    const reply = fetch(`${server.url}/stream`, { signal: leave.signal }).catch(() => undefined);
    await entered.promise;
    leave.abort();
    await reply;
    expect(await saw.promise).toBe(true);
  });
});

describe("a stream of events", () => {
  const events = (make: (signal: AbortSignal) => AsyncIterable<SseBatch>, services: () => Services): Route =>
    route("GET", "/events", (request) => createSseReply(services(), request, make));

  test("is read by an EventSource, with names and ids", async () => {
    async function* source(): AsyncGenerator<SseBatch> {
      yield { event: "koine", id: "1", data: { a: 1 } };
      yield [
        { event: "koine", id: "2", data: "two\nlines" },
        { event: "other", data: {} },
      ];
    }
    await using server = await startRoutes([events(source, (): Services => server.services)]);
    const received: unknown[] = [];
    const reader = new EventSource(`${server.url}/events`);
    await new Promise<void>((resolve) => {
      reader.addEventListener("koine", ({ data, lastEventId }) => received.push([data, lastEventId]));
      reader.addEventListener("other", () => resolve());
    });
    reader.close();
    expect(received).toStrictEqual([
      ['{"a":1}', "1"],
      ["two\nlines", "2"],
    ]);
  });

  test("sends heartbeats while it is silent", async () => {
    async function* source(signal: AbortSignal): AsyncGenerator<SseBatch> {
      yield [];
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    await using server = await startRoutes([events(source, (): Services => server.services)], { heartbeatMs: 10 });
    using client = connectRaw(server.url);
    client.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await client.until(/: keep-alive\n\n[^]*: keep-alive\n\n/);
  });

  test("closes its source when the reader leaves, even one that ignores the signal", async () => {
    const returned = Promise.withResolvers<void>();
    const source: AsyncIterable<SseBatch> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          returned.resolve();
          return { done: true, value: undefined };
        },
      }),
    };
    await using server = await startRoutes([
      events(
        () => source,
        (): Services => server.services,
      ),
    ]);
    const leave = new AbortController();
    await fetch(`${server.url}/events`, { signal: leave.signal });
    leave.abort();
    await returned.promise;
  });

  test("whose source fails is cut off, or ends with an error event if there is one", async () => {
    async function* source(): AsyncGenerator<SseBatch> {
      yield { data: "one" };
      throw new Error("gone");
    }
    const worded = route("GET", "/worded", (request) =>
      createSseReply(server.services, request, source, {
        failure: (error) => ({ event: "failed", data: String(error) }),
      }),
    );
    await using server = await startRoutes([events(source, (): Services => server.services), worded]);
    expect(await (await fetch(`${server.url}/worded`)).text()).toBe(
      "data: one\n\nevent: failed\ndata: Error: gone\n\n",
    );
    await expect(fetch(`${server.url}/events`).then((reply) => reply.text())).rejects.toThrow();
  });
});
