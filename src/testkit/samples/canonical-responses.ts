// Creates canonical responses that together use every field of a response, every finish reason and an error.
import type { UnifiedFinishReason } from "../../model/finish-reason.ts";
import { FINISH_REASONS } from "../../model/finish-reason.ts";
import type { Metadata } from "../../model/message.ts";
import { assistant } from "../../model/message.ts";
import type { Annotation, Part } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { Usage } from "../../model/usage.ts";
import type { NamedValue } from "../checks/payload-codec.ts";
import { canonicalMessages, withUniqueStrings } from "./canonical-messages.ts";

const extra = { "some-dialect": { unknown_outcome: "value-of-the-unknown-outcome", nothing: null } };
const CREATED_AT = "2025-03-04T05:06:07.000Z";

/** Usage with counts that are consistent and all different. */
const usage: Usage = {
  inputTokens: 1109,
  outputTokens: 523,
  totalTokens: 1632,
  cacheReadTokens: 307,
  cacheWriteTokens: 211,
  cacheWrite5mTokens: 127,
  cacheWrite1hTokens: 84,
  reasoningTokens: 113,
  cost: 0.0625,
  extra,
  raw: { words: "the provider's own words", count: 5 },
};

const CITED_TEXT = "A cited text 🏛️, long enough to be cited.";
const annotations: Annotation[] = [
  { kind: "url", url: "https://example.com/cited", title: "A cited page", span: { start: 2, end: 12 } },
  { kind: "document", source: "the-cited-document", citedText: "words of the document", span: { start: 13, end: 20 } },
  { kind: "file", fileId: "file-that-is-cited", title: "cited.pdf" },
  { kind: "other", citedText: "words from nowhere", extra },
];

const metadata: Metadata = {
  schemaVersion: 2,
  invalidToolCalls: [{ toolCallId: "call_c", reason: "It was cut off." }],
  custom: "custom metadata",
};

/** Returns a response with every field, the parts of the canonical assistant message, and two alternatives. */
function responseWithEveryField(): ModelResponse {
  const [parts = []] = canonicalMessages().flatMap(({ role, parts }) => (role === "assistant" ? [parts] : []));
  return withUniqueStrings({
    id: "id-of-the-response",
    model: "model-of-the-response",
    message: { role: "assistant", id: "id-of-the-message", parts, extra, metadata },
    alternatives: [
      { message: assistant("The second choice."), finishReason: { unified: "length", raw: "max_tokens" }, extra },
      { message: assistant([...citedParts()]), finishReason: { unified: "stop" } },
    ],
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
    usage,
    createdAt: CREATED_AT,
    extra,
  });
}

function citedParts(): Part[] {
  const top = [{ token: "An", logprob: -2.5 }];
  return [{ type: "text", text: CITED_TEXT, annotations, logprobs: [{ token: "A", logprob: -0.5, bytes: [65], top }] }];
}

function createResponse(response: Partial<ModelResponse>): ModelResponse {
  const finishReason: ModelResponse["finishReason"] = { unified: "stop" };
  return { id: "answer-0001", model: "a-model", message: assistant("An answer."), finishReason, ...response };
}

/** Returns a response with a finish reason and matching content, such as a tool call for "tool-calls". */
function responseEndingWith(unified: UnifiedFinishReason): ModelResponse {
  const parts: Partial<Record<UnifiedFinishReason, Part>> = {
    "tool-calls": { type: "tool-call", toolCallId: "call_ended", toolName: "look_up", input: { place: "Corinth" } },
    refusal: { type: "refusal", text: "I would rather not." },
  };
  const part = parts[unified] ?? { type: "text", text: `It ended by ${unified}.` };
  const ended = createResponse({ message: assistant([part]), finishReason: { unified } });
  return unified === "error" ? { ...ended, error: { kind: "server", message: "It broke down." } } : ended;
}

const media: Part[] = [
  { type: "image", data: "aW1hZ2Ugb2YgdGhlIGFuc3dlcg==", mimeType: "image/png" },
  { type: "audio", data: "YXVkaW8gb2YgdGhlIGFuc3dlcg==", mimeType: "audio/wav", transcript: "What was said aloud." },
];

const MINIMAL_USAGE: Usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 };

/** Returns named canonical responses that together use every field of a response. */
export function canonicalResponses(): NamedValue<ModelResponse>[] {
  return [
    { name: "every field", value: responseWithEveryField() },
    { name: "a plain answer", value: createResponse({}) },
    { name: "no id and no model", value: createResponse({ id: "", model: "" }) },
    { name: "no parts", value: createResponse({ message: assistant([]) }) },
    { name: "an empty text", value: createResponse({ message: assistant("") }) },
    { name: "a cited text", value: createResponse({ message: assistant(citedParts()) }) },
    {
      name: "media",
      value: createResponse({ message: assistant([...media, { type: "text", text: "As seen and heard." }]) }),
    },
    { name: "every count", value: createResponse({ usage }) },
    { name: "few counts", value: createResponse({ usage: MINIMAL_USAGE, createdAt: CREATED_AT }) },
    {
      name: "counts of zero",
      value: createResponse({ usage: { inputTokens: 5, outputTokens: 0, totalTokens: 5, cacheReadTokens: 0 } }),
    },
    {
      name: "a cache read",
      value: createResponse({ usage: { ...MINIMAL_USAGE, cacheReadTokens: 4, reasoningTokens: 3 } }),
    },
    {
      name: "an unknown finish reason",
      value: createResponse({ finishReason: { unified: "other", raw: "never_heard_of" } }),
    },
    ...FINISH_REASONS.map((unified) => ({ name: `ended by ${unified}`, value: responseEndingWith(unified) })),
    {
      name: "an error with every field",
      value: createResponse({
        message: assistant("As far as it got"),
        finishReason: { unified: "error" },
        error: {
          kind: "rate-limit",
          message: "Too many questions.",
          status: 429,
          retryAfterMs: 1500,
          retryable: true,
          raw: { said: "slow down" },
        },
      }),
    },
  ];
}
