// Thousands of spoilt replies of providers, whole and streamed, for clients of every protocol: each client hears an
// answer or an error in its own words, and every stream has an end.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DoorId } from "../../../src/server/gateway/doors.ts";
import { seededRandom } from "../../../src/testkit/index.ts";
import { type Case, IS_THOROUGH, judgeAll, SEED, startWatched, type Watched } from "./fuzz.ts";
import { pick, type Random, spoilBytes, spoilJson, upTo } from "./mutate.ts";
import { httpReply, PROTOCOLS, rawUpstream, type RawReply, type RawUpstream } from "./raw-upstream.ts";
import { messageIn, type Words } from "./routes.ts";
import { ask, type Sent, tell } from "./support.ts";
import { ENDINGS, ENDINGS_WITHIN, errorSeeds, replySeeds } from "./wire-seeds.ts";

const CASES = IS_THOROUGH ? 3500 : 300;
const SEEDS = new Map(
  PROTOCOLS.map((dialect) => [dialect, { replies: replySeeds(dialect), errors: errorSeeds(dialect) }]),
);
const WORDS: Readonly<Record<DoorId, Words>> = {
  "openai-chat": "openai",
  "openai-responses": "openai",
  anthropic: "anthropic",
  gemini: "gemini",
};

/** By the name of the model, which stands in every request: what is said to it. */
const prepared = new Map<string, RawReply>();
let upstream: RawUpstream;
let watched: Watched;
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

// ---- What the client asks ----

function question(client: DoorId, model: string, stream: boolean, isList: boolean): Sent {
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

// ---- What the provider says ----

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

/** The bytes of a stream whose events were spoilt one by one, or all of it anywhere. */
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
  /** Its body. */
  said: string;
}

function replyFor(dialect: DoorId, stream: boolean, random: Random): SpoiltReply {
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
  // Now and then it is no HTTP any more, or the connection does not live to its end.
  const bytes = isBroken ? spoilBytes(whole, random, Buffer.from(other)).bytes : whole;
  const afterwards = random() < 0.03 ? "tear" : "close";
  const said = Buffer.from(isBroken ? bytes : spoilt.bytes).toString();
  return {
    said,
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
  const { what, reply, said } = replyFor(dialect, stream, random);
  const headers: Record<string, string> = random() < 0.5 ? { "x-koine-record": "off" } : {};
  return {
    what: `FUZZ_SEED=${SEED + number}: ${client} on ${dialect}, ${stream ? "stream" : "whole"} ${JSON.stringify(headers)}: ${what}\n  ${Buffer.from(reply.bytes).toString().slice(0, 1800)}`,
    words: WORDS[client],
    ending: (client === dialect ? ENDINGS_WITHIN : ENDINGS)[client],
    theirs: said,
    isUnread: client === dialect && "x-koine-record" in headers,
    send() {
      prepared.set(model, reply);
      return ask(watched.koine, { ...question(client, `${dialect}/${model}`, stream, isList), headers });
    },
  };
}

test("the failure within an answer of Responses is told in OpenAI's envelope", async () => {
  const failed = { status: "failed", error: { code: "rate_limit_exceeded", message: "Too many questions." } };
  const whole = { ...SEEDS.get("openai-responses")?.replies[0]?.whole, ...failed };
  prepared.set("case-0", { bytes: httpReply(200, { "content-type": "application/json" }, JSON.stringify(whole)) });
  for (const client of ["openai-chat", "openai-responses"] as const) {
    const { status, text } = await tell(watched.koine, question(client, "openai-responses/case-0", false, false));
    expect([status, messageIn("openai", text)], text).toStrictEqual([429, "Too many questions."]);
  }
});

test(`${CASES} spoilt replies are answered or told of`, { timeout: 600_000 }, async () => {
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
  expect((await tell(watched.koine, { method: "GET", path: "/readyz" })).status).toBe(200);
  expect((await tell(watched.koine, { method: "GET", path: "/v1/export" })).status).toBe(200);
});
