// What Gemini's answers and errors are in the model, and what an answer of another dialect becomes for a client of Gemini.
import { describe, expect, test } from "vitest";
import { gemini } from "../../src/dialects/gemini/index.ts";
import type { GeminiResponse } from "../../src/dialects/gemini/index.ts";
import { assistant } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import { exclusiveUsage } from "../../src/model/usage.ts";
import type { Response } from "../../src/model/response.ts";

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
function encode(response: Response): Outcome {
  const { wire, losses } = dialect.encodeResponse(response);
  return { wire: wire as GeminiResponse, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}
function answered(parts: Part[], more: Partial<Response> = {}): Response {
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

describe("how it ended", () => {
  const rows: [sentence: string, word: string, parts: object[], unified: string][] = [
    ["STOP", "STOP", [{ text: "." }], "stop"],
    ["B61: STOP with calls means that they are to be run", "STOP", [call], "tool-calls"],
    ["B61: MAX_TOKENS is not overridden by calls", "MAX_TOKENS", [call], "length"],
    ["B61: nor is SAFETY", "SAFETY", [call], "content-filter"],
    ["B62: a picture that was refused", "IMAGE_SAFETY", [], "content-filter"],
    ["B62: a call that nobody can read", "MALFORMED_FUNCTION_CALL", [], "error"],
    ["B62: an answer that goes on", "CONTINUATION", [], "pause"],
    ["B62: a word that nobody knows", "BORED", [], "other"],
  ];
  test.each(rows)("%s", (_, finishReason, parts, unified) => {
    const wire = { candidates: [candidate(parts, { finishReason })] };
    const response = dialect.decodeResponse(wire);
    expect(response.finishReason).toStrictEqual({ unified, raw: finishReason });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("B71: a blocked question is an answer without parts", () => {
    const wire = { promptFeedback: { blockReason: "SAFETY", safetyRatings: [] } };
    expect(dialect.decodeResponse(wire)).toStrictEqual({
      id: "",
      model: "",
      message: assistant([]),
      finishReason: { unified: "content-filter", raw: "SAFETY" },
      extra: { gemini: { $form: { candidates: "none" }, promptFeedback: { safetyRatings: [] } } },
    });
  });

  test("a body that says it failed is an error", () => {
    const wire = { error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } };
    const response = dialect.decodeResponse(wire);
    expect(response).toMatchObject({ finishReason: { unified: "error" }, error: { kind: "overloaded", status: 503 } });
    expect(encode(response).wire).toStrictEqual(wire);
  });
});

describe("usage", () => {
  const counts = (usageMetadata: object): Response => dialect.decodeResponse({ candidates: [], usageMetadata });

  test("B63, B66: thoughts count as output, what tools read as input, the cache within the input", () => {
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

  test("B66: counts are never negative, and an edit of one arrives", () => {
    const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8, reasoningTokens: 4 };
    expect(encode(answered([], { usage })).wire.usageMetadata).toStrictEqual({
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

test("B59: candidates stay apart, each with what is said of it", () => {
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

test("B60: log probabilities are those of the text", () => {
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

describe("B48: grounding", () => {
  const text = "Ἡ κοινή 🏛️ spread.";
  const segment = { startIndex: 13, endIndex: 28, text: " 🏛️ spread" };
  const chunks = [
    { web: { uri: "https://example.com/a", title: "A" } },
    { web: { uri: "https://example.com/b", title: "B" } },
  ];

  test("bytes become units, and units bytes", () => {
    const [from, to] = [text.indexOf(" 🏛️"), text.indexOf(".")];
    const bytes = (end: number): number => new TextEncoder().encode(text.slice(0, end)).length;
    const exact = { ...segment, startIndex: bytes(from), endIndex: bytes(to) };
    const groundingMetadata = {
      groundingChunks: chunks,
      groundingSupports: [{ segment: exact, groundingChunkIndices: [1] }],
      webSearchQueries: ["koine"],
    };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts[0]).toStrictEqual({
      type: "text",
      text,
      annotations: [
        { kind: "url", url: "https://example.com/a", title: "A" },
        { kind: "url", url: "https://example.com/b", title: "B", span: { start: from, end: to } },
      ],
    });
    expect(response.extra).toStrictEqual({
      gemini: { candidates: { groundingMetadata: { webSearchQueries: ["koine"] } } },
    });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("a place that says other words has no span", () => {
    const wrong = { startIndex: 1, endIndex: 5, text: "spread" };
    const groundingMetadata = {
      groundingChunks: chunks.slice(1),
      groundingSupports: [{ segment: wrong, groundingChunkIndices: [0] }],
    };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts[0]).toMatchObject({
      annotations: [{ url: "https://example.com/b", extra: { gemini: { segment: wrong } } }],
    });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("what annotations would not give back stays as it came", () => {
    const groundingMetadata = { groundingChunks: [chunks[0], chunks[0]] };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts).toStrictEqual([{ type: "text", text }]);
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("citations of others become grounding, with what has no place reported", () => {
    const annotations = [
      { kind: "url", url: "https://example.com/c", title: "C", citedText: "words", span: { start: 0, end: 1 } },
      { kind: "document", title: "D", citedText: "more words" },
      { kind: "file", fileId: "file-1" },
    ] as const;
    const { wire, losses } = encode(answered([{ type: "text", text, annotations: [...annotations] }]));
    expect(wire.candidates?.[0]?.groundingMetadata).toStrictEqual({
      groundingChunks: [
        { web: { uri: "https://example.com/c", title: "C" } },
        { retrievedContext: { title: "D", text: "more words" } },
      ],
      groundingSupports: [{ segment: { endIndex: 3, text: "Ἡ" }, groundingChunkIndices: [0] }],
    });
    expect(losses).toStrictEqual([
      "field-unsaid /message/parts/0/annotations/0/citedText",
      "field-unsaid /message/parts/0/annotations/2",
    ]);
  });
});

describe("for a client of Gemini", () => {
  test("thoughts of others are shown as thoughts, without their seals", () => {
    const seals = [{ dialect: "anthropic", kind: "signature", value: "c2ln" }];
    const { wire, losses } = encode(
      answered([
        { type: "reasoning", text: "Hm.", seals },
        { type: "text", text: "So." },
      ]),
    );
    expect(wire.candidates?.[0]?.content?.parts).toStrictEqual([{ text: "Hm.", thought: true }, { text: "So." }]);
    expect(losses).toStrictEqual(["seal-foreign /message/parts/0/seals/0"]);
  });

  test("a summary is a thought, redacted reasoning is nothing", () => {
    const { wire, losses } = encode(
      answered([
        { type: "reasoning", text: "", summary: ["One.", "Two."] },
        { type: "reasoning", text: "", seals: [{ dialect: "anthropic", kind: "redacted", value: "x" }] },
      ]),
    );
    expect(wire.candidates?.[0]?.content?.parts).toStrictEqual([{ text: "One.\n\nTwo.", thought: true }]);
    expect(losses).toStrictEqual(["summary-as-thought /message/parts/0/summary", "reasoning-unsaid /message/parts/1"]);
  });

  test("names are never changed", () => {
    const part: Part = { type: "tool-call", toolCallId: "x", toolName: "read file", input: {} };
    const { wire } = encode(answered([part], { finishReason: { unified: "tool-calls", raw: "tool_use" } }));
    expect(wire.candidates?.[0]).toMatchObject({
      content: { parts: [{ functionCall: { name: "read file" } }] },
      finishReason: "STOP",
    });
  });
});

describe("B88: errors", () => {
  test("an error goes out in Google's envelope", () => {
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

describe("recognition", () => {
  const rows: [string, object, string | undefined][] = [
    ["a request", { contents: [{ parts: [{ text: "Hi." }] }] }, "request"],
    ["an answer", { candidates: [candidate([])] }, "response"],
    ["an event of a stream", { candidates: [{ content: { parts: [] } }] }, "stream"],
    ["a blocked question", { promptFeedback: {} }, "response"],
    ["an error", { error: { code: 404, message: "No.", status: "NOT_FOUND" } }, "error"],
    ["an error of another", { error: { message: "No.", type: "invalid_request_error", code: null } }, undefined],
    ["a request of another", { messages: [] }, undefined],
    ["anything", { contents: ["x"] }, undefined],
  ];
  test.each(rows)("%s", (_, wire, kind) => {
    expect(dialect.recognise(wire)).toBe(kind);
  });
});
