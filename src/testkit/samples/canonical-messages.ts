// Creates canonical messages that together use every part type and every field. Every string is unique, so that a
// string in the output identifies its field.
import type { Message } from "../../model/message.ts";
import type { Annotation, Issuer, Logprob, Part, Seal } from "../../model/parts.ts";
import { mapScalars } from "../json/json-nodes.ts";
import { isLiteral } from "../oracle/model-paths.ts";

const issuer: Issuer = { dialect: "openai-responses", provider: "vendor-one", model: "model-one" };
const seals: Seal[] = [
  { dialect: "anthropic", provider: "vendor-two", model: "model-two", kind: "signature", value: "seal-of-anthropic" },
  { dialect: "gemini", kind: "signature", value: "seal-of-gemini" },
  { ...issuer, kind: "encrypted", value: "seal-of-openai" },
];
const extra = {
  "some-dialect": { unknown_field: "value-of-the-unknown-field", nothing: null, deep: { list: [1, true] } },
};
const cache = { ttl: "1h" } as const;
const logprobs: Logprob[] = [
  { token: "Salve", logprob: -0.25, bytes: [83, 97], tokenId: 77, top: [{ token: "Ave", logprob: -1.5 }], extra },
];
const annotations: Annotation[] = [
  {
    kind: "url",
    url: "https://example.com/annotated",
    title: "An annotated title",
    citedText: "a cited text",
    span: { start: 1, end: 5 },
    source: "the-source-block",
    seals: [{ dialect: "anthropic", kind: "encrypted", value: "encrypted-index" }],
    extra,
  },
  { kind: "file", fileId: "file-of-the-annotation" },
];

function everyMedia(type: "image" | "audio" | "video" | "file", mimeType: string): Part[] {
  const beside = { mimeType, name: `name-of-the-${type}`, size: 42, extra, cache, seals };
  return [
    { type, url: `https://example.com/${type}`, ...beside },
    { type, data: btoa(`The bytes of this ${type}.`), mimeType },
    { type, text: `The text of this ${type}.`, mimeType: "text/plain" },
    { type, content: [{ type: "text", text: `Inside of this ${type}.` }] },
    { type, fileId: `id-of-the-${type}`, issuer },
    { type, path: `/somewhere/${type}` },
    { type, blob: `blob-of-the-${type}` },
    { type, url: `https://example.com/${type}/plain` },
  ];
}

/** Truncated arguments of a call. They are not JSON, so `input` is the text. */
const TRUNCATED_INPUT = '{"cut": ';
/** User data whose field names are also fields of parts and messages. */
const lookalike = {
  type: "type-of-the-data",
  role: "role-of-the-data",
  kind: "kind-of-the-data",
  format: "data-format",
};

const userParts: Part[] = [
  { type: "text", text: "A user's text with everything.", annotations, logprobs, extra, cache, seals },
  ...everyMedia("image", "image/png"),
  { type: "text", text: "A text after the images." },
  ...everyMedia("audio", "audio/wav"),
  ...everyMedia("video", "video/mp4"),
  ...everyMedia("file", "application/pdf"),
  { type: "audio", data: "c291bmQ=", mimeType: "audio/mpeg", transcript: "What was said." },
  {
    type: "opaque",
    dialect: "some-dialect",
    issuer,
    value: { block: "an unknown block", ...lookalike },
    extra,
    cache,
    seals,
  },
  { type: "text", text: "The last text." },
];

const assistantParts: Part[] = [
  { type: "reasoning", text: "Raw reasoning.", summary: ["First summary.", "Second summary."], extra, cache, seals },
  { type: "reasoning", text: "", seals: [{ dialect: "anthropic", kind: "redacted", value: "redacted-thinking" }] },
  { type: "reasoning", text: "", summary: ["Only a summary."] },
  { type: "text", text: "Text between the calls." },
  { type: "text", text: "" },
  {
    type: "tool-call",
    toolCallId: "call_a",
    toolName: "tool_a",
    input: { city: "Corinth", days: 3, hot: false, ...lookalike },
  },
  { type: "reasoning", text: "Second thoughts.", seals: seals.slice(0, 1) },
  {
    type: "tool-call",
    toolCallId: "call_b",
    toolName: "tool_b",
    input: { big: 12345678901234567000 },
    inputText: '{ "big": 12345678901234567890 }',
    executor: "client",
    format: "json",
    tool: "computer_call",
    extra,
    cache,
    seals,
  },
  {
    type: "tool-call",
    toolCallId: "call_c",
    toolName: "tool_c",
    input: TRUNCATED_INPUT,
    inputText: TRUNCATED_INPUT,
    invalid: true,
  },
  { type: "tool-call", toolCallId: "call_d", toolName: "tool_d", input: "free form text", format: "text" },
  {
    type: "tool-call",
    toolCallId: "call_e",
    toolName: "web_search",
    input: { query: "koine" },
    executor: "provider",
    tool: "web_search",
  },
  {
    type: "tool-result",
    toolCallId: "call_e",
    toolName: "web_search",
    isError: false,
    output: { hits: ["one hit"] },
    executor: "provider",
    tool: "web_search",
  },
  { type: "refusal", text: "I would rather not.", logprobs, extra, cache, seals },
];

const toolParts: Part[] = [
  { type: "tool-result", toolCallId: "call_a", toolName: "tool_a", isError: false, output: "Plain text output." },
  {
    type: "tool-result",
    toolCallId: "call_b",
    toolName: "tool_b",
    isError: true,
    output: { code: 7, reason: "It broke down.", ...lookalike },
    content: [
      { type: "text", text: "A text beside the output." },
      { type: "image", data: "aW1hZ2U=", mimeType: "image/png" },
    ],
    executor: "client",
    format: "json",
    tool: "computer_call_output",
    extra,
    cache,
    seals,
  },
  { type: "tool-result", toolCallId: "call_c", toolName: "tool_c", isError: true },
  { type: "tool-result", toolCallId: "call_d", toolName: "tool_d", isError: false, output: "", format: "text" },
];

/** Returns canonical messages that use every part type and every field, in the order of a legal conversation. */
export function canonicalMessages(): Message[] {
  const messages: Message[] = [
    { role: "system", parts: [{ type: "text", text: "A system text." }] },
    { role: "developer", parts: [{ type: "text", text: "A developer's text.", cache, extra }] },
    {
      role: "user",
      id: "id-of-the-user-message",
      name: "name-of-the-user",
      parts: userParts,
      extra,
      metadata: { runId: "run-of-the-user", custom: { nested: "custom metadata", count: 3, ...lookalike } },
    },
    {
      role: "assistant",
      parts: assistantParts,
      metadata: {
        model: "model-in-metadata",
        provider: "provider-in-metadata",
        finishReason: { unified: "tool-calls", raw: "raw-finish-reason" },
        usage: { inputTokens: 11, outputTokens: 22, totalTokens: 33 },
        interrupted: true,
      },
    },
    { role: "tool", parts: toolParts },
    { role: "assistant", parts: [{ type: "text", text: "Done." }] },
    { role: "user", parts: [] },
  ];
  return withUniqueStrings(messages);
}

/**
 * Returns a copy in which a unique number is appended to every string that is free text. Enumerated values, call ids,
 * tool names, base64 data and JSON texts are not changed.
 */
export function withUniqueStrings<T>(value: T): T {
  let count = 0;
  const copy = mapScalars(value, (scalar, path) => {
    const isFixed = typeof scalar !== "string" || scalar === "" || scalar === TRUNCATED_INPUT || isLiteral(path);
    return isFixed ? scalar : `${scalar}_${++count}_`;
  });
  // The cast is safe, because strings are replaced by strings.
  return copy as T;
}
