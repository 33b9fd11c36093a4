// Keys never appear in errors, attempts, deltas or causes, in any form in which a server repeats them.
import { describe, expect, test } from "vitest";
import type { Attempt, CallOptions, HttpProvider, Transport } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import { TransportError } from "../../src/calls/transport/transport-error.ts";
import type { Delta } from "../../src/index.ts";
import { user } from "../../src/index.ts";
import type { Responder } from "../../src/testkit/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { delta } from "../support/deltas.ts";
import { errorOf, readAll } from "./support/thrown-errors.ts";
import { refusal, streamReply } from "./support/provider-fixtures.ts";

/** Contains characters that JSON, URLs and headers escape. */
const SECRET = 'sk-"quoted"/+=0123456789';

type How = "complete" | "stream";

/** Returns everything that a caller can see of a failed call. */
async function collectExposed(
  respond: Responder,
  config: Partial<HttpProvider>,
  how: How,
  options: CallOptions = {},
): Promise<string> {
  const attempts: Attempt[] = [];
  const deltas: Delta[] = [];
  await using server = await replayServer(respond);
  const client = createClient({
    providers: { there: { dialect: "openai-chat", baseUrl: server.url, ...config } },
    onAttempt: (attempt) => attempts.push(attempt),
    retry: { attempts: 1 },
  });
  const request = { model: "there/m", messages: [user("?")] };
  const error = await errorOf(
    how === "complete"
      ? client.complete(request, options)
      : readAll(client.stream(request, options)).then(({ error: thrown, deltas: given }) => {
          deltas.push(...given);
          throw thrown ?? new Error("It did not fail.");
        }),
  );
  expect(JSON.stringify(server.requests.map(({ headers, query }) => [headers, query]))).toContain("0123456789");
  const causes: unknown[] = [];
  for (let cause: unknown = error; cause instanceof Error && causes.length < 9; cause = cause.cause) {
    causes.push(cause.message, cause.stack, Object.entries(cause));
  }
  return JSON.stringify([causes, error.error, error.partial, error.attempts, attempts, deltas]);
}

const complaint = { error: { message: `Incorrect API key provided: ${SECRET}`, [SECRET]: [SECRET] } };
const REPLIES: [title: string, respond: Responder, ways: How[]][] = [
  ["a refusal", () => ({ status: 401, body: complaint }), ["complete", "stream"]],
  ["an error that is no JSON", () => ({ status: 401, body: `no: ${SECRET}` }), ["complete", "stream"]],
  ["an error in JSON within JSON", () => ({ status: 400, body: { error: JSON.stringify(complaint) } }), ["complete"]],
  ["an error with status 200", () => ({ body: complaint }), ["complete", "stream"]],
  ["a reply that is no JSON", () => ({ body: `${SECRET} is no JSON` }), ["complete"]],
  ["a truncated answer", () => ({ body: `{"id":"x","said":${JSON.stringify(SECRET)},` }), ["complete"]],
  [
    "a page",
    () => ({ body: `<title>${SECRET}</title>`, headers: { "content-type": "text/html" } }),
    ["complete", "stream"],
  ],
  ["an event", () => ({ chunks: [`data: ${JSON.stringify(complaint)}\n\n`] }), ["complete", "stream"]],
  [
    "an event in the middle of an answer",
    () =>
      streamReply("openai-chat", [
        delta("start", { modelId: "m", requestId: "r" }),
        delta("text", { textDelta: "Down" }),
        delta("error", { errorCode: "server", message: `not with ${SECRET}` }),
      ]),
    ["complete", "stream"],
  ],
  [
    "a redirect",
    ({ query }) => ({
      status: 308,
      headers: { location: `https://x.example/y?${new URLSearchParams({ ...query, k: SECRET })}` },
    }),
    ["complete"],
  ],
  [
    "the request URL",
    ({ query }) => ({
      status: 404,
      body: { error: { message: `No ${new URLSearchParams(query)} ${encodeURIComponent(SECRET)}` } },
    }),
    ["complete"],
  ],
];

const SENT: [title: string, config: Partial<HttpProvider>, options?: CallOptions][] = [
  ["as the provider's key", { apiKey: SECRET }],
  ["as a key that is fetched", { apiKey: () => Promise.resolve(SECRET) }],
  ["in the provider's headers", { headers: { "X-Api-Key": SECRET } }],
  ["by its signer", { sign: () => ({ "x-signature": SECRET }) }],
  ["in its URL", { query: { sig: SECRET } }],
  ["in the call's headers", {}, { headers: { Authorization: `Bearer ${SECRET}` } }],
];

describe.each(SENT)("a key that is sent %s", (_, config, options) => {
  test.each(REPLIES.flatMap(([title, respond, ways]) => ways.map((how) => [title, how, respond] as const)))(
    "is not exposed if %s repeats it (%s)",
    async (__, how, respond) => {
      expect(await collectExposed(respond, config, how, options)).not.toContain("0123456789");
    },
  );
});

test("the redacted message still describes the error", async () => {
  const exposed = await collectExposed(() => ({ body: complaint }), { apiKey: SECRET }, "complete");
  expect(exposed).toContain("Incorrect API key provided: [key]");
});

test("values that are no secret stay in errors", async () => {
  const body = { error: { message: "There is no api-version 2024-10-21 at eastus." } };
  await using server = await replayServer({ "*": { status: 400, body } });
  const there: HttpProvider = {
    dialect: "openai-chat",
    baseUrl: server.url,
    query: { "api-version": "2024-10-21" },
    headers: { "x-region": "eastus" },
  };
  const error = await errorOf(createClient({ providers: { there } }).complete({ model: "m", messages: [user("?")] }));
  expect(error.message).toContain(body.error.message);
});

test("a redirect is reported without its credentials and query", async () => {
  const location = "https://user:word@elsewhere.example/v1?key=whatever#there";
  await using server = await replayServer({ "*": { status: 308, headers: { location } } });
  const there: HttpProvider = { dialect: "openai-chat", baseUrl: server.url };
  const error = await errorOf(createClient({ providers: { there } }).complete({ model: "m", messages: [user("?")] }));
  expect(error.message).toContain("https://elsewhere.example/v1;");
  expect(error.message).not.toMatch(/whatever|word/);
});

test.each(["send", "body"] as const)(
  "a custom transport that has the key in an error of %s does not expose it",
  async (where) => {
    const fail = (): never => {
      const cause = new Error(`GET /?key=${SECRET} failed`);
      throw new TransportError("network", `No way with ${SECRET}`, { stage: "body", cause });
    };
    async function* body(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("data: ");
      fail();
    }
    const transport: Transport = {
      send: async () =>
        where === "send" ? fail() : { status: 200, headers: {}, body: body(), discard: () => undefined },
      close: () => Promise.resolve(),
    };
    const there: HttpProvider = { dialect: "openai-chat", baseUrl: "http://127.0.0.1:9", apiKey: SECRET };
    const client = createClient({ providers: { there }, transport, retry: { attempts: 1 } });
    for (const call of [
      () => client.complete({ model: "m", messages: [user("?")] }),
      () => client.stream({ model: "m", messages: [user("?")] }).response(),
    ]) {
      const error = await errorOf(call());
      expect(error.code).toBe("network");
      const { cause } = error;
      expect([error.message, JSON.stringify(error.attempts), String(cause)].join(" ")).not.toContain("0123456789");
    }
  },
);

test("short keys that are common words stay in texts", async () => {
  await using server = await replayServer({
    "*": refusal("openai-chat", { kind: "server", message: "a test failed", status: 500 }),
  });
  const there: HttpProvider = { dialect: "openai-chat", baseUrl: server.url, apiKey: "test" };
  const client = createClient({ providers: { there }, retry: { attempts: 1 } });
  expect((await errorOf(client.complete({ model: "m", messages: [user("?")] }))).message).toContain("a test failed");
});

/** Returns the redacted error message of a server that repeats the request. */
async function leftOf(message: string, config: Partial<HttpProvider>, options: CallOptions = {}): Promise<string> {
  const reply = { status: 400, body: { error: { message } }, headers: { "x-request-id": `id of ${message}` } };
  await using server = await replayServer({ "*": reply });
  const there: HttpProvider = { dialect: "openai-chat", baseUrl: server.url, ...config };
  const client = createClient({ providers: { there } });
  const error = await errorOf(client.complete({ model: "m", messages: [user("?")] }, options));
  expect(error.attempts[0]?.requestId).toBe(`id of ${error.error?.message}`);
  return error.error?.message ?? "";
}

test.each<[what: string, message: string, config: Partial<HttpProvider>, options?: CallOptions]>([
  ["a value in the URL", "No deployment my-deployment-1.", { query: { deployment: "my-deployment-1" } }],
  ["an idempotency key", "Seen: call-0123456789.", {}, { headers: { "Idempotency-Key": "call-0123456789" } }],
  ["a short key", "The anything model is gone.", { apiKey: "anything" }],
])("%s is no secret", async (_, message, config, options) => {
  expect(await leftOf(message, config, options)).toBe(message);
});

test.each<[what: string, config: Partial<HttpProvider>]>([
  ["a cookie among others", { headers: { cookie: "lang=en; session=abc0123456789; theme=dark" } }],
  ["a signature", { sign: () => ({ authorization: "AWS4-HMAC-SHA256 Credential=AK/x, Signature=abc0123456789" }) }],
  ["a credential in the URL", { query: { "X-Amz-Credential": "abc0123456789" } }],
  ["a code in the URL", { query: { code: "abc0123456789" } }],
  ["a long key of letters", { apiKey: "abcdefghijklmnopqrst" }],
])("%s is a secret, also without its label", async (_, config) => {
  const secretText = "apiKey" in config ? "abcdefghijklmnopqrst" : "abc0123456789";
  expect(await leftOf(`Not with ${secretText}!`, config)).toBe("Not with [key]!");
});
