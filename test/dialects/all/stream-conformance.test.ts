// The stream conformance suite on every dialect with streams: answers of every provider, streamed and whole; and the
// dialect's own streams, cut, truncated, mutated and out of order.
import { describe, expect, test } from "vitest";
import type { Part, ModelResponse } from "../../../src/index.ts";
import { dialect, dialects, disassemble } from "../../../src/index.ts";
import type { StreamSample } from "../../../src/testkit/index.ts";
import { canonicalResponses, streamConformance } from "../../../src/testkit/index.ts";
import { encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import { createRepeatedFieldTest } from "../../support/repeated-stream-fields.ts";
import { listFormatExceptions } from "../../support/stream-format-exceptions.ts";
import { isQuickRun, sampleInQuickRun } from "../../support/quick-run.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { responseSamples as anthropicResponses } from "../anthropic/response-samples.ts";
import { responses as geminiResponses } from "../gemini/response-samples.ts";
import { plainResponses, variantResponses } from "../openai-chat/response-samples.ts";
import { responseSamples as responsesResponses } from "../openai-responses/response-samples.ts";
import { RARE } from "./rare-samples.rows.ts";

const BODIES = {
  "openai-chat": [...plainResponses, ...variantResponses, ...RARE["openai-chat"].responses],
  "openai-responses": [...responsesResponses, ...RARE["openai-responses"].responses],
  anthropic: [...anthropicResponses, ...RARE.anthropic.responses],
  gemini: [...geminiResponses, ...RARE.gemini.responses],
} as const;

/** Answers by provider. */
const ANSWERS = new Map<string, ModelResponse[]>(
  Object.entries(BODIES).map(([id, bodies]) => [id, bodies.map(({ wire }) => dialect(id).decodeResponse(wire))]),
);

/** Without the run shape, which rejects invalid deltas; its own tests cover that. */
const STREAMING = dialects.filter((id) => dialect(id).supports.has("streams") && id !== "run");

test("there are dialects and answers to test", () => {
  expect(STREAMING).toEqual(expect.arrayContaining(Object.keys(BODIES)));
  expect([...ANSWERS.values()].flat().length).toBeGreaterThan(60);
});

const URL = { kind: "url", url: "https://example.com/cited", title: "Cited" } as const;

/** Answers that no provider returns, but a caller may pass. */
const UNUSUAL_PARTS: Part[][] = [
  [{ type: "tool-call", toolCallId: "call_1", toolName: "look", input: { at: "Delos" }, cache: { ttl: "5m" } }],
  [{ type: "tool-call", toolCallId: "call_1", toolName: "look", input: "free text", format: "text", seals: [] }],
  [{ type: "text", text: "", cache: {} }],
  [{ type: "text", text: "half a character: \uD83D" }],
  [
    { type: "text", text: "\uDE00 the other half" },
    { type: "reasoning", text: "and \uD83D within" },
  ],
  [
    { type: "text", text: "One." },
    { type: "text", text: "Two.", annotations: [{ ...URL, span: { start: 1, end: 3 } }] },
  ],
  [
    { type: "refusal", text: "" },
    { type: "text", text: "😀", annotations: [{ ...URL, span: { start: 0, end: 1 } }] },
  ],
  [
    { type: "refusal", text: "No." },
    { type: "text", text: "But yes." },
    { type: "refusal", text: "Or not." },
  ],
  [{ type: "reasoning", text: "raw", summary: ["first", "", "third"] }],
  [{ type: "text", text: "A word", logprobs: [] }],
];
const SYNTHETIC_ANSWERS = UNUSUAL_PARTS.map((parts): ModelResponse => {
  return { id: "made", model: "m", message: { role: "assistant", parts }, finishReason: { unified: "stop" } };
});

/** Returns streams of the dialect: its own answers, and those of the gallery. */
function createSamples(id: string): StreamSample[] {
  const own = (ANSWERS.get(id) ?? []).map((value, index) => ({ name: `own answer ${index}`, value }));
  return [...canonicalResponses(), ...own].map(({ name, value }) => ({
    name: `the stream of ${name}`,
    events: encodeDeltas(dialect(id), disassemble(value)).events,
    ends: value.error === undefined ? "done" : "error",
  }));
}

describe.each(STREAMING)("%s", (id) => {
  const cases = streamConformance(dialect(id), {
    samples: createSamples(id),
    responses: [...SYNTHETIC_ANSWERS, ...[...ANSWERS.values()].flat()],
    exceptions: listFormatExceptions(id),
    isRepeatedField: createRepeatedFieldTest(id),
    mutants: scaleRunCount(40),
  });
  // The test that every exception is needed requires all cases, so a quick run omits it.
  const listed = isQuickRun ? sampleInQuickRun(cases.filter(({ title }) => !title.includes("exceptions:"))) : cases;
  for (const { title, run } of listed) test(title, run);
});
