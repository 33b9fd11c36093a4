// The two transports over real connections: replies, freed resources, and error messages.
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TransportError } from "../../../src/calls/transport/transport-error.ts";
import { toTransportError } from "../../../src/calls/transport/explain-failure.ts";
import { defaultTransport as fetchTransport } from "../../../src/calls/transport/fetch.ts";
import { defaultTransport as undiciTransport } from "../../../src/calls/transport/undici.ts";
import type { HttpReply, Transport } from "../../../src/calls/types.ts";
import type { ReceivedRequest, Reply } from "../../../src/testkit/replay-server.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";
import { caught, never, post, rawServer, read, until } from "../support/byte-requests.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const TRANSPORTS: [name: string, make: () => Transport][] = [
  ["undici", undiciTransport],
  ["fetch", fetchTransport],
];

describe.each(TRANSPORTS)("%s", (_, make) => {
  const transport = make();
  const send = (reply: Reply, signal = never): Promise<{ reply: HttpReply; ended: Promise<string> }> =>
    serve(reply, async (url, ended) => ({
      reply: await transport.send(post(url), { signal, connectMs: 1000 }),
      ended,
    }));

  /** Unreferenced: the server does not keep the process alive. */
  async function serve<T>(reply: Reply, use: (url: string, ended: Promise<string>) => Promise<T>): Promise<T> {
    const requestLine = Promise.withResolvers<string>();
    const server = await replayServer((request) => {
      void request.ended.then(requestLine.resolve);
      return reply;
    });
    void requestLine.promise.then(() => sleep(50)).then(() => server.close());
    return use(`${server.url}/v1/x?a=1`, requestLine.promise);
  }

  test("a request arrives as it was given, and its reply with status and headers in lower case", async () => {
    await using server = await replayServer({ "*": { status: 418, headers: { "X-Request-Id": "r1" }, body: "tea" } });
    const request = post(`${server.url}/v1/x%2Fy?a=1&b=%20`, '{"text":"Grüße 🙂"}');
    request.headers["x-own"] = "yes";
    const reply = await transport.send(request, { signal: never, connectMs: 1000 });
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

  test("the headers are there while the body is still to come", async () => {
    const { reply } = await send({ chunks: ["first", " second"], stall: 5 });
    const body = reply.body[Symbol.asyncIterator]();
    const { value } = await body.next();
    expect(Buffer.from(value as Uint8Array).toString()).toBe("first");
    reply.discard();
    expect(await body.next()).toStrictEqual({ done: true, value: undefined });
  });

  test("bytes arrive in order and whole, however they are cut", async () => {
    await using server = await replayServer((request) => ({ chunks: request.body as string[] }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1 }), async (chunks) => {
        const request = post(server.url, JSON.stringify(chunks));
        const reply = await transport.send(request, { signal: never, connectMs: 1000 });
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
    const { reply: got } = await send(reply);
    expect((await read(got)) === text).toBe(true);
  });

  test("a redirect is not followed, as the key would go with it", async () => {
    await using server = await replayServer({
      "/a": { status: 307, headers: { location: "/b" } },
      "/b": { body: "followed" },
    });
    const reply = await transport.send(post(`${server.url}/a`), { signal: never, connectMs: 1000 });
    expect(reply.status).toBe(307);
    reply.discard();
    expect(server.requests.map(({ path }) => path)).toStrictEqual(["/a"]);
  });

  test("a reader that does not read holds the provider back, and misses nothing", async () => {
    const piece = "y".repeat(65_536);
    const { reply, ended } = await send({ chunks: Array.from({ length: 400 }, () => piece) });
    const first = await Promise.race([ended, sleep(150, "waiting")]);
    expect(first).toBe("waiting");
    let length = 0;
    for await (const bytes of reply.body) length += bytes.length;
    expect(length).toBe(400 * 65_536);
    expect(await ended).toBe("sent");
  });

  test.each<[where: string, reply: Reply]>([
    ["before the headers", { reset: "headers" }],
    ["within the body", { chunks: ["one", "two"], reset: 4 }],
  ])("a connection that breaks %s is a network error that may be tried again", async (_, reply) => {
    const error = await caught(send(reply).then(({ reply: got }) => read(got)));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind: "network", code: "network", retryable: true });
  });

  test("what had arrived before a connection broke is given first", async () => {
    const { reply } = await send({ chunks: ["data: 1\n\n"], reset: 9, delayMs: 5 });
    const body = reply.body[Symbol.asyncIterator]();
    expect(Buffer.from((await body.next()).value as Uint8Array).toString()).toBe("data: 1\n\n");
    expect(await caught(body.next())).toMatchObject({ kind: "network", stage: "body" });
  });

  test("so is what had arrived while nobody read, however much", async () => {
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

  test("where nothing listens, the error says where and what to do", async () => {
    const { port, close } = await rawServer();
    close();
    const error = await caught(transport.send(post(`http://127.0.0.1:${port}/`), { signal: never, connectMs: 1000 }));
    expect(error).toMatchObject({ kind: "network", stage: "connect", reason: "ECONNREFUSED" });
    expect(String(error)).toContain(`127.0.0.1:${port}: no server listens there`);
  });

  test("what is no HTTP is told", async () => {
    const { port, close } = await rawServer("SSH-2.0-OpenSSH_9.6\r\n");
    const error = await caught(transport.send(post(`http://127.0.0.1:${port}/`), { signal: never, connectMs: 1000 }));
    expect(error).toMatchObject({ kind: "network" });
    expect(String(error)).toContain("is not HTTP");
    close();
  });

  test("a header that cannot be sent is an error without its value, and not tried again", async () => {
    const request = post("http://127.0.0.1:9/");
    request.headers["authorization"] = "Bearer top-secret\nx: y";
    const error = await caught(transport.send(request, { signal: never, connectMs: 1000 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(String(error)).not.toContain("top-secret");
    expect(error).toMatchObject({ retryable: false });
  });

  describe("an abort", () => {
    const reason = new Error("enough");

    test("before the request sends nothing", async () => {
      await using server = await replayServer({ "*": { body: "x" } });
      const error = await caught(
        transport.send(post(server.url), { signal: AbortSignal.abort(reason), connectMs: 1000 }),
      );
      expect(error).toBe(reason);
      expect(server.requests).toHaveLength(0);
    });

    test.each<[when: string, reply: Reply]>([
      ["the headers are awaited", { stall: "headers" }],
      ["the body is awaited", { chunks: ["x"], stall: 0 }],
      ["the body is under way", { chunks: ["some", "more"], stall: 4 }],
    ])("while %s rejects with its reason and frees the connection", async (_, reply) => {
      const controller = new AbortController();
      const received = Promise.withResolvers<ReceivedRequest>();
      await using server = await replayServer((request) => {
        received.resolve(request);
        return reply;
      });
      const reading = transport.send(post(server.url), { signal: controller.signal, connectMs: 1000 }).then(read);
      const failed = caught(reading);
      const { ended } = await received.promise;
      await sleep(20);
      controller.abort(reason);
      expect(await failed).toBe(reason);
      expect(await ended).toBe("aborted");
      await until(() => server.connections === 0);
    });

    test("after the reply has been read changes nothing", async () => {
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
      "discarding it again, and after reading some",
      async (reply) => {
        await reply.body[Symbol.asyncIterator]().next();
        reply.discard();
        reply.discard();
      },
    ],
    [
      "leaving the loop",
      async (reply) => {
        for await (const _ of reply.body) break;
      },
    ],
  ])("a reply is given up by %s, and the provider sees it", async (_, leave) => {
    const { reply, ended } = await send({ chunks: ["some", "more"], stall: 4 });
    await leave(reply);
    expect(await ended).toBe("aborted");
  });

  test("a reply that was read to its end leaves its connection to the next request", async () => {
    await using server = await replayServer({ "*": { chunks: ["a", "b"] } });
    for (let count = 0; count < 5; count++) {
      await read(await transport.send(post(server.url), { signal: never, connectMs: 1000 }));
    }
    // undici waits for a turn of the event loop before it reuses a connection.
    expect(server.connections).toBeLessThanOrEqual(2);
    await transport.close();
  });

  test("requests at the same time do not wait for each other", async () => {
    await using server = await replayServer(async (request) => {
      await until(() => server.requests.length === 8);
      return { body: request.body as string };
    });
    const sent = Array.from({ length: 8 }, (_, index) =>
      transport.send(post(server.url, `body ${index}`), { signal: never, connectMs: 1000 }).then(read),
    );
    expect(await Promise.all(sent)).toStrictEqual(Array.from({ length: 8 }, (_, index) => `body ${index}`));
    await transport.close();
  });
});

test.each<[what: string, error: unknown, expected: object, says: string]>([
  [
    "a name that is not there",
    { code: "ENOTFOUND" },
    { kind: "network", retryable: true },
    "the host name does not exist",
  ],
  ["an expired certificate", { code: "CERT_HAS_EXPIRED" }, { kind: "network", retryable: false }, "not trusted"],
  ["TLS to a port without", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }, { retryable: false }, "http://"],
  [
    "a cause within",
    new TypeError("fetch failed", { cause: { code: "ETIMEDOUT" } }),
    { kind: "timeout" },
    "not answer",
  ],
  ["several addresses", new AggregateError([{ code: "ECONNREFUSED" }]), { kind: "network" }, "no server listens"],
  ["something else", new TypeError("Failed to fetch"), { kind: "network", retryable: true }, "Failed to fetch"],
  ["no error at all", "odd", { kind: "network" }, "unknown"],
])("failures are told in the same words: %s", (_, error, expected, says) => {
  const explained = toTransportError(error, "connect", "example.test");
  expect(explained).toMatchObject(expected);
  expect(explained.message).toContain("No connection to example.test: ");
  expect(explained.message).toContain(says);
  expect(explained.cause).toBe(error);
});
