// Hand-written Gemini responses: every finish reason, every count, all shapes of grounding, texts in pieces.
import type { WireSample } from "../../../src/testkit/checks/payload-codec.ts";
import { call, model, PIXEL, text } from "./message-samples.ts";

const usageMetadata = {
  promptTokenCount: 20,
  candidatesTokenCount: 7,
  totalTokenCount: 27,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 20 }],
};
const ids = { modelVersion: "gemini-3-flash", responseId: "resp-1" };
const candidate = (content: unknown, more: object = {}): object => ({
  content,
  finishReason: "STOP",
  index: 0,
  ...more,
});
const createSample = (name: string, one: object, more: object = {}): WireSample => ({
  name,
  wire: { candidates: [one], usageMetadata, ...ids, ...more },
});

const CITED = "Ἡ κοινή 🏛️ was common. It spread. It is read.";
const countBytes = (quote: string): number => new TextEncoder().encode(quote).length;
/** Returns the segment of a quote in the text. */
function segment(quote: string, more: object = {}): object {
  const start = CITED.indexOf(quote);
  const [startIndex, endIndex] = [countBytes(CITED.slice(0, start)), countBytes(CITED.slice(0, start + quote.length))];
  return { ...(startIndex > 0 && { startIndex }), endIndex, text: quote, ...more };
}
const web = (number: number, more: object = {}): object => ({
  web: { uri: `https://example.com/${number}`, title: `Page ${number}`, ...more },
});
const createGrounded = (groundingMetadata: object, ...before: object[]): object =>
  candidate(model(...before, text(CITED)), { groundingMetadata });

export const responses: WireSample[] = [
  createSample("a plain answer", candidate(model(text("Good day.")))),
  createSample(
    "thoughts, calls and signatures",
    candidate(
      model(
        { text: "Hm.", thought: true },
        { text: "Well.", thoughtSignature: "c2ln" },
        { functionCall: { id: "fc-1", name: "look", args: { at: "sea" } }, thoughtSignature: "Y2FsbA==" },
        { functionCall: { name: "look", args: {} } },
      ),
      { finishMessage: "Model generated function call(s)." },
    ),
    { createTime: "2025-05-06T07:08:09.123456Z" },
  ),
  createSample(
    "code and searches",
    candidate(
      model(
        { executableCode: { language: "PYTHON", code: "print(1)" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
        { toolCall: { id: "t", toolType: "URL_CONTEXT", args: {} } },
        text("One."),
      ),
    ),
  ),
  createSample(
    "texts in pieces, some signed, with empty texts between",
    candidate(
      model(
        text(""),
        { text: "Hm", thought: true },
        { text: "", thought: true },
        { text: ".", thought: true, thoughtSignature: "c2ln" },
        { text: "", thought: true, thoughtSignature: "dHdv" },
        text("We"),
        { text: "ll", thoughtSignature: "dGhyZWU=" },
        { text: ".", partMetadata: { a: 1 } },
        { text: " Yes.", partMetadata: { a: 1 }, thoughtSignature: "Zm91cg==" },
        call("f", {}),
        text(""),
      ),
    ),
  ),
  createSample("only an empty text", candidate(model(text("")), { finishReason: "MAX_TOKENS" })),
  createSample(
    "grounding of a text in several pieces",
    candidate(model(text("One. "), text("Two."), { executableCode: { code: "1" } }, text("Three.")), {
      groundingMetadata: {
        groundingChunks: [web(1), web(2)],
        groundingSupports: [
          { segment: { endIndex: 4, text: "One." }, groundingChunkIndices: [0] },
          { segment: { partIndex: 1, endIndex: 4, text: "Two." }, groundingChunkIndices: [1] },
          { segment: { partIndex: 3, startIndex: 1, endIndex: 5, text: "hree" }, groundingChunkIndices: [0, 1] },
        ],
      },
    }),
  ),
  createSample(
    "an image",
    candidate(model({ inlineData: { mimeType: "image/png", data: PIXEL }, thoughtSignature: "aW1n" })),
  ),
  ...[
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "MALFORMED_FUNCTION_CALL",
    "CONTINUATION",
    "NEVER_HEARD_OF",
  ].map((finishReason) =>
    createSample(
      `ended by ${finishReason}`,
      candidate(model(text("Cut"), call("f", {})), { finishReason, finishMessage: "Why." }),
    ),
  ),
  createSample("no parts", { content: { role: "model" }, finishReason: "MAX_TOKENS", index: 0 }),
  createSample("no content", { finishReason: "OTHER", index: 0 }),
  createSample("no role and no index", {
    content: { parts: [text("Hm.")] },
    safetyRatings: [{ category: "X", probability: "LOW" }],
  }),
  {
    name: "several candidates",
    wire: {
      candidates: [
        candidate(model(text("One.")), { avgLogprobs: -0.25 }),
        candidate(model(text("Two.")), { index: 1, finishReason: "MAX_TOKENS", tokenCount: 3 }),
        candidate({ role: "model", parts: [], more: 1 }, { index: 7, finishReason: "UNHEARD" }),
        { content: null, index: 3 },
      ],
      usageMetadata,
    },
  },
  {
    name: "blocked",
    wire: {
      promptFeedback: { blockReason: "SAFETY", safetyRatings: [{ category: "X" }] },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
      ...ids,
    },
  },
  {
    name: "blocked, with an empty list",
    wire: { candidates: [], promptFeedback: { blockReason: "PROHIBITED_CONTENT" } },
  },
  { name: "an empty body", wire: {} },
  { name: "no candidates", wire: { candidates: null, promptFeedback: {}, modelVersion: 7 } },
  {
    name: "every count",
    wire: {
      candidates: [candidate(model(text("Counted.")))],
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 30,
        toolUsePromptTokenCount: 5,
        totalTokenCount: 145,
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: 60 }],
        toolUsePromptTokensDetails: [{ modality: "TEXT", tokenCount: 5 }],
        trafficType: "ON_DEMAND",
        serviceTier: "standard",
      },
      sdkHttpResponse: { headers: { date: "today" } },
    },
  },
  {
    name: "counts that do not add up",
    wire: {
      candidates: [],
      usageMetadata: { promptTokenCount: 3, thoughtsTokenCount: 0, candidatesTokenCount: 1, totalTokenCount: 99 },
    },
  },
  {
    name: "malformed counts",
    wire: {
      candidates: [],
      usageMetadata: {
        promptTokenCount: "3",
        candidatesTokenCount: -1,
        thoughtsTokenCount: 1.5,
        totalTokenCount: null,
      },
    },
  },
  { name: "no counts", wire: { candidates: [], usageMetadata: {} } },
  {
    name: "log probabilities",
    wire: {
      candidates: [
        candidate(model(text("A b")), {
          logprobsResult: {
            chosenCandidates: [
              { token: "A", tokenId: 7, logProbability: -0.125 },
              { token: " b", tokenId: 9, logProbability: -2 },
            ],
            topCandidates: [
              {
                candidates: [
                  { token: "A", logProbability: -0.125 },
                  { token: "The", logProbability: -3.5 },
                ],
              },
              { candidates: [] },
            ],
            logProbabilitySum: -2.125,
          },
        }),
        candidate(model(text("A"), text("B")), {
          index: 1,
          logprobsResult: { chosenCandidates: [{ token: "A", logProbability: -1 }] },
        }),
      ],
    },
  },
  createSample(
    "a grounded answer",
    createGrounded({
      groundingChunks: [web(1), web(2)],
      groundingSupports: [
        { segment: segment("Ἡ κοινή 🏛️ was common."), groundingChunkIndices: [0, 1], confidenceScores: [0.75, 0.5] },
        { segment: segment("It spread."), groundingChunkIndices: [1] },
      ],
      webSearchQueries: ["koine"],
      searchEntryPoint: { renderedContent: "<b>koine</b>" },
    }),
  ),
  createSample(
    "sources without a segment, or cited out of order",
    createGrounded({
      groundingChunks: [
        web(1),
        web(2, { domain: "example.com" }),
        { maps: { uri: "https://maps.example/x", title: "X", placeId: "places/x" } },
        { retrievedContext: { uri: "gs://b/d", title: "D", text: "Words of D." } },
        { image: { imageUri: "https://example.com/i" } },
        { unheard: 7 },
      ],
      groundingSupports: [{ segment: segment("It is read."), groundingChunkIndices: [3, 1] }],
    }),
  ),
  createSample(
    "a thought before the grounded text",
    createGrounded(
      {
        groundingChunks: [web(1)],
        groundingSupports: [
          { segment: segment("It spread.", { partIndex: 1 }), groundingChunkIndices: [0] },
          { segment: segment("It is read."), groundingChunkIndices: [0] },
        ],
      },
      { text: "Hm.", thought: true },
    ),
  ),
  createSample(
    "segments whose text differs from the answer",
    createGrounded({
      groundingChunks: [web(1)],
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 3, text: "other words" }, groundingChunkIndices: [0] },
        { segment: { startIndex: 0, endIndex: countBytes("Ἡ"), text: "Ἡ" }, groundingChunkIndices: [0] },
      ],
    }),
  ),
  ...Object.entries({
    "an index out of range": {
      groundingChunks: [web(1)],
      groundingSupports: [{ segment: segment("It spread."), groundingChunkIndices: [4] }],
    },
    "two equal sources": {
      groundingChunks: [web(1), web(1)],
      groundingSupports: [{ segment: segment("It spread."), groundingChunkIndices: [1] }],
    },
    "no segment": { groundingChunks: [web(1)], groundingSupports: [{ groundingChunkIndices: [0] }] },
    "no fields": {},
    "sources only": { groundingChunks: [web(1)] },
    "an empty list of supports": { groundingChunks: [web(1)], groundingSupports: [] },
  }).map(([name, grounding]) => createSample(`grounding: ${name}`, createGrounded(grounding))),
  createSample(
    "citations and visited pages",
    candidate(model(text(CITED)), {
      citationMetadata: { citations: [{ startIndex: 0, endIndex: 5, uri: "https://example.com", license: "MIT" }] },
      urlContextMetadata: {
        urlMetadata: [{ retrievedUrl: "https://example.com", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS" }],
      },
    }),
  ),
  createSample(
    "citations with byte offsets, and grounding",
    candidate(model(text(CITED)), {
      citationMetadata: {
        citationSources: [
          { startIndex: 0, endIndex: 3, uri: "https://example.com/a" },
          { startIndex: countBytes("Ἡ κοινή"), endIndex: countBytes("Ἡ κοινή 🏛️"), title: "B", license: "MIT" },
          { startIndex: 1, endIndex: 2, uri: "https://example.com/c" },
        ],
        more: true,
      },
      groundingMetadata: { groundingChunks: [web(1)] },
    }),
  ),
  createSample(
    "a call that was cut off",
    candidate(model(call("f", {})), { finishReason: "MAX_TOKENS", finishMessage: "Long." }),
  ),
  { name: "an error in the body", wire: { error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } } },
  {
    name: "an error after the beginning",
    wire: {
      candidates: [candidate(model(text("So f")))],
      error: { code: 500, message: "Broken.", status: "INTERNAL", more: 1 },
    },
  },
  {
    name: "snake_case names",
    wire: {
      candidates: [
        {
          content: { role: "model", parts: [{ function_call: { name: "f", args: {} } }] },
          finish_reason: "STOP",
          index: 0,
          safety_ratings: [],
        },
        { content: { role: "model", parts: [] }, finish_reason: "STOP", index: 1 },
      ],
      usage_metadata: { prompt_token_count: 3, candidates_token_count: 4, total_token_count: 7 },
      model_version: "m",
      response_id: "r",
    },
  },
];
