// Tests decoding of Responses requests, answers and errors: wire on the left, model on the right.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";

const dialect = openaiResponses();

describe("requests", () => {
  const rows: [sentence: string, wire: object, request: Partial<ModelRequest>][] = [
    [
      "settings",
      { temperature: 0.5, top_p: 0.25, max_output_tokens: 9, top_logprobs: 2, stream: true, metadata: { a: "b" } },
      {
        sampling: { temperature: 0.5, topP: 0.25, maxOutputTokens: 9, topLogprobs: 2 },
        stream: true,
        metadata: { a: "b" },
      },
    ],
    ["log probabilities", { include: ["message.output_text.logprobs"] }, { sampling: { logprobs: true } }],
    ["reasoning", { reasoning: { effort: "low", summary: "auto" } }, { reasoning: { effort: "low", summary: "auto" } }],
    ["JSON", { text: { format: { type: "json_object" } } }, { output: { type: "json" } }],
    [
      "a JSON schema",
      { text: { format: { type: "json_schema", name: "n", schema: {}, strict: true } } },
      { output: { type: "json-schema", name: "n", schema: {}, strict: true } },
    ],
    [
      "B52: a tool without parameters is preserved",
      { tools: [{ type: "function", name: "f", parameters: null, strict: false }] },
      { tools: [{ type: "function", name: "f", strict: false }] },
    ],
    [
      "B32: a custom tool with a grammar",
      { tools: [{ type: "custom", name: "f", format: { type: "grammar", syntax: "lark", definition: "x" } }] },
      { tools: [{ type: "function", name: "f", format: "text", grammar: { syntax: "lark", definition: "x" } }] },
    ],
    [
      "a provider tool",
      { tools: [{ type: "web_search" }] },
      { tools: [{ type: "provider", dialect: "openai-responses", name: "web_search", value: { type: "web_search" } }] },
    ],
    ["B54: the tool choice none", { tool_choice: "none" }, { toolChoice: "none" }],
    ["B54: one forced function", { tool_choice: { type: "function", name: "f" } }, { toolChoice: { toolName: "f" } }],
    [
      "B54: allowed functions",
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] } },
      { toolChoice: { toolNames: ["f"], mode: "auto" } },
    ],
    [
      "parameters that only OpenAI has",
      { store: false, user: null },
      { extra: { "openai-responses": { store: false, user: null } } },
    ],
  ];
  test.each(rows)("%s", (_, wire, request) => {
    expect(dialect.decodeRequest({ input: [], ...wire })).toStrictEqual({ messages: [], ...request });
  });
});

describe("B5: an opaque part returns to its issuer", () => {
  const rows: [place: string, item: object][] = [
    ["an item", { type: "aura", id: "x" }],
    ["a block of an answer", { role: "assistant", content: [{ type: "aura" }] }],
    ["a block of a user", { role: "user", content: [{ type: "aura" }] }],
  ];
  test.each(rows)("%s", (_, item) => {
    const wire = { input: [item] };
    const request = openaiResponses({ provider: "openai" }).decodeRequest(wire);
    expect(openaiResponses({ provider: "openai" }).encodeRequest(request)).toStrictEqual({ wire, losses: [] });
    expect(dialect.encodeRequest(request)).toStrictEqual({ wire, losses: [] });
    const { wire: elsewhere, losses } = openaiResponses({ provider: "azure" }).encodeRequest(request);
    expect(elsewhere).toStrictEqual({ input: [] });
    expect(losses.map(({ code }) => code)).toStrictEqual(["opaque-not-portable", "message-unsupported"]);
  });
});

describe("answers", () => {
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: "Vega." };
  const call = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "{}", status: "completed" };
  const read = (wire: object): ModelResponse =>
    dialect.decodeResponse({ id: "resp_1", model: "m", output: [message], ...wire });
  const incomplete = (reason: string): object => ({ status: "incomplete", incomplete_details: { reason } });
  const endings: [sentence: string, wire: object, unified: string, raw: string | undefined][] = [
    ["B61: completed", { status: "completed" }, "stop", "completed"],
    ["B61: completed with calls", { status: "completed", output: [call] }, "tool-calls", "completed"],
    ["B61: cut off, with calls", { ...incomplete("max_output_tokens"), output: [call] }, "length", "max_output_tokens"],
    ["B61: stopped by a content filter", incomplete("content_filter"), "content-filter", "content_filter"],
    ["B62: an unknown incomplete reason", incomplete("eclipse"), "other", "eclipse"],
    ["B62: an unknown status", { status: "eclipsed" }, "other", "eclipsed"],
    ["B62: cancelled", { status: "cancelled" }, "other", "cancelled"],
    ["failed", { status: "failed", error: { code: "server_error", message: "Oops." } }, "error", "failed"],
    ["B42: no status", {}, "stop", undefined],
  ];
  test.each(endings)("%s", (_, wire, unified, raw) => {
    expect(read(wire).finishReason).toStrictEqual(raw === undefined ? { unified } : { unified, raw });
  });

  const cutOff: [sentence: string, ending: object, output: object[]][] = [
    ["although its item is complete", incomplete("max_output_tokens"), [call]],
    ["for any reason", incomplete("eclipse"), [message, call]],
    ["without a reason", { status: "incomplete" }, [{ ...call, call_id: "b" }, call]],
    ["whose item has no status", incomplete("content_filter"), [{ ...call, status: undefined }]],
    ["whose item is incomplete", incomplete("max_output_tokens"), [{ ...call, status: "incomplete" }]],
  ];
  test.each(cutOff)("B31: the last call of an incomplete answer is invalid, %s", (_, ending, output) => {
    const wire = { object: "response", id: "r", model: "m", output, ...ending };
    const response = dialect.decodeResponse(wire);
    const calls = response.message.parts.filter((part) => part.type === "tool-call");
    expect(calls.map(({ invalid }) => invalid === true)).toStrictEqual(calls.map((_, at) => at === calls.length - 1));
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire: JSON.parse(JSON.stringify(wire)), losses: [] });
    // In a request, only the item can have the status.
    const { wire: items } = dialect.encodeMessages([response.message]);
    expect((items as object[]).at(-1)).toMatchObject({ type: "function_call", status: "incomplete" });
  });

  test("B31: a call before the last part of an incomplete answer is valid", () => {
    const { message: textItem } = read({ ...incomplete("max_output_tokens"), output: [call, message] });
    expect(textItem.parts[0]).not.toHaveProperty("invalid");
  });

  test("the id of a message that starts with an unknown block is restored", () => {
    const wire = { object: "response", id: "r", model: "m", output: [{ ...message, content: [{ type: "aura" }] }] };
    expect(dialect.encodeResponse(dialect.decodeResponse(wire))).toStrictEqual({ wire, losses: [] });
  });

  test("a failed response has an error with a kind", () => {
    const error = { code: "rate_limit_exceeded", message: "Slow down." };
    expect(read({ status: "failed", error }).error).toStrictEqual({
      kind: "rate-limit",
      message: "Slow down.",
      raw: error,
    });
  });

  test("B63, B66: counts are inclusive, and the original usage is stored as raw", () => {
    const usage = {
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 10, cache_write_tokens: 4 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 50,
    };
    expect(read({ usage }).usage).toStrictEqual({
      inputTokens: 30,
      outputTokens: 20,
      totalTokens: 50,
      cacheReadTokens: 10,
      cacheWriteTokens: 4,
      reasoningTokens: 5,
      raw: usage,
    });
  });

  test.each([
    ["whole seconds", 1741476542, "2025-03-08T23:29:02.000Z"],
    ["fractions of a second", 1741476542.25, "2025-03-08T23:29:02.250Z"],
    ["seconds beyond the range of dates", 1741476542.1234567, undefined],
    ["no date", "yesterday", undefined],
  ])("a time in %s", (_, created_at, createdAt) => {
    expect(read({ created_at }).createdAt).toBe(createdAt);
  });

  test("B16, B30: renamed tools and ids are restored", () => {
    const names = { toolNames: { f: "f / the real one" }, toolCallIds: { a: "the real id" } };
    const { message: read } = dialect.decodeResponse({ output: [call] }, { names });
    expect(read.parts).toMatchObject([{ toolName: "f / the real one", toolCallId: "the real id" }]);
  });
});

describe("errors", () => {
  const rows: [sentence: string, error: object, status: number | undefined, kind: string][] = [
    ["an invalid key", { message: "x", type: "invalid_request_error", code: "invalid_api_key" }, 401, "authentication"],
    ["an unknown model", { message: "x", type: "invalid_request_error", code: "model_not_found" }, 404, "not-found"],
    ["a wrong parameter", { message: "x", type: "invalid_request_error", code: null }, 400, "invalid-request"],
    [
      "a context length error",
      { message: "x", type: "invalid_request_error", code: "context_length_exceeded" },
      400,
      "context-length",
    ],
    [
      "a context length error, by its message",
      { message: "Exceeds the maximum context length.", type: "y" },
      400,
      "context-length",
    ],
    ["a rate limit", { message: "x", type: "tokens", code: "rate_limit_exceeded" }, 429, "rate-limit"],
    ["an exceeded quota", { message: "x", type: "insufficient_quota", code: "insufficient_quota" }, 429, "quota"],
    ["a server error", { message: "x", type: "server_error", code: null }, 500, "server"],
    ["a server error without a status", { message: "x", type: "server_error" }, undefined, "server"],
    ["only a status", { message: "x" }, 503, "overloaded"],
    ["an unsupported country", { message: "x", type: "invalid_request_error" }, 403, "permission"],
  ];
  test.each(rows)("B88: %s", (_, error, status, kind) => {
    expect(dialect.decodeError({ error }, status)).toMatchObject({ kind, raw: { error } });
  });

  test("B88: the delay before a retry is read from the message", () => {
    const error = { message: "Please try again in 1.5s.", code: "rate_limit_exceeded" };
    expect(dialect.decodeError({ error }, 429).retryAfterMs).toBe(1500);
  });
});
