// Limits of the server: too large, too deep, too slow, too many, or undecodable requests get an error reply.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startRoutes } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { echo, json, route } from "../support/test-routes.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const post = async (
  { url }: KoineServer,
  body: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> => {
  const init = { method: "POST", body: body as BodyInit, headers: { "content-type": "application/json", ...headers } };
  const reply = await fetch(`${url}/echo`, { ...init, duplex: "half" } as RequestInit);
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
};
const start = (limits: ConfigInput["limits"] = {}): Promise<KoineServer> => startRoutes([echo(limits)], { limits });
const error = (code: string, message: RegExp | string, path?: string): object => ({
  error: {
    code,
    message: typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message),
    ...(path === undefined ? {} : { path }),
  },
});

describe("a body", () => {
  test("preserves numbers that a double cannot represent", async () => {
    await using server = await start();
    const reply = await fetch(`${server.url}/echo`, { method: "POST", body: '{"n":12345678901234567890}' });
    expect(await reply.text()).toBe('{"n":12345678901234567890}');
  });

  test.each<[string, string | Uint8Array, Record<string, string>, number, object]>([
    [
      "that is no JSON is rejected with its position",
      '{"a":\n tru}',
      {},
      400,
      error("invalid-request", "line 2, column 5", "/a"),
    ],
    ["that is empty is rejected", "", {}, 400, error("invalid-request", "empty")],
    [
      "that is no UTF-8 is rejected with its position",
      Buffer.from([0x22, 0x61, 0xff, 0x22]),
      {},
      400,
      error("invalid-request", "offset 2"),
    ],
    [
      "whose last character is truncated is rejected with its position",
      Buffer.from([0x22, 0x61, 0x62, 0xe2, 0x82]),
      {},
      400,
      error("invalid-request", "offset 3"),
    ],
    ["nested up to the limit is accepted", nested(8), {}, 200, JSON.parse(nested(8))],
    ["nested deeper is rejected", `{"a":${nested(8)}}`, {}, 413, error("too-large", "deeper than 8 levels")],
    ["nested beyond the parser's limit is rejected", nested(100_000), {}, 413, error("too-large", "nested deeper")],
    [
      "that is a form with files is rejected",
      "{}",
      { "content-type": "multipart/form-data; boundary=x" },
      415,
      error("unsupported-media", "application/json", "content-type"),
    ],
    [
      "in another character set is rejected",
      "{}",
      { "content-type": "application/json; charset=utf-16" },
      415,
      error("unsupported-media", "utf-16", "content-type"),
    ],
    [
      "that curl sends without a type is accepted",
      '{"a":1}',
      { "content-type": "application/x-www-form-urlencoded" },
      200,
      { a: 1 },
    ],
    [
      "with a byte order mark is accepted",
      '\uFEFF{"a":1}',
      { "content-type": "application/json; charset=UTF-8" },
      200,
      { a: 1 },
    ],
    [
      "in an unsupported encoding is rejected",
      "{}",
      { "content-encoding": "compress" },
      415,
      error("unsupported-media", "gzip", "content-encoding"),
    ],
    [
      "that does not match its encoding is rejected",
      "{}",
      { "content-encoding": "gzip" },
      400,
      error("invalid-request", "not valid gzip", "content-encoding"),
    ],
    [
      "encoded three times is rejected",
      "{}",
      { "content-encoding": "gzip, gzip, gzip" },
      415,
      error("unsupported-media", "gzip, gzip", "content-encoding"),
    ],
  ])("%s", async (_what, body, headers, status, expected) => {
    await using server = await start({ depth: 8 });
    expect(await post(server, body, headers)).toMatchObject({ status, body: expected });
  });

  test.each<[string, (text: string) => Uint8Array]>([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
    ["identity", (text) => Buffer.from(text)],
  ])("that was encoded as %s is decoded, up to the limit", async (encoding, encode) => {
    await using server = await start({ bodyBytes: 2000 });
    const headers = { "content-encoding": encoding };
    expect(await post(server, encode('{"a":"β"}'), headers)).toMatchObject({ status: 200, body: { a: "β" } });
    const bomb = encode(JSON.stringify("0".repeat(100_000)));
    expect(await post(server, bomb, headers)).toMatchObject({ status: 413, body: error("too-large", "2000 bytes") });
  });

  test("with a declared length above the limit is rejected before it is sent", async () => {
    await using server = await start({ bodyBytes: 1000 });
    using client = connectRaw(server.url);
    client.write("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
    expect(await client.until(/1000 bytes/)).toMatch(/^HTTP\/1.1 413 /);
  });

  test("with an Expect header is not requested if it is too large", async () => {
    await using server = await start({ bodyBytes: 1000 });
    using client = connectRaw(server.url);
    client.write("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
    expect(await client.until(/1000 bytes/)).toMatch(/^HTTP\/1.1 413 /);
    using other = connectRaw(server.url);
    other.write("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    await other.until(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
    other.write("{}");
    await other.until(/HTTP\/1.1 200 OK[^]*\{\}$/);
  });

  test("that exceeds the limit while it is sent is rejected, even if the client is still sending", async () => {
    await using server = await start({ bodyBytes: 100_000 });
    const chunk = new Uint8Array(50_000).fill(32);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (sent++ < 100) controller.enqueue(chunk);
        else controller.close();
      },
    });
    expect(await post(server, stream)).toMatchObject({ status: 413, body: error("too-large", "100000 bytes") });
  });

  test("that was rejected is not read forever", async () => {
    await using server = await start({ bodyBytes: 1000, requestMs: 50 });
    using client = connectRaw(server.url);
    client.write("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\nand so on");
    expect(await client.closed()).toMatch(/^HTTP\/1.1 413 (?![^]*HTTP\/1.1)/);
  });

  test("that does not arrive in time gets an error reply", async () => {
    await using server = await start({ requestMs: 100 });
    using client = connectRaw(server.url);
    client.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"a"');
    expect(await client.until(/did not arrive within 0.1 s/)).toMatch(/^HTTP\/1.1 408 /);
  });

  test("whose client disconnects halfway ends its handling", async () => {
    const thrown = Promise.withResolvers<unknown>();
    const entered = Promise.withResolvers<void>();
    const read = route("POST", "/read", async (request) => {
      entered.resolve();
      await request.body().catch(thrown.resolve);
      return json({});
    });
    await using server = await startRoutes([read]);
    using client = connectRaw(server.url);
    client.write("POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
    await entered.promise;
    client.socket.destroy();
    expect(await thrown.promise).toMatchObject({ code: "aborted" });
  });

  test("can be streamed, under the same rules", async () => {
    const count = route("POST", "/count", async (request) => {
      let size = 0;
      for await (const chunk of request.chunks()) size += chunk.length;
      return json({ size });
    });
    await using server = await startRoutes([count], { limits: { bodyBytes: 5000 } });
    const send = async (size: number): Promise<unknown> =>
      (await fetch(`${server.url}/count`, { method: "POST", body: "x".repeat(size) })).json();
    expect(await send(5000)).toStrictEqual({ size: 5000 });
    expect(await send(5001)).toMatchObject(error("too-large", "5000 bytes"));
    const packed = { method: "POST", body: gzipSync("x".repeat(4000)), headers: { "content-encoding": "gzip" } };
    expect(await (await fetch(`${server.url}/count`, packed)).json()).toStrictEqual({ size: 4000 });
    await using hasty = await startRoutes([count], { limits: { requestMs: 200 } });
    using client = connectRaw(hasty.url);
    client.write("POST /count HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    expect(await client.until(/did not arrive/)).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe("headers", () => {
  const request = (headers: string): string => `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

  test("that are too many are counted and rejected, never dropped", async () => {
    await using server = await start({ headers: 50 });
    using client = connectRaw(server.url);
    client.write(request("a: b\r\n".repeat(50)));
    expect(await client.until(/51 headers; the limit is 50/)).toMatch(/^HTTP\/1.1 431 /);
    using other = connectRaw(server.url);
    other.write(request("a: b\r\n".repeat(49)));
    await other.until(/^HTTP\/1.1 200 /);
  });

  test("that are too long get an error reply", async () => {
    await using server = await start({ headerBytes: 4096 });
    using client = connectRaw(server.url);
    client.write(request(`a: ${"b".repeat(5000)}\r\n`));
    const received = await client.closed();
    expect(received).toMatch(/^HTTP\/1.1 431 /);
    expect(received).toContain('{"error":{"code":"headers-too-large"');
  });

  test("that arrive byte by byte time out", async () => {
    await using server = await start({ headersMs: 150 });
    using client = connectRaw(server.url);
    client.write("GET /healthz HTTP/1.1\r\nHost: local");
    const received = await client.closed();
    expect(received).toMatch(/^HTTP\/1.1 408 /);
    expect(received).toContain('"code":"timeout"');
  });

  test("that never arrive time out", async () => {
    await using server = await start({ headersMs: 150 });
    using client = connectRaw(server.url);
    await client.closed();
  });

  test.each([
    "nonsense\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "\u0016\u0003\u0001\u0000\u0000\r\n",
  ])("that are not HTTP get an error reply: %j", async (text) => {
    await using server = await start();
    using client = connectRaw(server.url);
    client.write(text);
    expect(await client.closed()).toMatch(/^HTTP\/1.1 400 [^]*"code":"invalid-request"/);
  });
});

describe("connections", () => {
  test("beyond the limit are closed, and counted", async () => {
    await using server = await start({ connections: 1 });
    using first = connectRaw(server.url);
    await new Promise((resolve) => first.socket.once("connect", resolve));
    using second = connectRaw(server.url);
    expect(await second.closed()).toBe("");
    first.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await first.until(/koine_connections_dropped_total 1/);
  });
});

describe("open calls", () => {
  test("beyond a tenant's limit get a retry-after, and others are served", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = route("GET", "/slow", () => gate.promise.then(() => json({})), { countsAsOpenCall: true });
    const light = route("GET", "/light", () => json({}));
    await using server = await startRoutes([slow, light], { limits: { open: 2 } });
    const first = [fetch(`${server.url}/slow`), fetch(`${server.url}/slow`)];
    await expect.poll(() => fetch(`${server.url}/slow`).then(({ status }) => status)).toBe(429);
    const refused = await fetch(`${server.url}/slow`);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject(error("too-many", "2 calls of this tenant are open"));
    expect((await fetch(`${server.url}/light`)).status).toBe(200);
    gate.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toStrictEqual([200, 200]);
    expect((await fetch(`${server.url}/slow`)).status).toBe(200);
  });

  test("end when a stream has ended or its reader has left", async () => {
    const stream = route(
      "GET",
      "/stream",
      () => ({
        status: 200,
        headers: {},
        async body(sink) {
          await sink.write("x");
          while (!sink.closed) await new Promise((resolve) => setTimeout(resolve, 5));
        },
      }),
      { countsAsOpenCall: true },
    );
    await using server = await startRoutes([stream], { limits: { open: 1 } });
    for (let time = 0; time < 3; time++) {
      const leave = new AbortController();
      await expect.poll(async () => (await fetch(`${server.url}/stream`, { signal: leave.signal })).status).toBe(200);
      leave.abort();
    }
  });
});
