// Oversized input: bodies, compressed bodies, nesting, headers, URLs. Every route with a body rejects it in the format
// of its clients, and the server continues.
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { readErrorMessage, pathTo, ROUTES, titled, detectErrorFormat } from "./routes.ts";
import { jsonOf, sendAndRead, textAt } from "./support.ts";

const BODY = 20_000;
let koine: KoineServer;
/** Existing resources, because a body is read only for those. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  koine = await startKoine({
    limits: {
      bodyBytes: BODY,
      importBytes: BODY,
      depth: 40,
      headers: 60,
      headerBytes: 8192,
      headersMs: 2000,
      requestMs: 2000,
    },
  });
  const created = await sendAndRead(koine, { method: "POST", path: "/v1/task", body: {} });
  ids["task"] = textAt(jsonOf(created), "task", "id");
});
afterAll(() => koine.close());
afterEach(async () => {
  expect((await fetch(`${koine.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${koine.url}/v1/threads`)).status).toBe(200);
});

/** Operations whose body is bytes. */
const BYTES = new Set(["putBlob", "importThreads"]);
const READING = ROUTES.filter(
  ({ method, operation }) => method !== "GET" && (operation.body !== undefined || BYTES.has(operation.id)),
);
const JSON_READING = READING.filter(({ operation }) => !BYTES.has(operation.id));
const pathOf = (path: string): string => pathTo(path, path.startsWith("/v1/task/") ? ids["task"] : undefined);

async function refusal(
  method: string,
  path: string,
  head: readonly string[],
  body: string | Uint8Array,
): Promise<string> {
  using client = connectRaw(koine.url);
  client.write([`${method} ${path} HTTP/1.1`, "Host: localhost", ...head, "Connection: close", "", ""].join("\r\n"));
  client.write(body);
  return await client.closed();
}

const bodyIn = (received: string): string => received.slice(received.indexOf("\r\n\r\n") + 4);

test("there are routes with a body", () => {
  expect(READING.length).toBeGreaterThan(15);
});

describe("a body that is too large", () => {
  test.each(titled(READING))("is rejected by %s before it is sent, if its length is declared", async (_, route) => {
    const head = ["Content-Type: application/json", `Content-Length: ${BODY + 1}`];
    const received = await refusal(route.method, pathOf(route.paths[0]), head, "");
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(readErrorMessage(detectErrorFormat(route), bodyIn(received)), received).toContain(`${BODY} bytes`);
  });

  test.each(titled(READING))("is rejected by %s if it is chunked", async (_, route) => {
    const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
    const received = await refusal(
      route.method,
      pathOf(route.paths[0]),
      ["Transfer-Encoding: chunked"],
      `${chunk.repeat(6)}0\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(readErrorMessage(detectErrorFormat(route), bodyIn(received)), received).toContain(`${BODY} bytes`);
  });
});

describe("a compression bomb", () => {
  const bomb = `{"a":"${"0".repeat(1_000_000)}"}`;
  const folded: readonly (readonly [string, Uint8Array])[] = [
    ["gzip", gzipSync(bomb)],
    ["deflate", deflateSync(bomb)],
    ["br", brotliCompressSync(bomb)],
    ["zstd", zstdCompressSync(bomb)],
    ["gzip, gzip", gzipSync(gzipSync(bomb))],
  ];

  test.each(titled(JSON_READING))("is rejected by %s, with every encoding", async (_, route) => {
    for (const [encoding, bytes] of folded) {
      const reply = await sendAndRead(koine, {
        method: route.method,
        path: pathOf(route.paths[0]),
        headers: { "content-encoding": encoding },
        body: bytes,
      });
      expect(reply.status, `${encoding}: ${reply.text}`).toBe(413);
      expect(readErrorMessage(detectErrorFormat(route), reply.text)).toContain("after decoding");
    }
  });
});

describe("JSON that is nested too deep", () => {
  test.each(titled(JSON_READING))("is rejected by %s", async (_, route) => {
    const path = pathOf(route.paths[0]);
    for (const body of [
      "[".repeat(9000) + "]".repeat(9000),
      `${'{"a":'.repeat(60)}1${"}".repeat(60)}`,
      "[".repeat(19_000),
    ]) {
      const { status, text } = await sendAndRead(koine, { method: route.method, path, body });
      expect([400, 413], text).toContain(status);
      expect(readErrorMessage(detectErrorFormat(route), text), text).toBeDefined();
    }
  });
});

describe("headers and URLs that are too long or too many", () => {
  const get = (target: string, lines: readonly string[] = []): Promise<string> => refusal("GET", target, lines, "");

  test.each<[string, () => Promise<string>]>([
    [
      "many headers",
      () =>
        get(
          "/healthz",
          Array.from({ length: 100 }, (_, index) => `X-${index}: y`),
        ),
    ],
    [
      "the same header many times",
      () =>
        get(
          "/healthz",
          Array.from({ length: 100 }, () => "Accept: y"),
        ),
    ],
    ["one long header", () => get("/healthz", [`X-Long: ${"y".repeat(9000)}`])],
    ["a long header name", () => get("/healthz", [`${"x".repeat(9000)}: y`])],
    ["a long token", () => get("/v1/threads", [`Authorization: Bearer ${"y".repeat(9000)}`])],
    ["a long path", () => get(`/v1/threads/${"y".repeat(9000)}`)],
    ["a long query", () => get(`/v1/threads?before=${"y".repeat(9000)}`)],
    ["many query fields", () => get(`/v1/threads?${"a=1&".repeat(2500)}`)],
  ])("%s are rejected", async (_, received) => {
    const text = await received();
    expect(text).toMatch(/^HTTP\/1\.1 4(?:31|14) /);
    expect(readErrorMessage("koine", bodyIn(text)), text).toBeDefined();
  });

  test.each<[string, string]>([
    ["many query fields within the limit", `/v1/threads?${"a=1&".repeat(1500)}`],
    ["many path segments within the limit", `/${"a/".repeat(3000)}`],
    ["a path of slashes", "/".repeat(6000)],
    ["a path of dots", `/v1/${"../".repeat(1500)}etc/passwd`],
    ["a path of percent signs", `/v1/threads/${"%".repeat(3000)}`],
    ["a model with a long name", `/v1/models/${"m/".repeat(2500)}`],
    ["an id with line breaks and zeroes", "/v1/threads/%0d%0aset-cookie:%20a=b%00"],
  ])("%s are answered", async (_, target) => {
    const text = await get(target);
    expect(text).toMatch(/^HTTP\/1\.1 (?:200|400|404) /);
    expect(text).not.toMatch(/^set-cookie/im);
  });
});
