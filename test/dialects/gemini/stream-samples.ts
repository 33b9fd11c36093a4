// Hand-written Gemini streams, each with the equivalent whole response: every kind of part, thoughts and signatures at
// every position, whole and streamed calls, sources, several candidates, spellings of vendors.
import { PIXEL } from "./message-samples.ts";

export interface StreamSample {
  name: string;
  events: readonly object[];
  /** The equivalent whole response. */
  whole: object;
}

const head = { modelVersion: "gemini-3-flash", responseId: "resp-1" };
const usage = (candidatesTokenCount: number): object => ({
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount, totalTokenCount: 5 + candidatesTokenCount },
});
const content = (...parts: object[]): object => ({ content: { role: "model", parts } });

/** An event of candidate 0. */
export const chunk = (...parts: object[]): object => ({ candidates: [{ ...content(...parts), index: 0 }], ...head });
/** The last event of a stream. */
export const last = (parts: object[], more: object = {}, count = 9): object => ({
  candidates: [{ ...content(...parts), finishReason: "STOP", index: 0, ...more }],
  ...usage(count),
  ...head,
});
export const text = (value: string, more: object = {}): object => ({ text: value, ...more });
export const thought = (value: string, more: object = {}): object => ({ text: value, thought: true, ...more });
export const signed = { thoughtSignature: "c2ln" };
export const call = (name: string, args?: object, more: object = {}): object => ({
  functionCall: { name, ...(args && { args }), ...more },
});
const partial = (jsonPath: string, value: object, willContinue = false): object => ({
  functionCall: {
    partialArgs: [{ jsonPath, ...value, ...(willContinue && { willContinue: true }) }],
    willContinue: true,
  },
});

const CITED = "Ἡ κοινή 🏛️ was common. It spread.";
const countBytes = (value: string): number => new TextEncoder().encode(value).length;
const grounding = {
  groundingChunks: [{ web: { uri: "https://example.com/1", title: "One" } }],
  groundingSupports: [
    {
      segment: { startIndex: countBytes("Ἡ κοινή 🏛️ was common. "), endIndex: countBytes(CITED), text: "It spread." },
      groundingChunkIndices: [0],
    },
  ],
};
const visited = (number: number): object => ({ retrievedUrl: `https://example.com/${number}` });

export const streams: StreamSample[] = [
  {
    name: "text in pieces, counts on each",
    events: [
      { ...chunk(text("Good ")), ...usage(1) },
      { ...chunk(text("day")), ...usage(2) },
      last([text(".")], {}, 3),
    ],
    whole: last([text("Good day.")], {}, 3),
  },
  {
    name: "thoughts, then text",
    events: [chunk(thought("Hm")), chunk(thought(", well")), chunk(text("Yes")), last([text(".")])],
    whole: last([thought("Hm, well"), text("Yes.")]),
  },
  {
    name: "a signature at the end, on an empty text",
    events: [chunk(text("Yes")), chunk(text(".")), last([text("", signed)])],
    whole: last([text("Yes.", signed)]),
  },
  {
    name: "a signature at the beginning",
    events: [chunk(text("Y", signed)), chunk(text("es")), last([text(".")])],
    whole: last([text("Yes.", signed)]),
  },
  {
    name: "a signed thought, and an empty text that is signed by itself",
    events: [chunk(thought("Hm")), chunk(thought("", signed)), last([text("", { thoughtSignature: "dHdv" })])],
    whole: last([thought("Hm", signed), text("", { thoughtSignature: "dHdv" })]),
  },
  {
    name: "a second signature",
    events: [chunk(text("One", signed)), chunk(text(".")), last([text("Two", { thoughtSignature: "dHdv" })])],
    whole: last([text("One.", signed), text("Two", { thoughtSignature: "dHdv" })]),
  },
  {
    name: "parts of every kind in one event",
    events: [
      chunk(thought("Hm"), text("See "), { executableCode: { language: "PYTHON", code: "1" }, ...signed }),
      chunk({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }),
      chunk({ inlineData: { mimeType: "image/png", data: PIXEL }, thoughtSignature: "aW1n" }),
      chunk({ fileData: { mimeType: "video/mp4", fileUri: "gs://b/v" } }, { toolCall: { toolType: "MAPS", args: {} } }),
      chunk({ unheard: { of: 1 } }, text("this", { partMetadata: { a: 1 } })),
      last([text(" one.", { partMetadata: { a: 1 } })]),
    ],
    whole: last([
      thought("Hm"),
      text("See "),
      { executableCode: { language: "PYTHON", code: "1" }, ...signed },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      { inlineData: { mimeType: "image/png", data: PIXEL }, thoughtSignature: "aW1n" },
      { fileData: { mimeType: "video/mp4", fileUri: "gs://b/v" } },
      { toolCall: { toolType: "MAPS", args: {} } },
      { unheard: { of: 1 } },
      text("this one.", { partMetadata: { a: 1 } }),
    ]),
  },
  {
    name: "parallel calls, with ids, without, and with the same one",
    events: [
      chunk({ ...call("look", { at: "sea" }, { id: "fc" }), ...signed }),
      chunk(call("look", { at: "sky" }), call("look", {}, { id: "fc" })),
      last([call("wait")]),
    ],
    whole: last([
      { ...call("look", { at: "sea" }, { id: "fc" }), ...signed },
      call("look", { at: "sky" }),
      call("look", {}, { id: "fc" }),
      call("wait"),
    ]),
  },
  {
    name: "a call that was cut off",
    events: [chunk(call("look", { at: "sea" })), last([text("")], { finishReason: "MAX_TOKENS" })],
    whole: last([call("look", { at: "sea" })], { finishReason: "MAX_TOKENS" }),
  },
  {
    name: "streamed arguments",
    events: [
      chunk({ ...call("make", undefined, { willContinue: true }), ...signed }),
      chunk(partial("$.name", { stringValue: 'Las"a' }, true)),
      chunk(partial("$.name", { stringValue: "gna" })),
      chunk(partial("$.steps[0].text", { stringValue: "Bake." })),
      chunk(partial("$.steps[0].minutes", { numberValue: 25.5 })),
      chunk(partial("$.steps[1]['done']", { boolValue: false })),
      chunk(partial("$.note", { nullValue: "NULL_VALUE" })),
      chunk({ functionCall: {} }),
      last([call("wait", {})]),
    ],
    whole: last([
      {
        ...call("make", {
          name: 'Las"agna',
          steps: [{ text: "Bake.", minutes: 25.5 }, { done: false }],
          note: null,
        }),
        ...signed,
      },
      call("wait", {}),
    ]),
  },
  {
    name: "streamed arguments that return to a closed container, and a call without an end",
    events: [
      chunk(call("make", undefined, { id: "fc", willContinue: true })),
      chunk(partial("$.a.b", { numberValue: 1 })),
      chunk(partial("$.c[1]", { stringValue: "second" })),
      chunk(partial("$.a.d", { stringValue: "la" }, true), partial("$.a.d", { stringValue: "te" })),
      chunk(partial("$.c[0]", { stringValue: "first" })),
      last([text("")]),
    ],
    whole: last([call("make", { a: { b: 1, d: "late" }, c: ["first", "second"] }, { id: "fc" })]),
  },
  {
    name: "grounding at the end, empty grounding before",
    events: [
      { candidates: [{ ...content(text(CITED.slice(0, 9))), groundingMetadata: {}, index: 0 }], ...head },
      last([text(CITED.slice(9))], {
        groundingMetadata: { ...grounding, webSearchQueries: ["koine"] },
        citationMetadata: { citationSources: [{ endIndex: 3, uri: "https://example.com/c" }] },
      }),
    ],
    whole: last([text(CITED)], {
      groundingMetadata: { ...grounding, webSearchQueries: ["koine"] },
      citationMetadata: { citationSources: [{ endIndex: 3, uri: "https://example.com/c" }] },
    }),
  },
  {
    name: "grounding, visited pages, log probabilities and ratings spread over the stream",
    events: [
      {
        candidates: [
          {
            ...content(text(CITED.slice(0, 9))),
            groundingMetadata: { groundingChunks: grounding.groundingChunks },
            urlContextMetadata: { urlMetadata: [visited(1)] },
            logprobsResult: { chosenCandidates: [{ token: "A", logProbability: -1 }] },
            safetyRatings: [{ category: "X", probability: "LOW" }],
            index: 0,
          },
        ],
        ...head,
      },
      last([text(CITED.slice(9))], {
        groundingMetadata: grounding,
        urlContextMetadata: { urlMetadata: [visited(1), visited(2)] },
        logprobsResult: { chosenCandidates: [{ token: "b", logProbability: -2 }], logProbabilitySum: -3 },
        safetyRatings: [{ category: "X", probability: "NEGLIGIBLE" }],
        avgLogprobs: -1.5,
        finishMessage: "Done.",
      }),
    ],
    whole: last([text(CITED)], {
      groundingMetadata: grounding,
      urlContextMetadata: { urlMetadata: [visited(1), visited(2)] },
      logprobsResult: {
        chosenCandidates: [
          { token: "A", logProbability: -1 },
          { token: "b", logProbability: -2 },
        ],
        logProbabilitySum: -3,
      },
      safetyRatings: [{ category: "X", probability: "NEGLIGIBLE" }],
      avgLogprobs: -1.5,
      finishMessage: "Done.",
    }),
  },
  {
    name: "interleaved candidates",
    events: [
      { candidates: [{ ...content(text("On")), index: 0 }], ...head },
      { candidates: [{ ...content(text("Tw")), index: 1 }], ...head },
      { candidates: [{ ...content(text("e.")), finishReason: "STOP", index: 0 }], ...head },
      { candidates: [{ ...content(thought("?")), finishReason: "MAX_TOKENS", tokenCount: 3, index: 1 }], ...head },
      { ...usage(4), ...head },
    ],
    whole: {
      candidates: [
        { ...content(text("One.")), finishReason: "STOP", index: 0 },
        { ...content(text("Tw"), thought("?")), finishReason: "MAX_TOKENS", tokenCount: 3, index: 1 },
      ],
      ...usage(4),
      ...head,
    },
  },
  {
    name: "a blocked prompt",
    events: [{ promptFeedback: { blockReason: "SAFETY", safetyRatings: [] }, ...usage(0), ...head }],
    whole: { promptFeedback: { blockReason: "SAFETY", safetyRatings: [] }, ...usage(0), ...head },
  },
  {
    name: "snake_case names, no index, a creation time",
    events: [
      {
        candidates: [{ content: { role: "model", parts: [{ text: "Hm", thought: true }] } }],
        usage_metadata: { prompt_token_count: 3 },
        model_version: "m",
        response_id: "r",
        createTime: "2025-05-06T07:08:09Z",
      },
      {
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                { text: "", thought: true, thought_signature: "c2ln" },
                { function_call: { name: "f", args: {} } },
              ],
            },
            finish_reason: "STOP",
          },
        ],
        usage_metadata: { prompt_token_count: 3, candidates_token_count: 4, total_token_count: 7 },
        model_version: "m",
        response_id: "r",
        createTime: "2025-05-06T07:08:09Z",
      },
    ],
    whole: {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              { text: "Hm", thought: true, thought_signature: "c2ln" },
              { function_call: { name: "f", args: {} } },
            ],
          },
          finish_reason: "STOP",
        },
      ],
      usage_metadata: { prompt_token_count: 3, candidates_token_count: 4, total_token_count: 7 },
      model_version: "m",
      response_id: "r",
      createTime: "2025-05-06T07:08:09Z",
    },
  },
  {
    name: "an empty answer, and unknown fields everywhere",
    events: [
      {
        candidates: [{ content: { role: "model", parts: [], new: 1 }, index: 0, newer: [2] }],
        ...head,
        newest: { a: 3 },
      },
      last([text("")], { finishReason: "NEVER_HEARD_OF" }),
    ],
    whole: {
      ...last([], { finishReason: "NEVER_HEARD_OF", newer: [2], content: { role: "model", parts: [], new: 1 } }),
      newest: { a: 3 },
    },
  },
];
