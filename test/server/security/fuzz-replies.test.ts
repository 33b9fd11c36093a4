// Thousands of corrupted provider replies, whole and streamed, for clients of every protocol: each client receives an
// answer or an error in its format, and every stream ends.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";
import { seededRandom } from "../../../src/testkit/index.ts";
import { type Case, IS_THOROUGH, judgeAll, SEED, startWatched, type WatchedServer } from "./fuzz.ts";
import { pick, type Random, spoilBytes, spoilJson, upTo } from "./mutate.ts";
import { httpReply, PROTOCOLS, rawUpstream, type RawReply, type RawUpstream } from "./raw-upstream.ts";
import { readErrorMessage, type ErrorFormat } from "./routes.ts";
import { send, type SentRequest, sendAndRead } from "./support.ts";
import { ENDINGS, ENDINGS_WITHIN, errorSeeds, replySeeds } from "./wire-seeds.ts";

const CASES = IS_THOROUGH ? 3500 : 300;
const SEEDS = new Map(
  PROTOCOLS.map((dialect) => [dialect, { replies: replySeeds(dialect), errors: errorSeeds(dialect) }]),
);
const ERROR_FORMATS: Readonly<Record<ClientProtocolId, ErrorFormat>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
  gemini: "gemini",
};

/** Replies by model name, which every request contains. */
const prepared = new Map<string, RawReply>();
let upstream: RawUpstream;
let watched: WatchedServer;
beforeAll(async () => {
  upstream = await rawUpstream(({ path, body }) => {
    const [model = ""] = /case-\d+/.exec(path + body) ?? [];
    return prepared.get(model) ?? { bytes: httpReply(404, {}, "{}") };
  });
  const providers = Object.fromEntries(PROTOCOLS.map((dialect) => [dialect, upstream.provider(dialect)]));
  watched = await startWatched({ providers, heartbeatMs: 5000 });
});
afterAll(async () => {
  await watched[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

// ---- The client's requests ----

function question(client: ClientProtocolId, model: string, stream: boolean, isList: boolean): SentRequest {
  const text = `A question to ${model}`;
  const messages = [{ role: "user", content: text }];
  const streamed = stream ? { stream } : {};
  switch (client) {
    case "openai-chat":
      return { method: "POST", path: "/v1/chat/completions", body: { model, messages, ...streamed } };
    case "openai-responses":
      return { method: "POST", path: "/v1/responses", body: { model, input: text, ...streamed } };
    case "anthropic":
      return { method: "POST", path: "/v1/messages", body: { model, max_tokens: 99, messages, ...streamed } };
    case "gemini": {
      const verb = stream ? `streamGenerateContent${isList ? "" : "?alt=sse"}` : "generateContent";
      return {
        method: "POST",
        path: `/v1beta/models/${model}:${verb}`,
        body: { contents: [{ role: "user", parts: [{ text }] }] },
      };
    }
  }
}

// ---- The provider's replies ----

const STATUSES = [
  200, 201, 204, 206, 301, 304, 307, 400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 529, 599,
] as const;
const TYPES = [
  "application/json",
  "text/event-stream",
  "text/html",
  "text/plain",
  "application/octet-stream",
  "",
  "x/y; charset=utf-7",
] as const;
const ODD_HEADERS: readonly [Record<string, string>, ...Record<string, string>[]] = [
  { "content-encoding": "gzip" },
  { "content-encoding": "br" },
  { "content-length": "7" },
  { "content-length": "999999" },
  { "content-length": "-1" },
  { "transfer-encoding": "chunked" },
  { "retry-after": "9".repeat(40) },
  { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT", "retry-after-ms": "NaN" },
  { location: "http://127.0.0.1:1/elsewhere" },
  { "x-request-id": "\u00e9\u0000".replace("\u0000", "?"), "request-id": "y".repeat(5000) },
  { "set-cookie": "a=b", "access-control-allow-origin": "*", "x-koine-thread": "theirs" },
];

/** Corrupts single events of a stream, or its bytes anywhere. */
function spoiltStream(stream: string, random: Random, other: string): { what: string; bytes: Uint8Array } {
  const rest = new Uint8Array(Buffer.from(other));
  if (random() < 0.5) return spoilBytes(new Uint8Array(Buffer.from(stream)), random, rest);
  const events = stream.split("\n\n").filter((event) => event !== "");
  const at = upTo(random, events.length - 1);
  const event = events[at] ?? "";
  const way = upTo(random, 4);
  if (way === 0) return { what: `event ${at} left out`, bytes: textBytes(events.toSpliced(at, 1)) };
  if (way === 1) return { what: `event ${at} twice`, bytes: textBytes(events.toSpliced(at, 0, event)) };
  if (way === 2) return { what: `event ${at} first`, bytes: textBytes([event, ...events]) };
  const [data] = /(?<=^data: )\{.*$/m.exec(event) ?? [];
  if (data === undefined) return { what: "ends early", bytes: textBytes(events.slice(0, at)) };
  const { what, bytes } = spoilJson(JSON.parse(data), random, rest);
  return {
    what: `event ${at}: ${what}`,
    bytes: textBytes(
      events.with(
        at,
        event.replace(data, () => Buffer.from(bytes).toString()),
      ),
    ),
  };
}

const textBytes = (events: readonly string[]): Uint8Array =>
  Buffer.from(events.map((event) => `${event}\n\n`).join(""));

interface SpoiltReply {
  what: string;
  reply: RawReply;
  /** The body of the reply. */
  replyText: string;
}

function replyFor(dialect: ClientProtocolId, stream: boolean, random: Random): SpoiltReply {
  const { replies = [], errors = [] } = SEEDS.get(dialect) ?? {};
  const seed = pick(random, replies as [(typeof replies)[number]]);
  const other = pick(random, replies as [(typeof replies)[number]]).stream;
  const isStream = random() < 0.95 ? stream : !stream;
  const isError = random() < 0.1;
  const spoilt = isError
    ? spoilJson(pick(random, errors as [object]), random, Buffer.from(other))
    : isStream
      ? spoiltStream(seed.stream, random, other)
      : spoilJson(seed.whole, random, Buffer.from(other));
  const usual = isStream && !isError ? "text/event-stream" : "application/json";
  const status = isError || random() < 0.1 ? pick(random, STATUSES) : 200;
  const type = random() < 0.92 ? usual : pick(random, TYPES);
  const headers = { "content-type": type, ...(random() < 0.1 && pick(random, ODD_HEADERS)) };
  const isFolded = "content-encoding" in headers && random() < 0.5;
  const whole = httpReply(status, headers, isFolded ? gzipSync(spoilt.bytes) : spoilt.bytes);
  const isBroken = random() < 0.08;
  // Sometimes the reply is not HTTP, or the connection breaks.
  const bytes = isBroken ? spoilBytes(whole, random, Buffer.from(other)).bytes : whole;
  const afterwards = random() < 0.03 ? "tear" : "close";
  const replyText = Buffer.from(isBroken ? bytes : spoilt.bytes).toString();
  return {
    replyText,
    what: `${status} ${JSON.stringify(headers)} ${isBroken ? "broken " : ""}${afterwards}: ${spoilt.what}`,
    reply: { bytes, afterwards },
  };
}

function caseOf(number: number): Case {
  const random = seededRandom(SEED + number);
  const client = pick(random, PROTOCOLS);
  const dialect = pick(random, PROTOCOLS);
  const stream = random() < 0.6;
  const isList = random() < 0.2;
  const model = `case-${number}`;
  const { what, reply, replyText } = replyFor(dialect, stream, random);
  const headers: Record<string, string> = random() < 0.5 ? { "x-koine-record": "off" } : {};
  return {
    what: `FUZZ_SEED=${SEED + number}: ${client} on ${dialect}, ${stream ? "stream" : "whole"} ${JSON.stringify(headers)}: ${what}\n  ${Buffer.from(reply.bytes).toString().slice(0, 1800)}`,
    errorFormat: ERROR_FORMATS[client],
    ending: (client === dialect ? ENDINGS_WITHIN : ENDINGS)[client],
    providerReply: replyText,
    isPassThrough: client === dialect && "x-koine-record" in headers,
    send() {
      prepared.set(model, reply);
      return send(watched.koine, { ...question(client, `${dialect}/${model}`, stream, isList), headers });
    },
  };
}

test("a failure within a Responses answer has OpenAI's envelope", async () => {
  const failed = { status: "failed", error: { code: "rate_limit_exceeded", message: "Too many questions." } };
  const whole = { ...SEEDS.get("openai-responses")?.replies[0]?.whole, ...failed };
  prepared.set("case-0", { bytes: httpReply(200, { "content-type": "application/json" }, JSON.stringify(whole)) });
  for (const client of ["openai-chat", "openai-responses"] as const) {
    const { status, text } = await sendAndRead(
      watched.koine,
      question(client, "openai-responses/case-0", false, false),
    );
    expect([status, readErrorMessage("openai", text)], text).toStrictEqual([429, "Too many questions."]);
  }
});

test(`${CASES} corrupted replies become an answer or an error`, { timeout: 600_000 }, async () => {
  const cases = (function* (): Generator<Case> {
    for (let number = 0; number < CASES; number++) yield caseOf(number);
  })();
  const { failures, statuses } = await judgeAll(cases);
  if (IS_THOROUGH) console.log("replies to spoilt replies, by status:", statuses);
  expect(failures.slice(0, 5)).toStrictEqual([]);
  expect(watched.faults().slice(0, 5)).toStrictEqual([]);
  expect(statuses[200]).toBeGreaterThan(CASES / 4);
  expect(statuses[502]).toBeGreaterThan(CASES / 50);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect((await sendAndRead(watched.koine, { method: "GET", path: "/readyz" })).status).toBe(200);
  expect((await sendAndRead(watched.koine, { method: "GET", path: "/v1/export" })).status).toBe(200);
});
