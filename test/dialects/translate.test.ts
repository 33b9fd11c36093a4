// Joining two dialects: errors in the reader's words, preflight, detection, streams.
import { describe, expect, test } from "vitest";
import { dialect } from "../../src/dialects/registry.ts";
import { checkRequest, detectDialect, translate } from "../../src/dialects/translate.ts";
import { DialectError } from "../../src/dialects/errors.ts";
import { assistant, user } from "../../src/model/message.ts";
import { PROVIDER_ERROR_KINDS } from "../../src/model/provider-error.ts";
import { thrown } from "../support/thrown.ts";

const PROVIDERS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
type Provider = (typeof PROVIDERS)[number];

describe("errors", () => {
  const bodies: Record<Provider, { wire: unknown; status: number }> = {
    "openai-chat": {
      wire: { error: { message: "No such key.", type: "invalid_request_error", param: null, code: "invalid_api_key" } },
      status: 401,
    },
    "openai-responses": {
      wire: { error: { message: "No such key.", type: "invalid_request_error", param: null, code: "invalid_api_key" } },
      status: 401,
    },
    anthropic: {
      wire: { type: "error", error: { type: "authentication_error", message: "No such key." }, request_id: "req_1" },
      status: 401,
    },
    gemini: { wire: { error: { code: 401, message: "No such key.", status: "UNAUTHENTICATED" } }, status: 401 },
  };
  const envelopes: Record<Provider, object> = {
    "openai-chat": { error: { type: "invalid_request_error", param: null, code: "invalid_api_key" } },
    "openai-responses": { error: { type: "invalid_request_error", param: null, code: "invalid_api_key" } },
    anthropic: { type: "error", error: { type: "authentication_error" } },
    gemini: { error: { code: 401, status: "UNAUTHENTICATED" } },
  };
  const pairs = PROVIDERS.flatMap((from) => PROVIDERS.map((to) => [from, to] as const));
  test.each(pairs)("B88: from %s to %s they are in the reader's envelope", (from, to) => {
    const { wire, status } = translate({ from, to, kind: "error", ...bodies[from] });
    expect(status).toBe(401);
    expect(wire).toMatchObject(envelopes[to]);
    expect(JSON.stringify(wire)).toContain("No such key.");
    if (from === to) expect(wire).toStrictEqual(bodies[from].wire);
    else if (!(from.startsWith("openai") && to.startsWith("openai")))
      expect(JSON.stringify(wire)).not.toContain("req_1");
  });

  test.each(PROVIDERS)("B88: a page of HTML becomes an envelope of %s", (to) => {
    const { wire, status } = translate({ from: to, to, kind: "error", wire: "<html>Bad gateway</html>", status: 502 });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(wire).toMatchObject({ error: { message: "<html>Bad gateway</html>" } });
  });

  test.each(PROVIDER_ERROR_KINDS)("B88: a status of another kind does not go out with %s", (kind) => {
    for (const to of PROVIDERS) {
      const { status } = dialect(to).encodeError({ kind, message: "m", status: 418 });
      expect(status === 418).toBe(kind === "invalid-request");
    }
  });
});

describe("preflight", () => {
  test("says what a target would not take, and changes nothing", () => {
    const request = { messages: [user("Hi."), assistant([{ type: "reasoning" as const, text: "Hm." }])] };
    const before = structuredClone(request);
    expect(checkRequest(request, "anthropic").map(({ code }) => code)).toContain("reasoning-unsaid");
    expect(checkRequest(request, dialect("gemini")).map(({ code }) => code)).toContain("reasoning-unsaid");
    expect(request).toStrictEqual(before);
  });
});

describe("detection", () => {
  const rows: [sentence: string, wire: unknown, found: ReturnType<typeof detectDialect>][] = [
    ["a Gemini request", { contents: [{ parts: [{ text: "Hi." }] }] }, { dialect: "gemini", kind: "request" }],
    [
      "an Anthropic answer",
      { id: "m", type: "message", role: "assistant", content: [], model: "c", stop_reason: "end_turn" },
      { dialect: "anthropic", kind: "response" },
    ],
    [
      "a Chat answer",
      { id: "c", object: "chat.completion", created: 1, model: "m", choices: [] },
      { dialect: "openai-chat", kind: "response" },
    ],
    [
      "a Responses answer",
      { id: "r", object: "response", created_at: 1, model: "m", output: [], status: "completed" },
      { dialect: "openai-responses", kind: "response" },
    ],
    [
      "an Anthropic error",
      { type: "error", error: { type: "overloaded_error", message: "m" } },
      { dialect: "anthropic", kind: "error" },
    ],
    [
      "a Gemini error",
      { error: { code: 503, message: "m", status: "UNAVAILABLE" } },
      { dialect: "gemini", kind: "error" },
    ],
    [
      "an OpenAI error, which two dialects say alike",
      { error: { message: "m", type: "server_error", param: null, code: null } },
      undefined,
    ],
    [
      "a request that could be two",
      { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi." }] },
      undefined,
    ],
    ["nothing of ours", { hello: "world" }, undefined],
    ["no object", [1, 2], undefined],
  ];
  test.each(rows)("%s", (_, wire, found) => {
    expect(detectDialect(wire)).toStrictEqual(found);
  });
});

describe("a payload", () => {
  test("may be asked of another model", () => {
    const wire = { messages: [{ role: "user", content: "Hi." }], model: "gpt" };
    const translated = translate({ from: "openai-chat", to: "gemini", kind: "request", wire, model: "gemini-3-pro" });
    expect(translated).toMatchObject({ address: { model: "gemini-3-pro" } });
  });

  test("may be a stream, in the dialects that carry one", () => {
    const events = [
      {
        runId: "r",
        seq: 0,
        kind: "start",
        payload: { modelId: "m", requestId: "q" },
        timestamp: "2026-01-02T03:04:05.000Z",
      },
      { runId: "r", seq: 1, kind: "done", payload: { finishReason: "stop" }, timestamp: "2026-01-02T03:04:05.000Z" },
    ];
    const { wire } = translate({ from: "run", to: "run", kind: "stream", wire: events });
    expect(wire).toHaveLength(2);
  });

  test("that is no list of events, or of a kind that nobody knows, is refused", () => {
    expect(thrown(DialectError, () => translate({ from: "run", to: "run", kind: "stream", wire: {} })).code).toBe(
      "wrong-type",
    );
    // Callers without types may say anything.
    const kind = "poem" as "request";
    expect(thrown(DialectError, () => translate({ from: "flat", to: "flat", kind, wire: [] })).code).toBe("wrong-type");
  });
});
