// Rows of Anthropic responses and errors and their canonical form; detection of payloads, and rejected input.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { detectDialect } from "../../../src/dialects/index.ts";
import { user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { requireError } from "../../support/require-error.ts";

const dialect = anthropic();
const messages = [{ role: "user", content: "Hello." }];

describe("answers", () => {
  const answer = { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_sequence: null };
  const plain: Omit<ModelResponse, "finishReason"> = {
    id: "msg_1",
    model: "claude",
    message: { role: "assistant", parts: [] },
  };
  const usage = { input_tokens: 1, output_tokens: 2 };
  const counted = { inputTokens: 1, outputTokens: 2, totalTokens: 3, raw: usage };

  const ends: [wire: string, finishReason: ModelResponse["finishReason"]][] = [
    ["end_turn", { unified: "stop", raw: "end_turn" }],
    ["stop_sequence", { unified: "stop", raw: "stop_sequence" }],
    ["max_tokens", { unified: "length", raw: "max_tokens" }],
    ["model_context_window_exceeded", { unified: "length", raw: "model_context_window_exceeded" }],
    ["tool_use", { unified: "tool-calls", raw: "tool_use" }],
    ["pause_turn", { unified: "pause", raw: "pause_turn" }],
    ["compaction", { unified: "pause", raw: "compaction" }],
    ["refusal", { unified: "refusal", raw: "refusal" }],
  ];
  test.each(ends)("B61, B62: the stop reason %s round-trips", (stop_reason, finishReason) => {
    const wire = { ...answer, stop_reason, usage };
    const response = dialect.decodeResponse(wire);
    expect(response).toStrictEqual({ ...plain, finishReason, usage: counted });
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  test("B61: a null stop reason round-trips", () => {
    const wire = { ...answer, content: [{ type: "text", text: "Well" }], stop_reason: null, usage };
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual({ unified: "other" });
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  test("B49, B62: a refusal has the stop reason refusal", () => {
    const parts = [{ type: "refusal", text: "No." }] as const;
    const message = { role: "assistant" as const, parts: [...parts] };
    const ended = (unified: "stop" | "refusal"): unknown =>
      dialect.encodeResponse({ ...plain, message, finishReason: { unified } }).wire;
    expect(ended("refusal")).toMatchObject({ stop_reason: "refusal" });
    expect(ended("stop")).toMatchObject({ stop_reason: "end_turn" });
  });

  describe("B88: an error body instead of a response", () => {
    const wire = { type: "error", error: { type: "overloaded_error", message: "Busy." }, request_id: "req_1" };

    test("becomes a failed response, and round-trips", () => {
      const response = dialect.decodeResponse(wire);
      expect(response).toStrictEqual({
        id: "",
        model: "",
        message: { role: "assistant", parts: [] },
        finishReason: { unified: "error" },
        error: { kind: "overloaded", message: "Busy.", raw: { type: "error", error: wire.error } },
        extra: { anthropic: { $form: { body: "error" }, request_id: "req_1" } },
      });
      expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
    });

    const edits: [sentence: string, edit: Partial<ModelResponse>, wire: object, losses: string[]][] = [
      [
        "with another error",
        { error: { kind: "rate-limit", message: "Slow.", status: 429, retryable: true } },
        { type: "error", error: { type: "rate_limit_error", message: "Slow." }, request_id: "req_1" },
        ["field-unsupported /error/status", "field-unsupported /error/retryable"],
      ],
      [
        "with fields that an error body does not have",
        { id: "r", finishReason: { unified: "stop", raw: "STOP" }, createdAt: "2026-01-01T00:00:00Z" },
        wire,
        [
          "field-unsupported /id",
          "finish-reason-approximated /finishReason/unified",
          "raw-finish-reason-dropped /finishReason/raw",
          "metadata-dropped /createdAt",
        ],
      ],
      [
        "with content",
        { message: { role: "assistant", parts: [{ type: "text", text: "So." }] }, usage: counted },
        { type: "message", content: [{ type: "text", text: "So." }] },
        [
          "form-stale /extra/anthropic/$form/body",
          "finish-reason-approximated /finishReason/unified",
          "failure-unsupported /error",
        ],
      ],
    ];
    test.each(edits)("%s", (_, edit, written, losses) => {
      const encoded = dialect.encodeResponse({ ...dialect.decodeResponse(wire), ...edit });
      expect(encoded.wire).toMatchObject(written);
      expect(encoded.losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual(losses);
    });
  });

  test("B5: an opaque block is sent to its own provider only", () => {
    const block = { type: "moon_phase", phase: 3 };
    const [mine, other] = [anthropic({ provider: "prov-A" }), anthropic({ provider: "prov-B" })];
    const response = mine.decodeResponse({ ...answer, content: [block], stop_reason: "end_turn", usage });
    expect(response.message.parts[0]).toMatchObject({ issuer: { dialect: "anthropic", provider: "prov-A" } });
    expect(mine.encodeResponse(response).wire).toMatchObject({ content: [block] });
    const sent = other.encodeResponse(response);
    expect(sent.wire).toMatchObject({ content: [] });
    expect(sent.losses.map(({ code }) => code)).toStrictEqual(["opaque-not-portable"]);
  });

  test("text blocks of a foreign answer have the fields that the SDK's types require", () => {
    const message = { role: "assistant" as const, parts: [{ type: "text" as const, text: "So." }] };
    const foreign: ModelResponse = { ...plain, message, finishReason: { unified: "stop", raw: "stop" } };
    const content = [{ type: "text", text: "So.", citations: null }];
    expect(dialect.encodeResponse(foreign).wire).toMatchObject({ content });
    const strict = dialect.encodeResponse(foreign, { repair: false }).wire;
    expect(strict).toMatchObject({ content: [{ type: "text", text: "So." }] });
    expect(strict).not.toMatchObject({ content });
  });

  test("B62: an unknown stop reason is not a plain stop", () => {
    const wire = { ...answer, stop_reason: "moonrise", usage };
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual({ unified: "other", raw: "moonrise" });
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  test("B63, B64, B66: counts are inclusive in the model and disjoint on the wire", () => {
    const wire = {
      input_tokens: 12,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 55,
      output_tokens_details: { thinking_tokens: 21 },
      service_tier: "standard",
    };
    const response = dialect.decodeResponse({ ...answer, stop_reason: "end_turn", usage: wire });
    expect(response.usage).toStrictEqual({
      inputTokens: 442,
      outputTokens: 55,
      totalTokens: 497,
      cacheReadTokens: 400,
      cacheWriteTokens: 30,
      cacheWrite5mTokens: 10,
      cacheWrite1hTokens: 20,
      reasoningTokens: 21,
      extra: { anthropic: { service_tier: "standard" } },
      raw: wire,
    });
    expect(dialect.encodeResponse(response).wire).toMatchObject({ usage: wire });
  });

  test("B31: a call that was cut off is marked as invalid", () => {
    const content = ["toolu_1", "toolu_2"].map((id) => ({ type: "tool_use", id, name: "look", input: {} }));
    const wire = { ...answer, content, stop_reason: "max_tokens", usage };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts.map((part) => "invalid" in part)).toStrictEqual([false, true]);
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  test("B16, B30: renamed tools and ids are restored", () => {
    const request: ModelRequest = {
      messages: [user("Hello.")],
      tools: [{ type: "function", name: "look.up/all", inputSchema: { type: "object" } }],
      toolChoice: { toolName: "look.up/all" },
      sampling: { maxOutputTokens: 9 },
    };
    const { wire, names } = dialect.encodeRequest(request);
    const { tools, tool_choice } = wire as { tools: { name: string }[]; tool_choice: { name: string } };
    expect(tools[0]?.name).toMatch(/^look_up_all_\w+$/);
    expect(tool_choice.name).toBe(tools[0]?.name);
    const content = [{ type: "tool_use", id: "toolu_1", name: tools[0]?.name, input: {} }];
    const { message } = dialect.decodeResponse({ ...answer, content, stop_reason: "tool_use" }, { names });
    expect(message.parts[0]).toMatchObject({ toolName: "look.up/all" });
  });

  test("B15, B61: reasoning of another provider becomes thinking, and its finish reason a stop reason", () => {
    const { wire, losses } = dialect.encodeResponse({
      id: "r",
      model: "m",
      message: {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "So." },
        ],
      },
      finishReason: { unified: "length", raw: "MAX_TOKENS" },
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    });
    expect(wire).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "" },
        { type: "text", text: "So." },
      ],
      stop_reason: "max_tokens",
    });
    expect(losses.map(({ code }) => code)).toStrictEqual(["raw-finish-reason-dropped", "usage-synthesized"]);
  });
});

describe("B88: errors", () => {
  const rows: [sentence: string, wire: unknown, status: number | undefined, error: object][] = [
    [
      "a type",
      { type: "error", error: { type: "rate_limit_error", message: "Slow." } },
      429,
      { kind: "rate-limit", message: "Slow." },
    ],
    [
      "an overlong prompt is recognized by its message",
      { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 3 > 2" } },
      400,
      { kind: "context-length" },
    ],
    [
      "the status decides if the type is unknown",
      { type: "error", error: { type: "odd", message: "Hm." } },
      529,
      { kind: "overloaded" },
    ],
    [
      "an error message that an SDK formatted",
      { error: "ValidationException: no" },
      400,
      { kind: "invalid-request", message: "ValidationException: no" },
    ],
    ["a text", "<html>Bad gateway</html>", 502, { kind: "server", message: "<html>Bad gateway</html>" }],
    ["no body", undefined, undefined, { kind: "unknown", message: "" }],
    [
      "the retry delay is read from the message",
      { type: "error", error: { type: "overloaded_error", message: "Please try again in 2s." } },
      529,
      { retryAfterMs: 2000 },
    ],
  ];
  test.each(rows)("%s", (_, wire, status, error) => {
    expect(dialect.decodeError(wire, status)).toMatchObject(error);
  });

  test("an error of another provider is encoded with Anthropic's body and status", () => {
    const error = { kind: "overloaded", message: "Busy.", status: 503, raw: { error: { code: 503 } } } as const;
    expect(dialect.encodeError(error)).toStrictEqual({
      status: 529,
      wire: { type: "error", error: { type: "overloaded_error", message: "Busy." } },
    });
  });
});

describe("a payload is detected if no other dialect can have it", () => {
  const rows: [sentence: string, wire: object, kind: string | undefined][] = [
    ["`system` beside the messages", { system: "Be brief.", messages }, "request"],
    ["a version in the body", { anthropic_version: "vertex-2023-10-16", messages }, "request"],
    ["a tool with `input_schema`", { messages, tools: [{ name: "f", input_schema: {} }] }, "request"],
    ["a tool_result block", { messages: [{ role: "user", content: [{ type: "tool_result" }] }] }, "request"],
    ["messages alone are ambiguous", { model: "m", max_tokens: 1, messages }, undefined],
    ["an answer", { type: "message", role: "assistant", content: [], stop_reason: null }, "response"],
    ["an item of another dialect is not a response", { type: "message", role: "assistant", content: [] }, undefined],
    ["an event", { type: "content_block_delta", index: 0 }, "stream"],
    ["an error", { type: "error", error: { type: "api_error", message: "" } }, "error"],
    [
      "an error with a code is of another dialect",
      { type: "error", error: { type: "api_error", code: "x" } },
      undefined,
    ],
  ];
  test.each(rows)("%s", (_, wire, kind) => {
    expect(dialect.detectKind(wire)).toBe(kind);
    if (kind !== undefined) expect(detectDialect(wire)).toStrictEqual({ dialect: "anthropic", kind });
  });
});

describe("invalid input is rejected with its path", () => {
  const rows: [sentence: string, step: () => unknown, path: string, code: string][] = [
    ["a request that is a list", () => dialect.decodeRequest([]), "", "wrong-type"],
    ["a request without messages", () => dialect.decodeRequest({}), "/messages", "missing-field"],
    ["a message without a role", () => dialect.decodeMessages([{ content: "" }]), "/0/role", "missing-field"],
    [
      "content that is a number",
      () => dialect.decodeMessages([{ role: "user", content: 7 }]),
      "/0/content",
      "wrong-type",
    ],
    [
      "a block that is a number",
      () => dialect.decodeMessages([{ role: "user", content: [7] }]),
      "/0/content/0",
      "wrong-type",
    ],
    [
      "a block within a result",
      () =>
        dialect.decodeMessages([{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [7] }] }]),
      "/0/content/0/content/0",
      "wrong-type",
    ],
    [
      "system text that is a number",
      () => dialect.decodeMessages({ system: 7, messages: [] }),
      "/system",
      "wrong-type",
    ],
    ["settings beside messages", () => dialect.decodeMessages({ model: "m", messages: [] }), "/model", "wrong-type"],
    ["a tool that is a number", () => dialect.decodeRequest({ messages: [], tools: [7] }), "/tools/0", "wrong-type"],
    [
      "an error without a body instead of a response",
      () => dialect.decodeResponse({ type: "error" }),
      "/content",
      "missing-field",
    ],
  ];
  test.each(rows)("%s", (_, step, path, code) => {
    const error = requireError(DialectError, step);
    expect([error.path, error.code]).toStrictEqual([path, code]);
  });
});
