// Translation between two dialects: errors, preflight, detection and streams.
import { describe, expect, test } from "vitest";
import { dialect } from "../../../src/dialects/registry.ts";
import { transcode, transcodeStream } from "../../../src/dialects/transcode.ts";
import { checkRequest, detectDialect, translate } from "../../../src/dialects/translate.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { assistant, user } from "../../../src/model/message.ts";
import { PROVIDER_ERROR_KINDS } from "../../../src/model/provider-error.ts";
import { requireError } from "../../support/require-error.ts";

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
  test.each(pairs)("B88: errors from %s to %s are in the envelope of the target", (from, to) => {
    const { wire, status } = translate({ from, to, kind: "error", ...bodies[from] });
    expect(status).toBe(401);
    expect(wire).toMatchObject(envelopes[to]);
    expect(JSON.stringify(wire)).toContain("No such key.");
    if (from === to) expect(wire).toStrictEqual(bodies[from].wire);
    else if (!(from.startsWith("openai") && to.startsWith("openai")))
      expect(JSON.stringify(wire)).not.toContain("req_1");
  });

  test.each(PROVIDERS)("B88: an HTML page becomes an error of %s", (to) => {
    const { wire, status } = translate({ from: to, to, kind: "error", wire: "<html>Bad gateway</html>", status: 502 });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(wire).toMatchObject({ error: { message: "<html>Bad gateway</html>" } });
  });

  test.each(PROVIDER_ERROR_KINDS)("B88: %s is not sent with a status of another kind", (kind) => {
    for (const to of PROVIDERS) {
      const { status } = dialect(to).encodeError({ kind, message: "m", status: 418 });
      expect(status === 418).toBe(kind === "invalid-request");
    }
  });
});

describe("preflight", () => {
  test("lists the losses for a target and changes no value", () => {
    const request = { messages: [user("Hi."), assistant([{ type: "reasoning" as const, text: "Hm." }])] };
    const before = structuredClone(request);
    expect(checkRequest(request, "anthropic").map(({ code }) => code)).toContain("reasoning-unsupported");
    expect(checkRequest(request, dialect("gemini")).map(({ code }) => code)).toContain("reasoning-unsupported");
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
      "an OpenAI error, which is equal in two dialects",
      { error: { message: "m", type: "server_error", param: null, code: null } },
      undefined,
    ],
    [
      "a request of two possible dialects",
      { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi." }] },
      undefined,
    ],
    ["an unknown object", { hello: "world" }, undefined],
    ["no object", [1, 2], undefined],
  ];
  test.each(rows)("%s", (_, wire, found) => {
    expect(detectDialect(wire)).toStrictEqual(found);
  });
});

describe("a payload", () => {
  test("can be sent to another model", () => {
    const wire = { messages: [{ role: "user", content: "Hi." }], model: "gpt" };
    const translated = translate({ from: "openai-chat", to: "gemini", kind: "request", wire, model: "gemini-3-pro" });
    expect(translated).toMatchObject({ address: { model: "gemini-3-pro" } });
  });

  test("can be a stream, in the dialects that support streams", () => {
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

  test("that is not a list of events, or of an unknown kind, is rejected", () => {
    expect(requireError(DialectError, () => translate({ from: "run", to: "run", kind: "stream", wire: {} })).code).toBe(
      "wrong-type",
    );
    // Callers without static types may pass any value.
    const kind = "poem" as "request";
    const error = requireError(DialectError, () => translate({ from: "flat", to: "flat", kind, wire: [] }));
    expect(error.code).toBe("unknown-kind");
    expect(error.message).toContain("request, response, stream, error, messages");
  });

  test("can be a list of messages", () => {
    const { wire, losses } = translate({
      from: "tagged",
      to: "openai-chat",
      kind: "messages",
      wire: [{ role: "User", content: [{ kind: "TEXT", text: "Hi." }] }],
    });
    expect(wire).toStrictEqual([{ role: "user", content: "Hi." }]);
    expect(losses).toStrictEqual([]);
  });

  test("is detected if only one dialect matches", () => {
    const wire = { contents: [{ role: "user", parts: [{ text: "Hi." }] }] };
    expect(translate({ to: "openai-chat", wire })).toMatchObject({
      wire: { messages: [{ role: "user", content: "Hi." }] },
    });
    const answer = { id: "m", type: "message", role: "assistant", content: [], model: "c", stop_reason: "end_turn" };
    expect(translate({ from: "anthropic", to: "openai-chat", wire: answer })).toMatchObject({
      wire: { object: "chat.completion" },
    });
  });

  test.each([
    ["from", { to: "gemini", wire: { model: "m", messages: [] } }, "unknown-dialect", "openai-chat, openai-responses"],
    ["kind", { from: "flat", to: "gemini", wire: [] }, "unknown-kind", "request, response"],
    ["from", { from: "klingon", to: "gemini", kind: "request", wire: {} }, "unknown-dialect", "openai-chat"],
  ] as const)("without a detectable `%s` names the valid values", (_, options, code, values) => {
    const error = requireError(DialectError, () => translate(options));
    expect(error.code).toBe(code);
    expect(error.message).toContain(values);
  });
});

describe("transcodeStream", () => {
  test("pipes the bytes of a fetch body like transcode", async () => {
    const events = dialect("anthropic").streamEncoder();
    const chunks = [
      events.push({ kind: "start", payload: { modelId: "m", requestId: "q" } }),
      events.push({ kind: "text", payload: { textDelta: "Grüße." } }),
      events.push({ kind: "done", payload: { finishReason: "stop" } }),
      events.end(),
    ].flatMap((list) => list.map((event) => String(dialect("anthropic").formatEvent(event))));
    const bytes = new TextEncoder().encode(chunks.join(""));
    const transcoder = transcode("anthropic", "openai-chat");
    const expected = String(transcoder.push(bytes)) + String(transcoder.end());
    const stream = transcodeStream("anthropic", "openai-chat");
    const body = new Blob([bytes.subarray(0, 200), bytes.subarray(200)]).stream().pipeThrough(stream);
    expect(await new Response(body).text()).toBe(expected);
    expect(stream.losses).toStrictEqual(transcoder.losses);
  });
});
