// The two transports over real connections: replies, freed resources, and error messages.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { TransportError } from "../../../src/calls/transport/transport-error.ts";
import { toTransportError } from "../../../src/calls/transport/explain-failure.ts";
import { defaultTransport as fetchTransport } from "../../../src/calls/transport/fetch.ts";
import { defaultTransport as undiciTransport } from "../../../src/calls/transport/undici.ts";
import type { HttpReply, Transport } from "../../../src/calls/types.ts";
import type { Reply } from "../../../src/testkit/replay-server.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";
import { caught, never, post, rawServer, read, UNLIMITED, until } from "../support/byte-requests.ts";
import { CountingTransport } from "../support/counting-transport.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

/** Waits until a number stays the same for many turns of the event loop. */
async function untilUnchanged(count: () => number): Promise<void> {
  let before = -1;
  for (let turns = 0; turns < 200; turns++) {
    if (count() !== before) turns = 0;
    before = count();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const TRANSPORTS: [name: string, make: () => Transport][] = [
  ["undici", undiciTransport],
  ["fetch", fetchTransport],
];

describe.each(TRANSPORTS)("%s", (_, make) => {
  const transport = make();
  const send = (reply: Reply, signal = never): Promise<{ reply: HttpReply; ended: Promise<string> }> =>
    serve(reply, async (url, ended) => ({
      reply: await transport.send(post(url), { signal, connectMs: UNLIMITED.connectMs }),
      ended,
    }));

  async function serve<T>(reply: Reply, use: (url: string, ended: Promise<string>) => Promise<T>): Promise<T> {
    const requestLine = Promise.withResolvers<string>();
    const server = await replayServer((request) => {
      void request.ended.then(requestLine.resolve);
      return reply;
    });
    onTestFinished(() => server.close());
    return use(`${server.url}/v1/x?a=1`, requestLine.promise);
  }

  test("a request arrives unchanged, and its reply has a status and lower-case headers", async () => {
    await using server = await replayServer({ "*": { status: 418, headers: { "X-Request-Id": "r1" }, body: "tea" } });
    const request = post(`${server.url}/v1/x%2Fy?a=1&b=%20`, '{"text":"Grüße 🙂"}');
    request.headers["x-own"] = "yes";
    const reply = await transport.send(request, UNLIMITED);
    expect(reply.status).toBe(418);
    expect(reply.headers["x-request-id"]).toBe("r1");
    expect(await read(reply)).toBe("tea");
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/v1/x%2Fy",
      query: { a: "1", b: " " },
      headers: { "content-type": "application/json", "x-own": "yes", "content-length": "23" },
      body: { text: "Grüße 🙂" },
    });
    await transport.close();
  });

  test("the headers are available before the body", async () => {
    const { reply } = await send({ chunks: ["first", " second"], stall: 5 });
    const body = reply.body[Symbol.asyncIterator]();
    const { value } = await body.next();
    expect(Buffer.from(value as Uint8Array).toString()).toBe("first");
    reply.discard();
    expect(await body.next()).toStrictEqual({ done: true, value: undefined });
  });

  test("bytes arrive completely and in order, in any chunks", async () => {
    await using server = await replayServer((request) => ({ chunks: request.body as string[] }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1 }), async (chunks) => {
        const request = post(server.url, JSON.stringify(chunks));
        const reply = await transport.send(request, UNLIMITED);
        expect(await read(reply)).toBe(Buffer.from(chunks.join("")).toString());
      }),
      { numRuns: scaleRunCount(90) },
    );
    await transport.close();
  });

  test.each<[what: string, reply: Reply, text: string]>([
    ["an empty one", { status: 204 }, ""],
    ["a large one", { body: "x".repeat(3_000_000) }, "x".repeat(3_000_000)],
    ["an error", { status: 500, body: { error: "no" } }, '{"error":"no"}'],
  ])("a reply is read to its end: %s", async (_, reply, text) => {
    const { reply: received } = await send(reply);
    expect((await read(received)) === text).toBe(true);
  });

  test("a redirect is not followed because the key would be sent with it", async () => {
    await using server = await replayServer({
      "/a": { status: 307, headers: { location: "/b" } },
      "/b": { body: "followed" },
    });
    const reply = await transport.send(post(`${server.url}/a`), UNLIMITED);
    expect(reply.status).toBe(307);
    reply.discard();
    expect(server.requests.map(({ path }) => path)).toStrictEqual(["/a"]);
  });

  test("a slow reader applies backpressure and loses no bytes", async () => {
    const piece = "y".repeat(65_536);
    const chunks = Array.from({ length: 400 }, () => piece);
    let written = 0;
    chunks[Symbol.iterator] = function* (): Generator<string, undefined> {
      for (; written < 400; written++) yield piece;
      return undefined;
    };
    const { reply, ended } = await send({ chunks });
    await untilUnchanged(() => written);
    expect(written).toBeLessThan(400);
    let length = 0;
    for await (const bytes of reply.body) length += bytes.length;
    expect(length).toBe(400 * 65_536);
    expect(await ended).toBe("sent");
  });

  test.each<[where: string, reply: Reply]>([
    ["before the headers", { reset: "headers" }],
    ["within the body", { chunks: ["one", "two"], reset: 4 }],
  ])("a connection that breaks %s is a retryable network error", async (_, reply) => {
    const error = await caught(send(reply).then(({ reply: received }) => read(received)));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind: "network", code: "network", retryable: true });
  });

  test("bytes that arrived before a connection broke are delivered first", async () => {
    const reading = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      response.flushHeaders();
      void reading.promise.then(() => response.write("data: 1\n\n", () => response.destroy()));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    // The cast holds: the server listens on a port.
    const { port } = server.address() as AddressInfo;
    const reply = await transport.send(post(`http://127.0.0.1:${port}/`), UNLIMITED);
    const body = reply.body[Symbol.asyncIterator]();
    const first = body.next();
    // Only now, because `fetch` drops unread bytes when the connection breaks.
    reading.resolve();
    expect(Buffer.from((await first).value as Uint8Array).toString()).toBe("data: 1\n\n");
    expect(await caught(body.next())).toMatchObject({ kind: "network", stage: "body" });
  });

  test("buffered bytes of any size are delivered before the error", async () => {
    const piece = "z".repeat(100_000);
    const { reply, ended } = await send({ chunks: Array.from({ length: 8 }, () => piece), reset: 800_000 });
    await ended;
    const lengths: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const bytes of reply.body) lengths.push(bytes.length);
    };
    expect(await caught(reading())).toMatchObject({ kind: "network", stage: "body" });
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(0);
  });

  test("the error of a refused connection names the address and has a hint", async () => {
    const { port, close } = await rawServer();
    close();
    const error = await caught(transport.send(post(`http://127.0.0.1:${port}/`), UNLIMITED));
    expect(error).toMatchObject({ kind: "network", stage: "connect", reason: "ECONNREFUSED" });
    expect(String(error)).toContain(`127.0.0.1:${port}: no server listens there`);
  });

  test("a reply that is no HTTP is an error", async () => {
    const { port, close } = await rawServer("SSH-2.0-OpenSSH_9.6\r\n");
    const error = await caught(transport.send(post(`http://127.0.0.1:${port}/`), UNLIMITED));
    expect(error).toMatchObject({ kind: "network" });
    expect(String(error)).toContain("is not HTTP");
    close();
  });

  test("an invalid header is an error without its value, and not retried", async () => {
    const request = post("http://127.0.0.1:9/");
    request.headers["authorization"] = "Bearer top-secret\nx: y";
    const error = await caught(transport.send(request, UNLIMITED));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).not.toContain("top-secret");
    expect(error).toMatchObject({ retryable: false });
  });

  describe("an abort", () => {
    const reason = new Error("enough");

    test("before the request sends no bytes", async () => {
      await using server = await replayServer({ "*": { body: "x" } });
      const error = await caught(
        transport.send(post(server.url), { signal: AbortSignal.abort(reason), connectMs: UNLIMITED.connectMs }),
      );
      expect(error).toBe(reason);
      expect(server.requests).toHaveLength(0);
    });

    test.each<[when: string, reply: Reply]>([
      ["the headers are awaited", { stall: "headers" }],
      ["the body is awaited", { chunks: ["x"], stall: 0 }],
      ["the body is arriving", { chunks: ["some", "more"], stall: 4 }],
    ])("while %s rejects with its reason and frees the connection", async (_, reply) => {
      const controller = new AbortController();
      await using server = await replayServer({ "*": reply });
      const counting = new CountingTransport(transport);
      const reading = counting.send(post(server.url), { ...UNLIMITED, signal: controller.signal }).then(read);
      const failed = caught(reading);
      await until(() => server.requests.length === 1 && counting.hasReached(reply.stall));
      controller.abort(reason);
      expect(await failed).toBe(reason);
      expect(await server.requests[0]?.ended).toBe("aborted");
      await until(() => server.connections === 0);
    });

    test("after the reply was read has no effect", async () => {
      const controller = new AbortController();
      const { reply } = await send({ body: "whole" }, controller.signal);
      expect(await read(reply)).toBe("whole");
      controller.abort(reason);
      expect(await reply.body[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
    });
  });

  test.each<[what: string, leave: (reply: HttpReply) => Promise<void>]>([
    ["discarding it", async (reply) => reply.discard()],
    [
      "discarding it twice, and after a partial read",
      async (reply) => {
        await reply.body[Symbol.asyncIterator]().next();
        reply.discard();
        reply.discard();
      },
    ],
    [
      "leaving its loop",
      async (reply) => {
        for await (const _ of reply.body) break;
      },
    ],
  ])("%s closes the connection of a reply", async (_, leave) => {
    const { reply, ended } = await send({ chunks: ["some", "more"], stall: 4 });
    await leave(reply);
    expect(await ended).toBe("aborted");
  });

  test("the connection of a completed reply is reused", async () => {
    await using server = await replayServer({ "*": { chunks: ["a", "b"] } });
    for (let count = 0; count < 5; count++) {
      await read(await transport.send(post(server.url), UNLIMITED));
    }
    // undici waits for a turn of the event loop before it reuses a connection.
    expect(server.connections).toBeLessThanOrEqual(2);
    await transport.close();
  });

  test("concurrent requests do not wait for each other", async () => {
    await using server = await replayServer(async (request) => {
      await until(() => server.requests.length === 8);
      return { body: request.body as string };
    });
    const sent = Array.from({ length: 8 }, (_, index) =>
      transport.send(post(server.url, `body ${index}`), UNLIMITED).then(read),
    );
    expect(await Promise.all(sent)).toStrictEqual(Array.from({ length: 8 }, (_, index) => `body ${index}`));
    await transport.close();
  });
});

test.each<[what: string, error: unknown, expected: object, message: string]>([
  ["an unknown host name", { code: "ENOTFOUND" }, { kind: "network", retryable: true }, "the host name does not exist"],
  ["an expired certificate", { code: "CERT_HAS_EXPIRED" }, { kind: "network", retryable: false }, "not trusted"],
  ["TLS to a port without TLS", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }, { retryable: false }, "http://"],
  [
    "a nested cause",
    new TypeError("fetch failed", { cause: { code: "ETIMEDOUT" } }),
    { kind: "timeout" },
    "not answer",
  ],
  ["several addresses", new AggregateError([{ code: "ECONNREFUSED" }]), { kind: "network" }, "no server listens"],
  ["something else", new TypeError("Failed to fetch"), { kind: "network", retryable: true }, "Failed to fetch"],
  ["a value that is no error", "odd", { kind: "network" }, "unknown"],
])("both transports have the same error messages: %s", (_, error, expected, message) => {
  const explained = toTransportError(error, "connect", "example.test");
  expect(explained).toMatchObject(expected);
  expect(explained.message).toContain("No connection to example.test: ");
  expect(explained.message).toContain(message);
  expect(explained.cause).toBe(error);
});
