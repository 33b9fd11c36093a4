// Compressed replies: both transports support the same encodings and read the same bytes.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { defaultTransport as fetchTransport } from "../../../src/calls/transport/fetch.ts";
import { defaultTransport as undiciTransport } from "../../../src/calls/transport/undici.ts";
import type { Transport } from "../../../src/calls/types.ts";
import { replayServer } from "../../../src/testkit/replay-server.ts";
import { never, post, read } from "../support/byte-requests.ts";
import { errorOf } from "../support/thrown-errors.ts";
import { clientAt, QUESTION, wholeBody } from "../support/provider-fixtures.ts";

const TRANSPORTS: [name: string, make: () => Transport][] = [
  ["undici", undiciTransport],
  ["fetch", fetchTransport],
];

const ENCODINGS: [encoding: string, what: string, compress: (text: string) => Uint8Array][] = [
  ["gzip", "gzip", gzipSync],
  ["X-GZip", "an older name", gzipSync],
  ["deflate", "deflate", deflateSync],
  ["deflate", "deflate without its frame", deflateRawSync],
  ["br", "brotli", brotliCompressSync],
  ["zstd", "zstd", zstdCompressSync],
  ["gzip, br", "two, one around the other", (text) => brotliCompressSync(gzipSync(text))],
];

describe.each(TRANSPORTS)("%s", (_, make) => {
  test.each(ENCODINGS)("%s: a compressed reply is decompressed: %s", async (encoding, __, compress) => {
    const text = "words and words and words. ".repeat(1000);
    await using server = await replayServer({
      "*": { headers: { "content-encoding": encoding }, body: compress(text) },
    });
    const transport = make();
    const reply = await transport.send(post(server.url), { signal: never, connectMs: 1000 });
    expect((await read(reply)) === text).toBe(true);
    await transport.close();
  });

  test("a reply with an unknown encoding is left unchanged", async () => {
    await using server = await replayServer({
      "*": { headers: { "content-encoding": "gzip, secret" }, body: "as is" },
    });
    const transport = make();
    const reply = await transport.send(post(server.url), { signal: never, connectMs: 1000 });
    expect(await read(reply)).toBe("as is");
    await transport.close();
  });

  test.each(ENCODINGS.filter(([encoding]) => encoding !== "zstd"))(
    "%s: a truncated compressed reply is a truncated answer: %s",
    async (encoding, __, compress) => {
      const body = compress(JSON.stringify(wholeBody("openai-chat")));
      const headers = { "content-encoding": encoding, "content-type": "application/json" };
      await using server = await replayServer({ "*": { headers, body: body.subarray(0, body.length - 40) } });
      const client = clientAt(server, "openai-chat", { transport: make() });
      const error = await errorOf(client.complete(QUESTION, { retry: { attempts: 1 } }));
      expect(error.code).toBe("truncated");
    },
  );

  test("an uncompressed reply with an encoding header is an error", async () => {
    await using server = await replayServer({ "*": { headers: { "content-encoding": "gzip" }, body: "plain words" } });
    const client = clientAt(server, "openai-chat", { transport: make() });
    const error = await errorOf(client.complete(QUESTION, { retry: { attempts: 1 } }));
    expect(error.code).toBe("network");
  });

  test("the error of a connection that breaks before the headers states that it was open", async () => {
    await using server = await replayServer({ "*": { reset: "headers" } });
    const client = clientAt(server, "openai-chat", { transport: make() });
    const error = await errorOf(client.complete(QUESTION, { retry: { attempts: 1 } }));
    expect(error.code).toBe("network");
    expect(error.message).toContain("did not answer: the other side closed the connection");
  });

  test.each([
    ["content-length", "3"],
    ["transfer-encoding", "odd"],
  ])("an invalid header is an error of the caller, and no request is sent: %s", async (name, value) => {
    await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
    const client = clientAt(server, "openai-chat", { transport: make() });
    const error = await errorOf(client.complete(QUESTION, { headers: { [name]: value } }));
    expect(error).toMatchObject({ code: "configuration", path: "/headers", provider: "there" });
    expect(error.attempts).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });
});
