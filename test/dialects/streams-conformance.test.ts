// The suite for streams, on every dialect that has them: answers of every provider, the rare ones included, in pieces
// and whole; and the dialect's own streams of them, cut, broken off, mutated and out of order.
import { describe, expect, test } from "vitest";
import type { Part, Response } from "../../src/index.ts";
import { dialect, dialects, disassemble } from "../../src/index.ts";
import type { StreamSample } from "../../src/testkit/index.ts";
import { responseGallery, streamConformance } from "../../src/testkit/index.ts";
import { encodeDeltas } from "../../src/testkit/stream-reading.ts";
import { repeatsIn } from "../support/stream-repeats.ts";
import { unsaidIn } from "../support/stream-unsaid.ts";
import { tries } from "../support/tries.ts";
import { responseSamples as anthropicResponses } from "./anthropic-response-samples.ts";
import { responses as geminiResponses } from "./gemini-reply-samples.ts";
import { plainResponses, spelledResponses } from "./openai-chat-reply-samples.ts";
import { responseSamples as responsesResponses } from "./openai-responses-answers.ts";
import { RARE } from "./rare-samples.ts";

const BODIES = {
  "openai-chat": [...plainResponses, ...spelledResponses, ...RARE["openai-chat"].responses],
  "openai-responses": [...responsesResponses, ...RARE["openai-responses"].responses],
  anthropic: [...anthropicResponses, ...RARE.anthropic.responses],
  gemini: [...geminiResponses, ...RARE.gemini.responses],
} as const;

/** Answers by the provider that gave them. */
const ANSWERS = new Map<string, Response[]>(
  Object.entries(BODIES).map(([id, bodies]) => [id, bodies.map(({ wire }) => dialect(id).decodeResponse(wire))]),
);

/** The run shape is Koine's own: what is no delta it refuses, which its own tests hold. */
const STREAMING = dialects.filter((id) => dialect(id).supports.has("streams") && id !== "run");

test("there are dialects and answers to look at", () => {
  expect(STREAMING).toEqual(expect.arrayContaining(Object.keys(BODIES)));
  expect([...ANSWERS.values()].flat().length).toBeGreaterThan(60);
});

const URL = { kind: "url", url: "https://example.com/cited", title: "Cited" } as const;

/** Answers that no provider gives, and that a caller may well pass on. */
const ODD: Part[][] = [
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
const MADE = ODD.map((parts): Response => {
  return { id: "made", model: "m", message: { role: "assistant", parts }, finishReason: { unified: "stop" } };
});

/** The dialect's own streams: its own answers where it has some, and those of the gallery. */
function samplesOf(id: string): StreamSample[] {
  const own = (ANSWERS.get(id) ?? []).map((value, index) => ({ name: `own answer ${index}`, value }));
  return [...responseGallery(), ...own].map(({ name, value }) => ({
    name: `the stream of ${name}`,
    events: encodeDeltas(dialect(id), disassemble(value)).events,
    ends: value.error === undefined ? "done" : "error",
  }));
}

describe.each(STREAMING)("%s", (id) => {
  const cases = streamConformance(dialect(id), {
    samples: samplesOf(id),
    responses: [...MADE, ...[...ANSWERS.values()].flat()],
    exceptions: unsaidIn(id),
    repeats: repeatsIn(id),
    mutants: tries(40),
  });
  for (const { title, run } of cases) test(title, run);
});
