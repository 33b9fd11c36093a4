// Tracks the deltas that a stream decoder has emitted for a part, and emits the remaining content when the finished
// part is known. Wire events with finished content repeat the content of earlier events, so only additional content is
// emitted (B77). Emitted text is never changed: a finished text that contradicts it is stored as residue.
import { flattenText } from "../../assembly/draft.ts";
import { formatArguments } from "../../model/tool-arguments.ts";
import type { Delta, PayloadBase } from "../../model/delta.ts";
import { copyExtra } from "../../model/merge-extra.ts";
import type { JsonValue } from "../../model/json/index.ts";
import { sameJson } from "../../model/json/index.ts";
import type {
  Annotation,
  Extra,
  Logprob,
  Part,
  ReasoningPart,
  RefusalPart,
  Seal,
  TextPart,
  ToolCallPart,
} from "../../model/parts.ts";
import { CodePointIndex } from "../kit/fields/code-points.ts";
import { copyField } from "../kit/fields/read-wire.ts";
import { storeForm } from "../kit/residue/residue.ts";
import type { PendingSurrogate } from "../kit/streams/text-chunks.ts";

/** The kind of deltas that a part grows by. A "whole" part is emitted in a single delta. */
export type EmittedKind = "text" | "refusal" | "thinking" | "media" | "call" | "whole";

/** The emitted content of one part. */
export class EmittedPart implements PendingSurrogate {
  readonly key: string;
  readonly kind: EmittedKind;
  /** The text, reasoning text (without summaries) or arguments that have been emitted. */
  text = "";
  readonly summary: string[] = [];
  /** For each summary index of the wire, the position in `summary`; undefined until a summary arrives. */
  #summaryPositions: Map<unknown, number> | undefined;
  readonly annotations: Annotation[] = [];
  logprobCount = 0;
  /**
   * Log probabilities that arrived with text deltas and have not been emitted, because the event with the finished text
   * repeats them with more fields; undefined if there are none.
   */
  pendingLogprobs: Logprob[] | undefined;
  seals: readonly Seal[] | undefined;
  extra: Extra | undefined;
  /** The call as decoded at its start; undefined if the part is not a call. */
  call: ToolCallPart | undefined;
  /** True once the end of the call has been emitted. */
  hasEnded = false;
  pendingSurrogate?: string;
  /** The length of `text` when it was last flattened in memory. */
  flattenedLength = 0;
  #codePoints: CodePointIndex | undefined;

  constructor(key: string, kind: EmittedKind) {
    this.key = key;
    this.kind = kind;
  }

  addText(text: string): void {
    this.text += text;
    flattenText(this, this.text);
    this.#codePoints?.append(text);
  }

  /** Returns the code point index of the emitted text. */
  codePoints(): CodePointIndex {
    return (this.#codePoints ??= new CodePointIndex(this.text));
  }

  /** Returns the position of a summary. Summaries are numbered in the order of their first event. */
  summaryPosition(wireIndex: unknown): number {
    const positions = (this.#summaryPositions ??= new Map<unknown, number>());
    const known = positions.get(wireIndex);
    if (known !== undefined) return known;
    positions.set(wireIndex, positions.size);
    return positions.size - 1;
  }

  /** True if a finished part has the kind of this part and its text starts with the emitted text. */
  canContinueAs(part: Part): boolean {
    if (DELTA_KINDS[part.type] !== this.kind) return false;
    return "text" in part && typeof part.text === "string" && part.text.startsWith(this.text);
  }
}

/** The kind of delta that each type of part grows by. */
export const DELTA_KINDS: Readonly<Partial<Record<Part["type"], EmittedKind>>> = {
  text: "text",
  refusal: "refusal",
  reasoning: "thinking",
  "tool-call": "call",
};

export interface EmitRestOptions {
  readonly dialect: string;
  /** Fields for the payload of every delta, which name the choice of the part; undefined for the first choice. */
  readonly base?: PayloadBase;
  /**
   * True if the wire does not repeat streamed text at the end of a part. All text of the part has then been emitted, so
   * the finished text is not compared with it.
   */
  readonly isTextComplete?: boolean;
}

/** Emits the content of a finished part that has not been emitted. The end of a call is emitted by `emitCallEnd`. */
export function emitRest(emitted: EmittedPart, part: Part, options: EmitRestOptions, out: Delta[]): void {
  if (part.type === "tool-call") {
    if (!emitted.hasEnded) emitArguments(emitted, formatArguments(part), out);
  } else if (part.type === "text" || part.type === "refusal") emitTextRest(emitted, part, options, out);
  else if (part.type === "reasoning") emitReasoningRest(emitted, part, options, out);
  else if (emitted.kind === "media") emitMediaRest(emitted, part, options, out);
  emitSeals(emitted, part, options.base, out);
}

/** Returns the text after the emitted text; undefined if the text does not start with the emitted text. */
function textBeyond(emitted: string, text: string): string | undefined {
  return text.startsWith(emitted) ? text.slice(emitted.length) : undefined;
}

/** Returns the fields of the residue that have not been emitted with the same value; undefined if there are none. */
export function newExtra(extra: Extra | undefined, emitted: Extra | undefined): Extra | undefined {
  let added: Extra | undefined;
  for (const dialect of Object.keys(extra ?? {})) {
    const fields = extra?.[dialect] ?? {};
    const known = emitted?.[dialect] ?? {};
    for (const key of Object.keys(fields)) {
      if (Object.hasOwn(known, key) && sameJson(fields[key], known[key])) continue;
      copyField(fields, key, ((added ??= {})[dialect] ??= {}));
    }
  }
  return added;
}

/**
 * Returns the residue of a part that has not been emitted, and marks it as emitted. `contradiction` is a finished text
 * that contradicts the emitted deltas; it is stored in the form `said`.
 */
function takeNewExtra(
  emitted: EmittedPart,
  extra: Extra | undefined,
  dialect: string,
  contradiction?: JsonValue,
): Extra | undefined {
  let all = extra;
  if (contradiction !== undefined) {
    const target = { extra: copyExtra(extra ?? {}) };
    storeForm(target, dialect, "said", contradiction);
    all = target.extra;
  }
  const added = newExtra(all, emitted.extra);
  if (added !== undefined) emitted.extra = all;
  return added;
}

/**
 * Returns the log probabilities that have not been emitted, and marks them as emitted. Returns undefined if the part
 * has none or all were emitted before; an empty list if the list of the part is empty.
 */
function takeLogprobs(emitted: EmittedPart, logprobs: Logprob[] | undefined): Logprob[] | undefined {
  const rest = logprobs === undefined ? emitted.pendingLogprobs : logprobs.slice(emitted.logprobCount);
  emitted.pendingLogprobs = undefined;
  if (rest === undefined || (rest.length === 0 && emitted.logprobCount > 0)) return undefined;
  emitted.logprobCount += rest.length;
  return rest;
}

function emitTextRest(
  emitted: EmittedPart,
  part: TextPart | RefusalPart,
  { dialect, base, isTextComplete = false }: EmitRestOptions,
  out: Delta[],
): void {
  const rest = isTextComplete ? "" : textBeyond(emitted.text, part.text);
  const extra = takeNewExtra(emitted, part.extra, dialect, rest === undefined ? part.text : undefined);
  const logprobs = takeLogprobs(emitted, part.logprobs);
  const textDelta = rest ?? "";
  if (textDelta !== "") emitted.addText(textDelta);
  if (textDelta !== "" || extra !== undefined || logprobs !== undefined) {
    const fields = { ...(logprobs !== undefined && { logprobs }), ...(extra !== undefined && { extra }) };
    out.push({ kind: part.type, payload: { textDelta, partKey: emitted.key, ...base, ...fields } });
  }
  if (part.type !== "text") return;
  for (const annotation of part.annotations?.slice(emitted.annotations.length) ?? []) {
    emitted.annotations.push(annotation);
    out.push({ kind: "annotation", payload: { annotation, partKey: emitted.key, ...base } });
  }
}

function emitReasoningRest(
  emitted: EmittedPart,
  part: ReasoningPart,
  { dialect, base, isTextComplete = false }: EmitRestOptions,
  out: Delta[],
): void {
  const { text, summary = [] } = part;
  const rest = isTextComplete ? "" : textBeyond(emitted.text, text);
  const summaryRests = isTextComplete ? [] : summary.map((each, at) => textBeyond(emitted.summary[at] ?? "", each));
  const isContradicted = rest === undefined || summaryRests.includes(undefined);
  const extra = takeNewExtra(emitted, part.extra, dialect, isContradicted ? [text, ...summary] : undefined);
  const textDelta = rest ?? "";
  if (textDelta !== "") emitted.addText(textDelta);
  if (textDelta !== "" || extra !== undefined) {
    const payload = { textDelta, partKey: emitted.key, ...base };
    out.push({ kind: "thinking", payload: extra === undefined ? payload : { ...payload, extra } });
  }
  summaryRests.forEach((each = "", at) => {
    const isNew = at >= emitted.summary.length;
    if (each !== "" || isNew) out.push(summaryDelta(emitted, at, each));
  });
}

function emitMediaRest(emitted: EmittedPart, part: Part, { dialect, base }: EmitRestOptions, out: Delta[]): void {
  const extra = takeNewExtra(emitted, part.extra, dialect);
  if (extra !== undefined)
    out.push({ kind: "media", payload: { type: "audio", partKey: emitted.key, ...base, extra } });
}

/** Returns a delta for a summary and adds its text to `emitted`. A new summary must be the next one in order. */
export function summaryDelta(emitted: EmittedPart, summary: number, textDelta: string): Delta {
  emitted.summary[summary] = (emitted.summary[summary] ?? "") + textDelta;
  return { kind: "thinking", payload: { textDelta, summary, partKey: emitted.key } };
}

/**
 * Emits the rest of the arguments `text`, which starts with the emitted arguments. If `text` contradicts them, emits
 * nothing.
 */
export function emitArguments(emitted: EmittedPart, text: string, out: Delta[]): void {
  const rest = textBeyond(emitted.text, text);
  if (rest === undefined || rest === "" || emitted.call === undefined) return;
  emitted.addText(rest);
  out.push({ kind: "tool_call_args", payload: { toolCallId: emitted.call.toolCallId, argsTextDelta: rest } });
}

/**
 * Emits new and changed seals. If the part was emitted in a single delta or its call has ended, a seal delta also
 * contains the new residue of the part, because no later delta of the part can contain it.
 */
export function emitSeals(emitted: EmittedPart, part: Part, base: PayloadBase | undefined, out: Delta[]): void {
  const isClosed = emitted.kind === "whole" || emitted.hasEnded;
  const extra = isClosed && !sameJson(part.extra, emitted.extra) ? part.extra : undefined;
  for (const seal of part.seals ?? []) {
    if (extra === undefined && emitted.seals?.some((each) => sameJson(each, seal)) === true) continue;
    const payload = { seal, partKey: emitted.key, ...base };
    out.push({ kind: "seal", payload: extra === undefined ? payload : { ...payload, extra } });
    if (extra !== undefined) emitted.extra = extra;
  }
  if (part.seals !== undefined) emitted.seals = part.seals;
}

/** Emits the start of a call. `isValue` is true if the arguments on the wire are a JSON value instead of a text. */
export function emitCallStart(
  emitted: EmittedPart,
  call: ToolCallPart,
  isValue: boolean,
  extra: Extra | undefined,
  out: Delta[],
): void {
  const { toolCallId, toolName, executor, format, tool } = call;
  emitted.call = call;
  out.push({
    kind: "tool_call_start",
    payload: {
      toolCallId,
      toolName,
      ...(executor !== undefined && { executor }),
      ...(format !== undefined && { format }),
      ...(tool !== undefined && { tool }),
      ...(isValue && { objectArgs: true }),
      ...(extra !== undefined && { extra }),
      partKey: emitted.key,
    },
  });
}

/**
 * Emits the end of a call, with the new residue of the finished part. `isInvalid` is true if the call must not be run
 * (B31).
 */
export function emitCallEnd(emitted: EmittedPart, extra: Extra | undefined, isInvalid: boolean, out: Delta[]): void {
  if (emitted.call === undefined) return;
  const { toolCallId } = emitted.call;
  const added = newExtra(extra, emitted.extra);
  emitted.hasEnded = true;
  emitted.extra = extra;
  const fields = { ...(isInvalid && { invalid: true }), ...(added !== undefined && { extra: added }) };
  out.push({ kind: "tool_call_end", payload: { toolCallId, ...fields } });
}
