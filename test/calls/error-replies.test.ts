// Replies that are not an answer: every status in every dialect, bodies in unknown formats, and keys that must not appear in
// errors.
import { describe, expect, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { replayServer } from "../../src/testkit/index.ts";
import { isRetryable } from "../../src/index.ts";
import type { ProviderErrorKind } from "../../src/index.ts";
import { answer } from "../support/deltas.ts";
import { errorOf } from "./support/thrown-errors.ts";
import { leavingNothing } from "./support/leak-checks.ts";
import {
  clientAt,
  DIALECTS,
  KEY,
  providerAt,
  QUESTION,
  refusal,
  theirs,
  wholeBody,
} from "./support/provider-fixtures.ts";

const STATUSES: [status: number, kind: ProviderErrorKind][] = [
  [400, "invalid-request"],
  [401, "authentication"],
  [402, "quota"],
  [403, "permission"],
  [404, "not-found"],
  [408, "timeout"],
  [422, "invalid-request"],
  [429, "rate-limit"],
  [500, "server"],
  [502, "server"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
];

/** Statuses that are more specific than "invalid request", if the body is not. */
const SPECIFIC_STATUSES: [status: number, kind: ProviderErrorKind][] = [
  [409, "overloaded"],
  [410, "not-found"],
  [413, "context-length"],
  [425, "overloaded"],
];

describe.each(DIALECTS)("%s", (id) => {
  test.each(SPECIFIC_STATUSES)(
    "status %i is an error of its kind, and the fallback is called",
    async (status, kind) => {
      await using server = await replayServer({ "*": { status, body: { error: { message: "No." } } } });
      const here: LocalProvider = { answer: () => answer() };
      const client = createClient({ providers: { there: providerAt(server, id), here }, retry: { baseMs: 0 } });
      const result = await client.complete(QUESTION, { fallbacks: ["here/m"] });
      expect(result.provider).toBe("here");
      expect(result.attempts[0]).toMatchObject({ status, error: { kind } });
      expect(server.requests).toHaveLength(kind === "overloaded" ? 3 : 1);
    },
  );

  test.each(STATUSES)("status %i with the dialect's own body is an error of its kind", async (status, kind) => {
    const reply = refusal(id, { kind, message: "It was not to be.", status });
    await using server = await replayServer({ "*": { ...reply, headers: { "request-id": "req_2" } } });
    const expectedError = theirs(id).decodeError(reply.body, status);
    // Gemini has one status name for both.
    if (kind !== "quota" || id !== "gemini") expect(expectedError.kind).toBe(kind);
    const client = clientAt(server, id);
    for (const call of [() => client.complete(QUESTION), () => client.stream(QUESTION).response()]) {
      const error = await errorOf(call());
      expect(error.code).toBe(expectedError.kind);
      expect(error.error).toStrictEqual(expectedError);
      expect(error.message).toContain("It was not to be.");
      expect(error.status).toBe(status);
      const attempts = isRetryable(expectedError) ? 3 : 1;
      expect(error.attempts).toHaveLength(attempts);
      expect(error.attempts[0]).toMatchObject({ status, requestId: "req_2", error: { kind: expectedError.kind } });
    }
  });

  test.each([
    ["an empty body", { body: "" }],
    ["a text", { body: "upstream connect error" }],
    ["a page", { body: "<html><head><title>502 Bad Gateway</title></head></html>" }],
    ["a number", { body: "7" }],
    ["null", { body: "null" }],
    ["a list", { body: "[]" }],
    ["an unknown object", { body: { nothing: { to: "see" } } }],
    ["a truncated body", { body: '{"error":{"message":"cut', headers: { "content-length": "24" } }],
  ] as [string, Reply][])("a status with %s is an error with a message", async (_, reply) => {
    await using server = await replayServer({ "*": { status: 502, ...reply } });
    await leavingNothing(server, async () => {
      const error = await errorOf(clientAt(server, id).complete(QUESTION, { retry: { attempts: 1 } }));
      expect(error).toMatchObject({ code: "server", status: 502 });
      expect(error.error?.message).toMatch(/\S/);
      expect(error.message).not.toContain("<");
    });
  });

  const OK: [title: string, reply: Reply, kinds: ProviderErrorKind[]][] = [
    [
      "an error body",
      { body: { error: { message: "No luck.", type: "server_error", code: 500 } } },
      ["server", "unknown"],
    ],
    ["an empty body", { body: "" }, ["truncated"]],
    ["a truncated answer", { body: JSON.stringify(wholeBody(id)).slice(0, -40) }, ["truncated"]],
    ["an unknown object", { body: { status: "ok" } }, ["server"]],
    ["a text", { body: '"Hello."' }, ["server"]],
    [
      "a page",
      { body: "<!doctype html><title>Sign in</title>", headers: { "content-type": "text/html" } },
      ["unknown"],
    ],
  ];
  test.each(OK)("status 200 with %s is an error", async (_, reply, kinds) => {
    await using server = await replayServer({ "*": reply });
    const error = await errorOf(clientAt(server, id).complete(QUESTION));
    expect(kinds).toContain(error.code);
    expect(error.error?.message).toMatch(/\S/);
    expect(error.attempts.at(-1)).toMatchObject({ status: 200, error: { kind: error.code } });
  });

  test("B86: an error within a complete answer is thrown, with the partial answer", async () => {
    const failed = theirs(id).encodeError({ kind: "overloaded", message: "Too much to do." });
    await using server = await replayServer({ "*": { body: failed.wire as object } });
    const error = await errorOf(clientAt(server, id).complete(QUESTION));
    expect(error.error?.message).toContain("Too much to do.");
    expect(error.partial).toBeUndefined();
  });
});

test("a web page in place of a stream is reported with its title, and not retried", async () => {
  const reply = { body: "<title>Captive portal</title>", headers: { "content-type": "text/html; charset=utf-8" } };
  await using server = await replayServer({ "*": reply });
  const error = await errorOf(clientAt(server).stream(QUESTION).response());
  expect(error).toMatchObject({ code: "unknown" });
  expect(error.message).toContain("Captive portal");
  expect(error.message).toContain("base URL");
  expect(server.requests).toHaveLength(1);
});

test("a redirect is not followed because the key would be sent; the error names its target", async () => {
  await using server = await replayServer({
    "*": { status: 308, headers: { location: "https://elsewhere.example/v1" } },
  });
  const error = await errorOf(clientAt(server).complete(QUESTION));
  expect(error.message).toContain("https://elsewhere.example/v1");
  expect(server.requests).toHaveLength(1);
});

test("Bedrock's error header determines the kind", async () => {
  const headers = { "x-amzn-errortype": "ThrottlingException:http://internal.example/" };
  await using server = await replayServer({ "*": { status: 400, headers, body: { message: "Slow down." } } });
  const error = await errorOf(clientAt(server, "bedrock").complete(QUESTION));
  expect(error.code).toBe("rate-limit");
});

test("an endless error body is cut off, and its status counts", async () => {
  const reply: Reply = { status: 401, chunks: ["x".repeat(10), "y".repeat(10)], stall: 15 };
  await using server = await replayServer({ "*": reply });
  await leavingNothing(
    server,
    async () => {
      const error = await errorOf(clientAt(server).complete(QUESTION, { timeouts: { gapMs: 40 } }));
      expect(error.code).toBe("authentication");
    },
    0,
  );
});

test.each(DIALECTS)("%s: no error contains a key, in any form in which the server repeats it", async (id) => {
  await using server = await replayServer((request) => ({
    status: 401,
    body: { error: { message: `Wrong key ${KEY}`, seen: request.headers } },
  }));
  const error = await errorOf(clientAt(server, id).complete(QUESTION));
  expect(server.requests.some((request) => JSON.stringify(request.headers).includes(KEY))).toBe(true);
  expect(JSON.stringify([error, error.message, error.error, error.attempts, error.stack])).not.toContain(KEY);
  expect(error.message).toContain("[key]");
});
