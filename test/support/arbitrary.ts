// Generated values: canonical parts, messages and responses, and valid delta sequences.
import fc from "fast-check";
import type { Delta } from "../../src/model/delta.ts";
import { FINISH_REASONS } from "../../src/model/finish-reason.ts";
import type { JsonObject } from "../../src/model/json/index.ts";
import type { Message } from "../../src/model/message.ts";
import type { Extra, Part, ToolCallPart } from "../../src/model/parts.ts";
import { parseArguments } from "../../src/model/tool-arguments.ts";
import type { ModelResponse } from "../../src/model/response.ts";

/**
 * Any character but the backslash: once V8 of Node 24 and 26 has parsed an object with a backslash for a key, it takes
 * other escaped keys for it (nodejs/node#63785), and a test would find that bug instead of ours.
 */
export const character = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }).filter((char) => char !== "\\");

const key = fc.oneof(
  fc.string({ unit: character, maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "a/b~c"),
);
const label = fc.constantFrom("anthropic", "gemini", "openai-chat", "x");
const issuer = fc.constantFrom("anthropic", "gemini", "openai-chat", "openai-responses", "bedrock", "x");
const shortText = fc.string({ unit: "grapheme", maxLength: 12 });

/** Any JSON value, not too large. JSON text knows no -0, so it is left out. */
export const json = fc
  .jsonValue({ maxDepth: 3, stringUnit: character })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const jsonObject = fc.dictionary(key, json, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const extra: fc.Arbitrary<Extra> = fc.dictionary(key, jsonObject, { maxKeys: 2, noNullPrototype: true });

/** Optional fields that are absent, not undefined. */
function withOptional<R extends object, O extends object>(
  required: { [K in keyof R]: fc.Arbitrary<R[K]> },
  optional: { [K in keyof O]: fc.Arbitrary<O[K]> },
): fc.Arbitrary<R & Partial<O>> {
  const requiredKeys = Object.keys(required);
  return fc.record(
    { ...required, ...optional },
    { requiredKeys: requiredKeys as never[], noNullPrototype: true },
  ) as fc.Arbitrary<R & Partial<O>>;
}

const seal = withOptional(
  { dialect: issuer, kind: fc.constantFrom("signature", "encrypted", "id"), value: shortText },
  { provider: label, model: label },
);
const common = {
  extra,
  cache: fc.constantFrom({}, { ttl: "5m" as const }, { ttl: "1h" as const }),
  seals: fc.array(seal, { maxLength: 3 }),
};
const annotation = withOptional(
  { kind: fc.constantFrom("url" as const, "file" as const, "other" as const) },
  {
    url: shortText,
    title: shortText,
    citedText: shortText,
    span: fc.record({ start: fc.nat(9), end: fc.nat(9) }, { noNullPrototype: true }),
    seals: fc.array(seal, { maxLength: 1 }),
    extra,
  },
);
const logprob = withOptional(
  { token: shortText, logprob: fc.constantFrom(-0.5, -1, -2.25) },
  { bytes: fc.array(fc.nat(255), { maxLength: 3 }), tokenId: fc.nat() },
);
const logprobs = fc.array(logprob, { maxLength: 2 });
const executor = fc.constantFrom("client" as const, "provider" as const);

const argumentsAsText = fc
  .tuple(json, fc.constantFrom(0, 1, 2), fc.boolean())
  .map(([value, indent, cut]) => JSON.stringify(value, null, indent).slice(0, cut ? 5 : undefined));

/** Calls as a decoder makes them: `inputText` and `invalid` belong to the text. */
const toolCall: fc.Arbitrary<ToolCallPart> = fc
  .tuple(
    fc.oneof(argumentsAsText, fc.constantFrom("", " ", '{"n":12345678901234567890}', "{}")),
    withOptional(
      { toolName: shortText },
      { ...common, executor, format: fc.constantFrom("json" as const, "text" as const), tool: label },
    ),
  )
  .map(([text, fields]) => {
    const { reason: _, ...read } = parseArguments(text, { format: fields.format });
    return { type: "tool-call", toolCallId: "", ...fields, ...read };
  });

function media(type: "image" | "audio" | "file"): fc.Arbitrary<Part> {
  const source = fc.oneof(
    fc.record({ url: shortText }, { noNullPrototype: true }),
    fc.record({ data: fc.base64String({ maxLength: 8 }) }, { noNullPrototype: true }),
    fc.record({ fileId: shortText }, { noNullPrototype: true }),
    fc.record({ blob: shortText }, { noNullPrototype: true }),
  );
  const beside = withOptional(
    { type: fc.constant(type) },
    { ...common, mimeType: fc.constantFrom("image/png", "audio/wav", "text/plain"), name: shortText },
  );
  return fc.tuple(beside, source).map(([fields, from]) => ({ ...fields, ...from }));
}

const assistantPart: fc.Arbitrary<Part> = fc.oneof(
  withOptional(
    { type: fc.constant("text" as const), text: shortText },
    { ...common, annotations: fc.array(annotation, { maxLength: 2 }), logprobs },
  ),
  withOptional(
    { type: fc.constant("reasoning" as const), text: shortText },
    { ...common, summary: fc.array(shortText, { maxLength: 3 }) },
  ),
  withOptional({ type: fc.constant("refusal" as const), text: shortText }, { ...common, logprobs }),
  toolCall,
  withOptional(
    {
      type: fc.constant("tool-result" as const),
      toolCallId: fc.constant(""),
      toolName: shortText,
      isError: fc.boolean(),
      executor: fc.constant("provider" as const),
    },
    { ...common, output: json },
  ),
  media("image"),
  media("audio"),
  media("file"),
  withOptional({ type: fc.constant("opaque" as const), dialect: label, value: json }, common),
);

/** Calls get ids that are unique in the conversation; results have arbitrary ids. */
function numberCalls(messages: readonly Message[]): Message[] {
  let next = 0;
  // Copies: while fast-check shrinks a counterexample, several answers share their parts.
  const numbered = (part: Part): Part =>
    part.type === "tool-call" || part.type === "tool-result" ? { ...part, toolCallId: `call_${next++}` } : part;
  return messages.map((message) => ({ ...message, parts: message.parts.map(numbered) }));
}

const assistantMessage: fc.Arbitrary<Message> = withOptional(
  { role: fc.constant("assistant" as const), parts: fc.array(assistantPart, { maxLength: 6 }) },
  {
    id: shortText,
    name: shortText,
    extra,
    metadata: fc.dictionary(fc.constantFrom("runId", "custom"), shortText, { noNullPrototype: true }),
  },
);
const finishReason = withOptional({ unified: fc.constantFrom(...FINISH_REASONS) }, { raw: shortText });
const usage = withOptional(
  { inputTokens: fc.nat(), outputTokens: fc.nat(), totalTokens: fc.nat() },
  { cacheReadTokens: fc.nat(), reasoningTokens: fc.nat(), cost: fc.constantFrom(0.5, 0), extra, raw: json },
);

/** Any response that did not fail. */
export const response: fc.Arbitrary<ModelResponse> = withOptional(
  { id: shortText, model: shortText, message: assistantMessage, finishReason },
  {
    alternatives: fc.array(withOptional({ message: assistantMessage, finishReason }, { extra }), {
      minLength: 1,
      maxLength: 2,
    }),
    usage,
    createdAt: fc.constant("2026-01-02T03:04:05.000Z"),
    extra,
  },
).map((each) => {
  const [message = each.message, ...others] = numberCalls([
    each.message,
    ...(each.alternatives ?? []).map((alternative) => alternative.message),
  ]);
  const alternatives = each.alternatives?.map((alternative, at) => ({
    ...alternative,
    message: others[at] ?? alternative.message,
  }));
  return { ...each, message, ...(alternatives && { alternatives }) };
});

type Step = {
  kind: "text" | "thinking" | "refusal" | "open" | "args" | "end" | "usage" | "whole" | "seal";
  pick: number;
  text: string;
};

/** Any legal answer: parts of every kind, calls opened, fed and closed in any interleaving. */
export const legalAnswer: fc.Arbitrary<Delta[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Step["kind"][]>(
        "text",
        "thinking",
        "refusal",
        "open",
        "args",
        "args",
        "end",
        "usage",
        "whole",
        "seal",
      ),
      pick: fc.nat(),
      text: fc.string({ maxLength: 4 }),
    }),
    { maxLength: 30, size: "+1" },
  )
  .map(playAnswer);

function playAnswer(steps: readonly Step[]): Delta[] {
  const deltas: Delta[] = [{ kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } }];
  const open: string[] = [];
  let calls = 0;
  let parts = 0;
  const perform: Record<Step["kind"], (step: Step) => Delta | undefined> = {
    text: ({ text }) => ({ kind: "text", payload: { textDelta: text } }),
    thinking: ({ text }) => ({ kind: "thinking", payload: { textDelta: text } }),
    refusal: ({ text }) => ({ kind: "refusal", payload: { textDelta: text } }),
    whole: ({ text }) => ({ kind: "part", payload: { value: { type: "opaque", dialect: "x", value: text } } }),
    usage: ({ pick }) => ({ kind: "usage", payload: { outputTokens: pick } }),
    open: ({ text }) => {
      const toolCallId = `c${calls++}`;
      open.push(toolCallId);
      return { kind: "tool_call_start", payload: { toolCallId, toolName: text } };
    },
    args: ({ pick, text }) => {
      const toolCallId = open[pick % Math.max(1, open.length)];
      return toolCallId === undefined
        ? undefined
        : { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: text } };
    },
    end: ({ pick }) => {
      const [toolCallId] = open.splice(pick % Math.max(1, open.length), 1);
      return toolCallId === undefined ? undefined : { kind: "tool_call_end", payload: { toolCallId } };
    },
    seal: ({ text }) =>
      parts === 0 ? undefined : { kind: "seal", payload: { seal: { dialect: "x", kind: "id", value: text } } },
  };
  for (const step of steps) {
    const made = perform[step.kind](step);
    if (made === undefined) continue;
    deltas.push(made);
    if (!["args", "end", "usage", "seal"].includes(step.kind)) parts++;
  }
  return [...deltas, { kind: "done", payload: { finishReason: "stop" } }];
}
