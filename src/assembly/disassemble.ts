// Converts a response into deltas from which `assemble` creates the same response. A part that no specific kind of
// delta can represent exactly becomes a `part` delta.
import { ArgumentError, assertObject } from "../model/argument-error.ts";
import { formatArguments, parseArguments } from "../model/tool-arguments.ts";
import type { Delta, DoneAlternative, DonePayload, MessageFields, PayloadBase, StartPayload } from "../model/delta.ts";
import { CONTRACT_VERSION } from "../model/delta.ts";
import { sameJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import { isMediaPart } from "../model/media-part.ts";
import type { MediaPart, Part, PartBase, ReasoningPart, RefusalPart, TextPart, ToolCallPart } from "../model/parts.ts";
import type { ProviderError } from "../model/provider-error.ts";
import { isRetryable } from "../model/provider-error.ts";
import type { ModelResponse } from "../model/response.ts";

/** Returns the deltas of a response, from `start` to `done`, or to `error` if the response has an error. */
export function disassemble(response: ModelResponse): Delta[] {
  assertObject("disassemble", "response", response);
  if (!Array.isArray(response.message?.parts)) {
    throw new ArgumentError("disassemble", "response.message.parts", "a list", response.message?.parts);
  }
  assertObject("disassemble", "response.finishReason", response.finishReason);
  const { message, alternatives = [], usage, finishReason, error } = response;
  const deltas: Delta[] = [{ kind: "start", payload: createStart(response) }];
  [message, ...alternatives.map((alternative) => alternative.message)].forEach((each, choice) => {
    each.parts.forEach((part, index) => {
      const at: PayloadBase = choice === 0 ? { partKey: index } : { partKey: index, choice };
      for (const delta of disassemblePart(part, at)) deltas.push(delta);
    });
  });
  if (usage !== undefined) deltas.push({ kind: "usage", payload: { ...usage } });
  const others = alternatives.length > 0 ? { alternatives: alternatives.map(toDoneAlternative) } : {};
  if (error !== undefined) {
    deltas.push({ kind: "error", payload: { ...toErrorPayload(error), finish: finishReason, ...others } });
    return deltas;
  }
  const done: DonePayload = { finishReason: finishReason.unified, ...others };
  if (finishReason.raw !== undefined) done.raw = finishReason.raw;
  if (message.metadata !== undefined) done.message = { metadata: message.metadata };
  deltas.push({ kind: "done", payload: done });
  return deltas;
}

function createStart({ id, model, createdAt, extra, message, error }: ModelResponse): StartPayload {
  const start: StartPayload = { modelId: model, requestId: id, contractVersion: CONTRACT_VERSION };
  if (createdAt !== undefined) start.createdAt = createdAt;
  if (extra !== undefined) start.extra = extra;
  const { metadata, ...fields } = readMessageFields(message);
  // The metadata of a failed answer is part of `start`, because the answer has no `done` delta.
  if (error !== undefined && metadata !== undefined) Object.assign(fields, { metadata });
  if (Object.keys(fields).length > 0) start.message = fields;
  return start;
}

function readMessageFields({ id, name, extra, metadata }: Message): MessageFields {
  const fields: MessageFields = {};
  if (id !== undefined) fields.id = id;
  if (name !== undefined) fields.name = name;
  if (extra !== undefined) fields.extra = extra;
  if (metadata !== undefined) fields.metadata = metadata;
  return fields;
}

function toDoneAlternative({
  message,
  finishReason,
  extra,
}: NonNullable<ModelResponse["alternatives"]>[number]): DoneAlternative {
  const alternative: DoneAlternative = { finishReason: finishReason.unified };
  if (finishReason.raw !== undefined) alternative.raw = finishReason.raw;
  if (extra !== undefined) alternative.extra = extra;
  const fields = readMessageFields(message);
  if (Object.keys(fields).length > 0) alternative.message = fields;
  return alternative;
}

function toErrorPayload(error: ProviderError): Extract<Delta, { kind: "error" }>["payload"] {
  const { kind, ...rest } = error;
  return { errorCode: kind, retryable: isRetryable(error), ...rest };
}

function disassemblePart(part: Part, at: PayloadBase): Delta[] {
  const small = hasPlainBase(part)
    ? createSmallDeltas(part, part.extra === undefined ? at : { ...at, extra: part.extra })
    : undefined;
  if (small === undefined) return [{ kind: "part", payload: { value: part, ...at } }];
  for (const seal of part.seals ?? []) small.push({ kind: "seal", payload: { seal, ...at } });
  return small;
}

/**
 * True if `seal` deltas can represent the common fields of a part: it has no cache breakpoint, no empty list of seals,
 * and no two seals of the same dialect and kind.
 */
function hasPlainBase({ cache, seals }: PartBase): boolean {
  if (cache !== undefined || seals?.length === 0) return false;
  return (
    seals === undefined ||
    new Set(seals.map(({ dialect, kind }) => JSON.stringify([dialect, kind]))).size === seals.length
  );
}

function createSmallDeltas(part: Part, at: PayloadBase): Delta[] | undefined {
  if (isMediaPart(part)) return mediaDeltas(part, at);
  switch (part.type) {
    case "text":
      return textDeltas(part, at);
    case "refusal":
      return refusalDeltas(part, at);
    case "reasoning":
      return thinkingDeltas(part, at);
    case "tool-call":
      return callDeltas(part, at);
    default:
      return undefined;
  }
}

function textDeltas({ text, logprobs, annotations }: TextPart, at: PayloadBase): Delta[] | undefined {
  if (annotations?.length === 0) return undefined;
  const { extra: _, ...place } = at;
  return [
    {
      kind: "text",
      payload: logprobs === undefined ? { textDelta: text, ...at } : { textDelta: text, logprobs, ...at },
    },
    ...(annotations ?? []).map((annotation): Delta => ({ kind: "annotation", payload: { annotation, ...place } })),
  ];
}

function refusalDeltas({ text, logprobs }: RefusalPart, at: PayloadBase): Delta[] {
  return [
    {
      kind: "refusal",
      payload: logprobs === undefined ? { textDelta: text, ...at } : { textDelta: text, logprobs, ...at },
    },
  ];
}

function thinkingDeltas({ text, summary }: ReasoningPart, at: PayloadBase): Delta[] | undefined {
  if (summary?.length === 0) return undefined;
  const { extra: _, ...place } = at;
  return [
    { kind: "thinking", payload: { textDelta: text, ...at } },
    ...(summary ?? []).map((textDelta, index): Delta => ({
      kind: "thinking",
      payload: { textDelta, summary: index, ...place },
    })),
  ];
}

/**
 * Returns the deltas of a tool call; undefined if parsing the text of its arguments would not give exactly this part,
 * for example for an invalid call.
 */
function callDeltas(part: ToolCallPart, at: PayloadBase): Delta[] | undefined {
  const { toolCallId, toolName, input, inputText, invalid, executor, format, tool } = part;
  if (invalid !== undefined) return undefined;
  const argsTextDelta = formatArguments(part);
  const parsed = parseArguments(argsTextDelta, { format });
  // An undefined input counts as empty arguments (B20).
  const expectedInput = input === undefined ? {} : input;
  if (parsed.invalid === true || parsed.inputText !== inputText || !sameJson(parsed.input, expectedInput))
    return undefined;
  return [
    {
      kind: "tool_call_start",
      payload: {
        toolCallId,
        toolName,
        ...(executor !== undefined && { executor }),
        ...(format !== undefined && { format }),
        ...(tool !== undefined && { tool }),
        ...at,
      },
    },
    { kind: "tool_call_args", payload: { toolCallId, argsTextDelta } },
    { kind: "tool_call_end", payload: { toolCallId } },
  ];
}

/**
 * Returns the deltas of a media part; undefined if it has a name, a size or a source other than inline data, which
 * `media` deltas cannot represent.
 */
function mediaDeltas(part: MediaPart, at: PayloadBase): Delta[] | undefined {
  const { type, mimeType, data, extra: _, seals: __, ...rest } = part;
  const { transcript, ...others } = rest as typeof rest & { transcript?: string };
  if (data === undefined || Object.keys(others).length > 0) return undefined;
  return [
    {
      kind: "media",
      payload: {
        type,
        dataDelta: data,
        ...(mimeType !== undefined && { mimeType }),
        ...(transcript !== undefined && { transcriptDelta: transcript }),
        ...at,
      },
    },
  ];
}
