// Gemini's responses and errors in the canonical model, and responses of other dialects encoded for a Gemini client.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { GeminiResponse } from "../../../src/dialects/gemini/index.ts";
import { assistant } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { exclusiveUsage } from "../../../src/model/usage.ts";
import type { ModelResponse } from "../../../src/model/response.ts";

const dialect = gemini();
const candidate = (parts: object[], more: object = {}): object => ({
  content: { role: "model", parts },
  finishReason: "STOP",
  index: 0,
  ...more,
});
const call = { functionCall: { id: "fc", name: "f", args: {} } };

interface Outcome {
  wire: GeminiResponse;
  losses: string[];
}
function encode(response: ModelResponse): Outcome {
  const { wire, losses } = dialect.encodeResponse(response);
  return { wire: wire as GeminiResponse, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}
function createResponse(parts: Part[], more: Partial<ModelResponse> = {}): ModelResponse {
  return { id: "r", model: "m", message: assistant(parts), finishReason: { unified: "stop" }, ...more };
}

test("an answer, both ways", () => {
  const wire = {
    candidates: [candidate([{ text: "Good day." }])],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
    modelVersion: "gemini-3-flash",
    responseId: "r-1",
    createTime: "2025-05-06T07:08:09Z",
  };
  const response = dialect.decodeResponse(wire);
  expect(response).toStrictEqual({
    id: "r-1",
    model: "gemini-3-flash",
    message: { role: "assistant", parts: [{ type: "text", text: "Good day." }] },
    finishReason: { unified: "stop", raw: "STOP" },
    createdAt: "2025-05-06T07:08:09Z",
    usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8, raw: wire.usageMetadata },
  });
  expect(encode(response)).toStrictEqual({ wire, losses: [] });
});

describe("finish reasons", () => {
  const rows: [sentence: string, finishReason: string, parts: object[], unified: string][] = [
    ["STOP", "STOP", [{ text: "." }], "stop"],
    ["B61: STOP with calls becomes tool-calls", "STOP", [call], "tool-calls"],
    ["B61: MAX_TOKENS is not overridden by calls", "MAX_TOKENS", [call], "length"],
    ["B61: SAFETY is not overridden by calls", "SAFETY", [call], "content-filter"],
    ["B62: a rejected image", "IMAGE_SAFETY", [], "content-filter"],
    ["B62: a malformed call", "MALFORMED_FUNCTION_CALL", [], "error"],
    ["B62: an answer that will be continued", "CONTINUATION", [], "pause"],
    ["B62: an unknown finish reason", "BORED", [], "other"],
  ];
  test.each(rows)("%s", (_, finishReason, parts, unified) => {
    const wire = { candidates: [candidate(parts, { finishReason })] };
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual({ unified, raw: finishReason });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  const cutOffRows: [sentence: string, finishReason: string, parts: object[], invalid: boolean[]][] = [
    ["too long: the last call", "MAX_TOKENS", [call, call], [false, true]],
    ["filtered: the last call", "SAFETY", [{ text: "." }, call], [false, true]],
    ["text follows: the call was complete", "MAX_TOKENS", [call, { text: "." }], [false, false]],
    [
      "a tool that Google ran: the client does not execute it",
      "MAX_TOKENS",
      [{ executableCode: { code: "1" } }],
      [false],
    ],
    ["STOP: no call", "STOP", [call], [false]],
  ];
  test.each(cutOffRows)(
    "B31: a call that the finish reason cuts off is invalid (%s)",
    (_, finishReason, parts, invalid) => {
      const cut = candidate(parts, { finishReason });
      const wire = { candidates: [cut, { ...cut, index: 1 }] };
      const response = dialect.decodeResponse(wire);
      for (const { message } of [response, ...(response.alternatives ?? [])]) {
        expect(message.parts.map((part) => "invalid" in part)).toStrictEqual(invalid);
      }
      expect(encode(response)).toStrictEqual({ wire, losses: [] });
    },
  );

  test("B31: a cut-off call in a failed answer is invalid", () => {
    const error = { code: 500, message: "Gone.", status: "INTERNAL" };
    const wire = { candidates: [candidate([call], { finishReason: "MAX_TOKENS" })], error };
    expect(encode(dialect.decodeResponse(wire))).toStrictEqual({ wire, losses: [] });
  });

  test("B31: the encoded finish reason implies the cut-off call, so its flag is not lost", () => {
    const part: Part = { type: "tool-call", toolCallId: "x", toolName: "f", input: {}, invalid: true };
    const { wire, losses } = encode(createResponse([part], { finishReason: { unified: "length", raw: "max_tokens" } }));
    expect(wire.candidates?.[0]?.finishReason).toBe("MAX_TOKENS");
    expect(losses).toStrictEqual(["raw-finish-reason-dropped /finishReason/raw"]);
  });

  test("B71: a blocked prompt becomes an answer without parts", () => {
    const wire = { promptFeedback: { blockReason: "SAFETY", safetyRatings: [] } };
    expect(dialect.decodeResponse(wire)).toStrictEqual({
      id: "",
      model: "",
      message: assistant([]),
      finishReason: { unified: "content-filter", raw: "SAFETY" },
      extra: { gemini: { $form: { candidates: "none" }, promptFeedback: { safetyRatings: [] } } },
    });
  });

  test("a response with an error field has an error", () => {
    const wire = { error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } };
    const response = dialect.decodeResponse(wire);
    expect(response).toMatchObject({ finishReason: { unified: "error" }, error: { kind: "overloaded", status: 503 } });
    expect(encode(response).wire).toStrictEqual(wire);
  });
});

describe("usage", () => {
  const counts = (usageMetadata: object): ModelResponse => dialect.decodeResponse({ candidates: [], usageMetadata });

  test("B63, B66: output includes thoughts, input includes tool tokens and cached tokens", () => {
    const response = counts({
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 30,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 145,
    });
    const { raw: _, ...usage } = response.usage ?? { raw: undefined };
    expect(usage).toStrictEqual({
      inputTokens: 105,
      outputTokens: 40,
      totalTokens: 145,
      cacheReadTokens: 60,
      reasoningTokens: 30,
      extra: { gemini: { toolUsePromptTokenCount: 5 } },
    });
    expect(response.usage && exclusiveUsage(response.usage)).toMatchObject({ inputTokens: 45, outputTokens: 10 });
  });

  test("B66: counts are never negative, and an edited count is encoded", () => {
    const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8, reasoningTokens: 4 };
    expect(encode(createResponse([], { usage })).wire.usageMetadata).toStrictEqual({
      promptTokenCount: 5,
      candidatesTokenCount: 0,
      thoughtsTokenCount: 4,
      totalTokenCount: 8,
    });
    const response = counts({ promptTokenCount: 5, totalTokenCount: 5 });
    const edited = { ...response, usage: { ...response.usage, inputTokens: 5, outputTokens: 2, totalTokens: 7 } };
    expect(encode(edited).wire.usageMetadata).toStrictEqual({
      promptTokenCount: 5,
      candidatesTokenCount: 2,
      totalTokenCount: 7,
    });
  });
});

test("B59: each candidate has its own fields", () => {
  const wire = {
    candidates: [
      candidate([{ text: "One." }], { avgLogprobs: -1 }),
      candidate([{ text: "Two." }], { index: 1, finishReason: "MAX_TOKENS", avgLogprobs: -2 }),
    ],
  };
  const response = dialect.decodeResponse(wire);
  expect(response.alternatives).toStrictEqual([
    {
      message: assistant("Two."),
      finishReason: { unified: "length", raw: "MAX_TOKENS" },
      extra: { gemini: { avgLogprobs: -2 } },
    },
  ]);
  expect(response.extra).toStrictEqual({ gemini: { candidates: { avgLogprobs: -1 } } });
  expect(encode(response)).toStrictEqual({ wire, losses: [] });
});

test("B60: log probabilities of a candidate belong to its text", () => {
  const logprobsResult = {
    chosenCandidates: [{ token: "A", tokenId: 7, logProbability: -0.5 }],
    topCandidates: [{ candidates: [{ token: "B", logProbability: -1.5 }] }],
  };
  const response = dialect.decodeResponse({ candidates: [candidate([{ text: "A" }], { logprobsResult })] });
  expect(response.message.parts).toStrictEqual([
    {
      type: "text",
      text: "A",
      logprobs: [{ token: "A", tokenId: 7, logprob: -0.5, top: [{ token: "B", logprob: -1.5 }] }],
    },
  ]);
});

describe("B17: ids of calls without one", () => {
  const bare = { functionCall: { name: "f", args: { x: 1 } } };
  const ids = (wire: object): string[] =>
    dialect.decodeResponse(wire).message.parts.map((part) => (part.type === "tool-call" ? part.toolCallId : ""));

  test("answers without an id get different call ids, the same answer always the same ones", () => {
    const wire = { candidates: [candidate([bare, bare])] };
    const other = { candidates: [candidate([{ functionCall: { name: "f", args: { x: 2 } } }, bare])] };
    const made = [...ids(wire), ...ids(other)];
    expect(new Set(made).size).toBe(4);
    expect(ids(structuredClone(wire))).toStrictEqual(made.slice(0, 2));
    expect(encode(dialect.decodeResponse(wire))).toStrictEqual({ wire, losses: [] });
  });

  test("call ids contain the id of the answer", () => {
    expect(ids({ candidates: [candidate([bare])], responseId: "r-1" })).toStrictEqual(["call_r-1_1"]);
  });
});

test("B5: an opaque part is encoded for its own provider only", () => {
  const part = { moonPhase: { phase: 3 } };
  const [mine, other] = [gemini({ provider: "prov-A" }), gemini({ provider: "prov-B" })];
  const wire = { candidates: [candidate([part])] };
  const response = mine.decodeResponse(wire);
  const issuer = { dialect: "gemini", provider: "prov-A" };
  expect(response.message.parts).toStrictEqual([{ type: "opaque", dialect: "gemini", value: part, issuer }]);
  expect(dialect.decodeResponse(wire).message.parts[0]).not.toHaveProperty("issuer");
  expect(mine.encodeResponse(response)).toMatchObject({ wire, losses: [] });
  const sent = other.encodeResponse(response);
  expect(sent.wire).toMatchObject({ candidates: [{ content: { parts: [] } }] });
  expect(sent.losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual([
    "opaque-not-portable /message/parts/0",
  ]);
});

describe("for a client of Gemini", () => {
  test("thoughts of other models become thoughts, without their seals", () => {
    const seals = [{ dialect: "anthropic", kind: "signature", value: "c2ln" }];
    const { wire, losses } = encode(
      createResponse([
        { type: "reasoning", text: "Hm.", seals },
        { type: "text", text: "So." },
      ]),
    );
    expect(wire.candidates?.[0]?.content?.parts).toStrictEqual([{ text: "Hm.", thought: true }, { text: "So." }]);
    expect(losses).toStrictEqual(["seal-not-portable /message/parts/0/seals/0"]);
  });

  test("a summary becomes a thought, redacted reasoning is dropped", () => {
    const { wire, losses } = encode(
      createResponse([
        { type: "reasoning", text: "", summary: ["One.", "Two."] },
        { type: "reasoning", text: "", seals: [{ dialect: "anthropic", kind: "redacted", value: "x" }] },
      ]),
    );
    expect(wire.candidates?.[0]?.content?.parts).toStrictEqual([{ text: "One.\n\nTwo.", thought: true }]);
    expect(losses).toStrictEqual([
      "summary-as-thought /message/parts/0/summary",
      "reasoning-unsupported /message/parts/1",
    ]);
  });

  test("tool names in a response are never changed", () => {
    const part: Part = { type: "tool-call", toolCallId: "x", toolName: "read file", input: {} };
    const { wire } = encode(createResponse([part], { finishReason: { unified: "tool-calls", raw: "tool_use" } }));
    expect(wire.candidates?.[0]).toMatchObject({
      content: { parts: [{ functionCall: { name: "read file" } }] },
      finishReason: "STOP",
    });
  });
});

describe("B88: errors", () => {
  test("an error is encoded as a google.rpc status", () => {
    expect(dialect.encodeError({ kind: "rate-limit", message: "Slow down.", retryAfterMs: 1500 })).toStrictEqual({
      status: 429,
      wire: {
        error: {
          code: 429,
          message: "Slow down.",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }],
        },
      },
    });
  });
});

describe("detection of payload kinds", () => {
  const rows: [string, object, string | undefined][] = [
    ["a request", { contents: [{ parts: [{ text: "Hi." }] }] }, "request"],
    ["an answer", { candidates: [candidate([])] }, "response"],
    ["an event of a stream", { candidates: [{ content: { parts: [] } }] }, "stream"],
    ["a blocked prompt", { promptFeedback: {} }, "response"],
    ["an error", { error: { code: 404, message: "No.", status: "NOT_FOUND" } }, "error"],
    [
      "an error of another dialect",
      { error: { message: "No.", type: "invalid_request_error", code: null } },
      undefined,
    ],
    ["a request of another dialect", { messages: [] }, undefined],
    ["anything", { contents: ["x"] }, undefined],
  ];
  test.each(rows)("%s", (_, wire, kind) => {
    expect(dialect.detectKind(wire)).toBe(kind);
  });
});
