// Tests decoding of Chat answers and errors, and their encoding for a client.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import { assistant } from "../../../src/model/message.ts";
import type { ProviderErrorKind } from "../../../src/model/provider-error.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { exclusiveUsage } from "../../../src/model/usage.ts";
import { plainResponses } from "./response-samples.ts";

const dialect = openaiChat();
const envelope = { id: "x", object: "chat.completion", created: 1700000000, model: "m" };
const textMessage = { role: "assistant", content: "Hi.", refusal: null, annotations: [] };
const encodedResponse = (choice: object, beside: object = {}): object => ({
  ...envelope,
  choices: [{ index: 0, message: textMessage, finish_reason: "stop", logprobs: null, ...choice }],
  ...beside,
});

test.each(plainResponses.map(({ name, wire }) => [name, wire] as const))("plain data has no residue: %s", (_, wire) => {
  expect(stringifyJson(dialect.decodeResponse(wire))).not.toContain('"extra"');
});

test("an answer is decoded to a message, a finish reason, usage and a date", () => {
  const response = dialect.decodeResponse(
    encodedResponse({}, { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
  );
  expect(response).toStrictEqual({
    id: "x",
    model: "m",
    createdAt: "2023-11-14T22:13:20.000Z",
    message: { role: "assistant", parts: [{ type: "text", text: "Hi." }] },
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
      raw: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
  });
});

test("an answer that is sent back as history is a plain message", () => {
  const { message } = dialect.decodeResponse(encodedResponse({}));
  expect(dialect.encodeMessages([message])).toStrictEqual({
    wire: [{ role: "assistant", content: "Hi." }],
    losses: [],
  });
});

describe("finish reasons", () => {
  const rows: [wireReason: string | null, unified: string][] = [
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool-calls"],
    ["function_call", "tool-calls"],
    ["content_filter", "content-filter"],
    ["eos", "stop"],
    ["model_length", "length"],
    ["insufficient_system_resource", "error"],
    ["error", "error"],
    ["never_heard_of", "other"],
    [null, "other"],
  ];
  test.each(rows)("B61, B62: %s is %s, and the wire value is stored", (wireReason, unified) => {
    const wire = encodedResponse({ finish_reason: wireReason });
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual(wireReason === null ? { unified } : { unified, raw: wireReason });
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  const withCalls = { ...textMessage, content: null, tool_calls: calls };
  const legacy = { ...textMessage, content: null, function_call: { name: "f", arguments: "{}" } };
  test.each([
    ["stop", "stop", withCalls],
    ["stop", "stop", legacy],
    ["a finish reason of a vendor", "eos", withCalls],
  ])("B61: %s beside calls becomes tool-calls, and returns to the wire unchanged", (_, raw, message) => {
    const wire = encodedResponse({ message, finish_reason: raw });
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual({ unified: "tool-calls", raw });
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
    response.message.parts.pop();
    expect(dialect.encodeResponse(response).wire).toHaveProperty("choices.0.finish_reason", "tool_calls");
  });

  test.each([
    ["length", withCalls],
    ["content_filter", withCalls],
    ["length", legacy],
  ])("B31: the last call of an answer that ends with %s is marked as cut off", (wireReason, message) => {
    const wire = encodedResponse({ message, finish_reason: wireReason });
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts.at(-1)).toHaveProperty("invalid", true);
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
    const { losses } = dialect.encodeMessages([response.message]);
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      "invalid-call-unsupported /0/parts/0/invalid",
    ]);
  });

  test.each(["pause", "error", "other"] as const)("B62: %s is never encoded as stop", (unified) => {
    const { wire, losses } = dialect.encodeResponse({
      id: "x",
      model: "m",
      createdAt: "2023-11-14T22:13:20.000Z",
      message: assistant("Hi."),
      finishReason: { unified, raw: "MALFORMED_FUNCTION_CALL" },
    });
    expect(wire).toHaveProperty("choices.0.finish_reason", "length");
    expect(losses.map(({ code, level }) => `${code} ${level}`)).toStrictEqual([
      "raw-finish-reason-dropped note",
      "finish-reason-approximated loss",
    ]);
  });

  test("a client receives only finish reasons that OpenAI has", () => {
    const response: ModelResponse = {
      id: "x",
      model: "m",
      createdAt: "2023-11-14T22:13:20.000Z",
      message: assistant("Hi."),
      finishReason: { unified: "stop", raw: "end_turn" },
    };
    const { wire, losses } = dialect.encodeResponse(response);
    expect(wire).toStrictEqual(encodedResponse({}));
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
      "raw-finish-reason-dropped /finishReason/raw",
    ]);
  });
});

describe("choices", () => {
  test("B59: further choices become alternatives with their own finish reasons", () => {
    const other = { index: 1, message: { ...textMessage, content: "Ho." }, finish_reason: "length", logprobs: null };
    const wire = { ...envelope, choices: [{ ...other, index: 0 }, other] };
    const { alternatives } = dialect.decodeResponse(wire);
    expect(alternatives).toStrictEqual([
      {
        message: { role: "assistant", parts: [{ type: "text", text: "Ho." }] },
        finishReason: { unified: "length", raw: "length" },
      },
    ]);
  });

  test("B17: calls without an id get different ids in every choice", () => {
    const call = { type: "function", function: { name: "f", arguments: "{}" } };
    const choice = {
      message: { ...textMessage, tool_calls: [call, call] },
      finish_reason: "tool_calls",
      logprobs: null,
    };
    const wire = { ...envelope, choices: [0, 1, 2].map((index) => ({ index, ...choice })) };
    const response = dialect.decodeResponse(wire);
    const messages = [response.message, ...(response.alternatives ?? []).map(({ message }) => message)];
    const ids = messages.flatMap(({ parts }) =>
      parts.map((part) => (part.type === "tool-call" ? part.toolCallId : "")),
    );
    expect(new Set(ids.filter(Boolean)).size).toBe(6);
    expect(dialect.encodeResponse(response)).toStrictEqual({ wire, losses: [] });
  });

  test.each([
    ["empty", []],
    ["null", null],
    ["absent", undefined],
  ])("B71: an answer with %s choices has no parts", (_, choices) => {
    const wire = choices === undefined ? envelope : { ...envelope, choices };
    const response = dialect.decodeResponse(wire);
    expect(response.message).toStrictEqual({ role: "assistant", parts: [] });
    expect(dialect.encodeResponse(response).wire).toStrictEqual(wire);
  });

  test("B60: log probabilities are attached to their part with all their digits", () => {
    const text = stringifyJson(encodedResponse({ logprobs: "tokens" })).replace(
      '"tokens"',
      '{"content":[{"token":"Hi.","logprob":-0.12345678901234567890,"bytes":[72],"top_logprobs":[{"token":"Ho","logprob":-1e-400,"bytes":null}]}],"refusal":null}',
    );
    const response = dialect.decodeResponse(parseJson(text));
    expect(response.message.parts[0]).toHaveProperty("logprobs.0.token", "Hi.");
    const out = stringifyJson(dialect.encodeResponse(response).wire);
    expect(out).toContain("-0.12345678901234567890");
    expect(out).toContain("-1e-400");
  });

  test("several texts of another dialect's answer are joined, and their citations are shifted", () => {
    const cite = (start: number, end: number): object => ({
      annotations: [{ kind: "url", url: "https://example.com", title: "T", span: { start, end } }],
    });
    const message = assistant([
      { type: "text", text: "🏛 One. ", ...cite(3, 6) },
      { type: "text", text: "Two.", ...cite(0, 3) },
    ]);
    const { wire, losses } = dialect.encodeResponse({
      id: "x",
      model: "m",
      message,
      finishReason: { unified: "stop" },
    });
    expect(wire).toHaveProperty("choices.0.message.content", "🏛 One. Two.");
    const spans = [0, 1].map((at) => `choices.0.message.annotations.${at}.url_citation`);
    expect(wire).toHaveProperty(`${spans[0]}.start_index`, 2);
    expect(wire).toHaveProperty(`${spans[1]}.start_index`, 7);
    expect(wire).toHaveProperty(`${spans[1]}.end_index`, 10);
    expect(losses.filter(({ code }) => code === "texts-joined")).toHaveLength(2);
  });

  test("B30: renamed tools are restored in the response", () => {
    const calls = [{ id: "a", type: "function", function: { name: "get_weather_1", arguments: "{}" } }];
    const names = { toolCallIds: { a: "original id" }, toolNames: { get_weather_1: "get.weather" } };
    const { message } = dialect.decodeResponse(encodedResponse({ message: { ...textMessage, tool_calls: calls } }), {
      names,
    });
    expect(message.parts[1]).toMatchObject({ toolCallId: "original id", toolName: "get.weather" });
  });
});

describe("usage", () => {
  const read = (usage: object): ModelResponse["usage"] => dialect.decodeResponse(encodedResponse({}, { usage })).usage;

  test("B63: input and output totals include cached and reasoning tokens", () => {
    const usage = read({
      prompt_tokens: 20,
      completion_tokens: 30,
      total_tokens: 50,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 10 },
    });
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 30, cacheReadTokens: 5, cacheWriteTokens: 2 });
    expect(usage && exclusiveUsage(usage)).toStrictEqual({
      inputTokens: 13,
      cacheReadTokens: 5,
      cacheWriteTokens: 2,
      outputTokens: 20,
      reasoningTokens: 10,
    });
    expect(usage?.extra).toStrictEqual({ "openai-chat": { prompt_tokens_details: { audio_tokens: 0 } } });
  });

  test("B66: reasoning tokens beside the completion are added to the output", () => {
    const usage = read({
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 241,
      completion_tokens_details: { reasoning_tokens: 228 },
    });
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 229, totalTokens: 241, reasoningTokens: 228 });
  });

  test.each(["prompt_cache_hit_tokens", "cached_tokens"])("cached tokens can be in %s", (field) => {
    expect(read({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, [field]: 4 })).toMatchObject({
      cacheReadTokens: 4,
    });
  });

  test("B23: a count beyond 2^53 keeps its digits", () => {
    const text = stringifyJson(
      encodedResponse({}, { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }),
    ).replaceAll('_tokens":', '_tokens":900719925474099');
    const out = stringifyJson(dialect.encodeResponse(dialect.decodeResponse(parseJson(text))).wire);
    for (const digit of [1, 2, 3]) expect(out).toContain(`_tokens":900719925474099${digit}`);
  });

  test("an absent total is the sum", () => {
    expect(read({ prompt_tokens: 5, completion_tokens: 1 })?.totalTokens).toBe(6);
  });
});

describe("B88: errors", () => {
  const rows: [
    sentence: string,
    wire: unknown,
    status: number | undefined,
    kind: ProviderErrorKind,
    message: string,
  ][] = [
    [
      "an invalid key",
      { error: { message: "m", type: "invalid_request_error", code: "invalid_api_key" } },
      401,
      "authentication",
      "m",
    ],
    [
      "a context length error, by its code",
      { error: { message: "m", code: "context_length_exceeded" } },
      400,
      "context-length",
      "m",
    ],
    [
      "a context length error, by its message",
      { error: { message: "This is beyond the context window." } },
      400,
      "context-length",
      "This is beyond the context window.",
    ],
    ["an exceeded quota", { error: { message: "m", type: "insufficient_quota" } }, 429, "quota", "m"],
    ["a rate limit", { error: { message: "m", type: "tokens", code: "rate_limit_exceeded" } }, 429, "rate-limit", "m"],
    ["an unknown model", { error: { message: "m", code: "model_not_found" } }, 404, "not-found", "m"],
    ["filtered", { error: { message: "m", code: "content_filter", innererror: {} } }, 400, "content-filter", "m"],
    [
      "a status that is more precise than the type",
      { error: { message: "m", type: "invalid_request_error" } },
      403,
      "permission",
      "m",
    ],
    ["a type without a status", { error: { message: "m", type: "server_error" } }, undefined, "server", "m"],
    ["a status as the code", { error: { message: "m", code: 503 } }, undefined, "overloaded", "m"],
    ["a string", { error: "model is missing" }, 404, "not-found", "model is missing"],
    ["a message of an SDK", { error: "Error: 401 bad key" }, undefined, "authentication", "Error: 401 bad key"],
    ["a message at the root", { message: "m", type: "invalid_request_error" }, 422, "invalid-request", "m"],
    ["details", { detail: [{ msg: "one" }, { msg: "two" }] }, 422, "invalid-request", "one; two"],
    ["an HTML page", "<h1>Bad gateway</h1>", 502, "server", "<h1>Bad gateway</h1>"],
    ["no body", undefined, 500, "server", ""],
  ];
  test.each(rows)("%s", (_, wire, status, kind, message) => {
    expect(dialect.decodeError(wire, status)).toMatchObject({ kind, message });
  });

  test("the delay before a retry is read from the message", () => {
    const { retryAfterMs } = dialect.decodeError({ error: { message: "Please try again in 6m0.5s." } }, 429);
    expect(retryAfterMs).toBe(360_500);
  });

  test("an error of another dialect is encoded in OpenAI's envelope", () => {
    expect(dialect.encodeError({ kind: "rate-limit", message: "Slower.", raw: { type: "error" } })).toStrictEqual({
      status: 429,
      wire: { error: { message: "Slower.", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } },
    });
  });

  test("an answer with an error field has a ProviderError", () => {
    const response = dialect.decodeResponse({ error: { message: "Overloaded.", code: 503 } });
    expect(response).toMatchObject({
      finishReason: { unified: "error" },
      error: { kind: "overloaded", message: "Overloaded.", status: 503 },
    });
  });
});
