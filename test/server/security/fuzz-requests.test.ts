// Thousands of corrupted bodies for every endpoint with a body: rejected or answered in the client's format, never with
// an internal error.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";
import type { Route } from "../../../src/server/types.ts";
import { seededRandom } from "../../../src/testkit/index.ts";
import { BODIES, type AttackerData } from "./attacks.ts";
import type { TenantIds } from "./tenant-data.ts";
import { type Case, IS_THOROUGH, judgeAll, SEED, startWatched, type WatchedServer } from "./fuzz.ts";
import { pick, type Random, type Spoilt, spoilBytes, spoilJson } from "./mutate.ts";
import { httpReply, PROTOCOLS, rawUpstream, type RawUpstream } from "./raw-upstream.ts";
import { readErrorMessage, ROUTES, detectErrorFormat } from "./routes.ts";
import { send, jsonOf, type SentRequest, sendAndRead, textAt } from "./support.ts";
import { ENDINGS, replySeeds, requestSeeds } from "./wire-seeds.ts";

const CASES = IS_THOROUGH ? 7000 : 500;
const ENDPOINTS: Readonly<Record<string, ClientProtocolId>> = {
  createChatCompletion: "openai-chat",
  createResponse: "openai-responses",
  createMessage: "anthropic",
  countMessageTokens: "anthropic",
  generateContent: "gemini",
  streamGenerateContent: "gemini",
  countTokens: "gemini",
};
/** As text, because each case needs its own copy. */
const REQUESTS = new Map(
  PROTOCOLS.map((dialect) => [dialect, requestSeeds(dialect, "m").map((body) => JSON.stringify(body))]),
);
const seedText = (random: Random, dialect: ClientProtocolId): string => pick(random, REQUESTS.get(dialect) as [string]);
const REPLIES = new Map(PROTOCOLS.map((dialect) => [dialect, replySeeds(dialect)[0]]));

let upstream: RawUpstream;
let watched: WatchedServer;
let own: AttackerData;
let exported = "";
beforeAll(async () => {
  upstream = await rawUpstream(({ path, body }) => {
    const reply = REPLIES.get(pathDialect(path));
    if (/count_?tokens/i.test(path)) return { bytes: httpReply(200, {}, '{"input_tokens":5,"totalTokens":5}') };
    const isStream = path.includes("streamGenerateContent") || /"stream":\s*true/.test(body);
    const type = isStream ? "text/event-stream" : "application/json";
    return {
      bytes: httpReply(200, { "content-type": type }, isStream ? (reply?.stream ?? "") : JSON.stringify(reply?.whole)),
    };
  });
  const providers = Object.fromEntries(PROTOCOLS.map((dialect) => [dialect, upstream.provider(dialect)]));
  watched = await startWatched({ providers: { demo: demo(), ...providers }, limits: { bodyBytes: 200_000 } });
  own = await makeOwn();
});
afterAll(async () => {
  await watched[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const pathDialect = (path: string): ClientProtocolId =>
  PROTOCOLS.find((each) => path.startsWith(`/${each}/`)) ?? "anthropic";

async function makeOwn(): Promise<AttackerData> {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> =>
    jsonOf(await sendAndRead(watched.koine, { method: "POST", path, body }));
  const thread = textAt(
    await post("/v1/threads", { messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }] }),
    "id",
  );
  const run = await post(`/v1/threads/${thread}/regenerate`, {});
  const response = textAt(await post("/v1/responses", { model: "demo/koine", input: "Hi" }), "id");
  const task = textAt(await post("/v1/task", {}), "task", "id");
  exported = (await sendAndRead(watched.koine, { method: "GET", path: `/v1/export?thread=${thread}` })).text;
  return {
    thread,
    message: textAt(run, "messages", 0, "id"),
    run: textAt(run, "run", "id"),
    response,
    task,
    chat: "chat",
  };
}

// ---- The sent bodies ----

const USUAL_TYPE = "application/json";
const TYPES = [
  "",
  "text/plain",
  `${USUAL_TYPE}; charset=utf-16`,
  "multipart/form-data; boundary=x",
  "image/png",
  "x",
] as const;
const MODELS = ["demo/koine", ...PROTOCOLS.map((dialect) => `${dialect}/m`)] as const;
const ODD_MODELS = ["unknown/m", "", "/", "demo/", "../m", "__proto__", "anthropic/\u0000", "x".repeat(999)] as const;

/** Headers, most of them valid. */
function headersFor(random: Random): Record<string, string> {
  const headers: Record<string, string> = { "content-type": random() < 0.9 ? USUAL_TYPE : pick(random, TYPES) };
  const maybe = (share: number, name: string, values: readonly [string, ...string[]]): void => {
    if (random() < share) headers[name] = pick(random, values);
  };
  maybe(0.5, "x-koine-record", ["off", "on", "maybe"]);
  maybe(0.5, "x-koine-on-breaks", ["send", "refuse", "?"]);
  maybe(0.1, "x-koine-thread", ["odd", own.thread, own.task, "a b/c", "x".repeat(2000), "__proto__", "é"]);
  maybe(0.1, "idempotency-key", ["k", "k2", "x".repeat(2000), ":", "__proto__"]);
  maybe(0.1, "anthropic-version", ["2023-06-01", "never"]);
  maybe(0.1, "anthropic-beta", ["none", "a,b,,c", "x".repeat(500)]);
  maybe(0.1, "traceparent", ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "nonsense", "00-0-0-0"]);
  maybe(0.1, "accept", ["text/event-stream", "*/*"]);
  maybe(0.05, "content-encoding", ["gzip", "br", "identity", "gzip, br", "rot13", "__proto__"]);
  return headers;
}

const TENANT_IDS: TenantIds = Object.fromEntries(
  ["tenantText", "blob"].map((name) => [name, name]),
) as unknown as TenantIds;

/** Returns a valid body of a route, and its path. */
function seedFor({ paths: [path], operation }: Route, random: Random): { path: string; body: unknown } {
  const endpoint = ENDPOINTS[operation.id];
  const model = random() < 0.9 ? pick(random, MODELS) : pick(random, ODD_MODELS);
  if (endpoint !== undefined) {
    const body = JSON.parse(seedText(random, endpoint)) as Record<string, unknown>; // a request is an object
    if ("model" in body) body["model"] = model;
    if (random() < 0.5 && endpoint !== "gemini") body["stream"] = true;
    const query = operation.id === "streamGenerateContent" && random() < 0.5 ? "?alt=sse" : "";
    return { path: path.replace("*model", encodeURIComponent(model || "none")) + query, body };
  }
  const kinds: Record<string, string> = { threads: own.thread, responses: own.response, task: own.task, runs: own.run };
  const filled = path.replace(/(?<=\/):\w+/, kinds[path.split("/")[2] ?? ""] ?? "none");
  if (operation.id === "importThreads") return { path: filled, body: exported };
  return {
    path: filled,
    body: pick(random, (BODIES[operation.id]?.(own.message, TENANT_IDS, own) ?? [{}]) as [unknown]),
  };
}

function spoil(body: unknown, random: Random): Spoilt {
  const other = new Uint8Array(Buffer.from(seedText(random, pick(random, PROTOCOLS))));
  if (typeof body !== "string") return spoilJson(body, random, other);
  // Corrupts one of the lines, or the text anywhere.
  const lines = body.split("\n").filter((line) => line !== "");
  const at = Math.floor(random() * lines.length);
  if (lines[at]?.startsWith("{") !== true || random() < 0.3)
    return spoilBytes(new Uint8Array(Buffer.from(body)), random, other);
  const { what, bytes } = spoilJson(JSON.parse(lines[at] ?? ""), random, other);
  const spoilt = lines.with(at, Buffer.from(bytes).toString()).join("\n");
  return { what: `line ${at}: ${what}`, bytes: new Uint8Array(Buffer.from(spoilt)) };
}

function caseOf(number: number, routes: readonly [Route, ...Route[]]): Case {
  const random = seededRandom(SEED + number);
  const route = pick(random, routes);
  const { path, body } = seedFor(route, random);
  const { what, bytes } = spoil(body, random);
  const headers = headersFor(random);
  const sent: SentRequest = {
    method: route.method,
    path,
    headers,
    body: headers["content-encoding"] === "gzip" ? gzipSync(bytes) : bytes,
  };
  const endpoint = ENDPOINTS[route.operation.id];
  return {
    what: `FUZZ_SEED=${SEED + number}: ${route.operation.id} ${path} ${JSON.stringify(headers)}: ${what}\n  ${Buffer.from(bytes).toString().slice(0, 1500)}`,
    errorFormat: detectErrorFormat(route),
    ending: endpoint && ENDINGS[endpoint],
    send: () => send(watched.koine, sent),
  };
}

const TAKING = ROUTES.filter(({ method }) => method !== "GET" && method !== "DELETE") as unknown as readonly [
  Route,
  ...Route[],
];

// A rejected request must not reach the provider, because it would cost money.
test.each([
  ["an unknown field", '"odd":1e400', "/odd"],
  ["one within such a field", '"odd":{"list":[1,-1e999]}', "/odd/list/1"],
  ["a setting", '"temperature":1e400', "/sampling/temperature"],
])("a number that cannot be stored is the client's error in %s, and no provider is called", async (_, field, path) => {
  const before = upstream.questions.length;
  const body = `{"model":"openai-chat/m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],${field}}`;
  const sent: SentRequest = { method: "POST", path: "/v1/messages", body };
  const { status, text } = await sendAndRead(watched.koine, sent);
  expect(status, text).toBe(400);
  expect(readErrorMessage("anthropic", text)).toContain(`At "${path}"`);
  expect(upstream.questions.length).toBe(before);
});

test(`${CASES} corrupted bodies are rejected or answered`, { timeout: 600_000 }, async () => {
  const cases = (function* (): Generator<Case> {
    for (let number = 0; number < CASES; number++) yield caseOf(number, TAKING);
  })();
  const { failures, statuses } = await judgeAll(cases);
  if (IS_THOROUGH) console.log("replies to spoilt bodies, by status:", statuses);
  expect(failures.slice(0, 5)).toStrictEqual([]);
  expect(watched.faults().slice(0, 5)).toStrictEqual([]);
  // Both extremes occur: rejected and accepted bodies.
  expect(statuses[200]).toBeGreaterThan(CASES / 50);
  expect(statuses[400]).toBeGreaterThan(CASES / 10);
  // No prototype was polluted, and the server still works.
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect((await sendAndRead(watched.koine, { method: "GET", path: "/readyz" })).status).toBe(200);
  expect((await sendAndRead(watched.koine, { method: "GET", path: "/v1/export" })).status).toBe(200);
});
