// Redirects late deltas of a text or reasoning, which arrive after its item is done, to a new part of the same type,
// with an item or block of its own, so that the events and the final response agree (B83).
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import { flattenText } from "../../../assembly/draft.ts";
import type { Delta, TextPayload, ThinkingPayload } from "../../../model/delta.ts";
import type { Annotation, Part, ReasoningPart, RefusalPart, TextPart, ToolCallPart } from "../../../model/parts.ts";

/**
 * A part whose item was done before all its deltas arrived. Its late deltas are in continuations, which are further
 * parts.
 */
interface SplitPart {
  /** The content of the part when its item was done. */
  readonly beforeSplit: { text: string; summary?: string[]; logprobs?: TextPart["logprobs"] };
  /**
   * The parts that contain the late deltas. `start` is the position of a continuation in the text of the original part.
   */
  readonly continuations: { readonly draft: PartDraft; readonly start: number }[];
  /** For each summary index of the original part, the summary index in the last continuation. */
  summaryPositions: Map<number, number>;
}

/** A delta that was changed for a continuation, and the draft of the continuation. */
interface RedirectedDelta {
  readonly draft: PartDraft;
  readonly delta: Delta;
}

type GrowingPart = TextPart | RefusalPart | ReasoningPart;

export class ContinuedParts {
  readonly #splitParts = new Map<PartDraft, SplitPart>();

  /** True if any part has a continuation. */
  get hasSplitParts(): boolean {
    return this.#splitParts.size > 0;
  }

  /**
   * Redirects a late delta of a part to a continuation. Returns undefined for a delta without text and for a citation
   * of the original part. `isDone` states whether a continuation is closed, so that the delta needs a new one.
   */
  redirect(draft: PartDraft, delta: Delta, isDone: (draft: PartDraft) => boolean): RedirectedDelta | undefined {
    if (delta.kind === "annotation") return this.#redirectAnnotation(draft, delta.payload.annotation);
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return undefined;
    const { payload } = delta;
    if (payload.textDelta === "") return undefined;
    let split = this.#splitParts.get(draft);
    if (split === undefined) this.#splitParts.set(draft, (split = splitPart(draft, payload)));
    let last = split.continuations.at(-1)?.draft;
    if (last === undefined || isDone(last)) {
      const { text } = draft.part as GrowingPart; // The cast is safe, because only a `GrowingPart` grows by text.
      const isText = !("summary" in payload && payload.summary !== undefined);
      last = createEmptyDraft(draft);
      split.continuations.push({ draft: last, start: isText ? text.length - payload.textDelta.length : text.length });
      split.summaryPositions = new Map();
    }
    return { draft: last, delta: addToContinuation(last, delta, split) };
  }

  /**
   * Redirects a citation to the continuation in which its span starts. Returns undefined if it cites the original part.
   */
  #redirectAnnotation(draft: PartDraft, annotation: Annotation): RedirectedDelta | undefined {
    const { span } = annotation;
    const continuation =
      span && this.#splitParts.get(draft)?.continuations.findLast(({ start }) => start <= span.start);
    if (span === undefined || continuation === undefined) return undefined;
    const { start } = continuation;
    const moved = { ...annotation, span: { start: span.start - start, end: span.end - start } };
    const part = continuation.draft.part as TextPart; // The cast is safe, because only a text has citations.
    (part.annotations ??= []).push(moved);
    return { draft: continuation.draft, delta: { kind: "annotation", payload: { annotation: moved } } };
  }

  /** Returns a part without the content that continuations contain. `part` is the complete part. */
  partBeforeSplit(draft: PartDraft, part: Part | undefined): Part {
    const split = this.#splitParts.get(draft);
    if (part === undefined || split === undefined) return part ?? draft.part;
    const start = split.continuations[0]?.start ?? Infinity;
    // The cast is safe, because `splitPart` has copied the fields of `beforeSplit` from the same part.
    const beforeSplit = { ...part, ...split.beforeSplit } as GrowingPart;
    if (beforeSplit.type !== "text" || beforeSplit.annotations === undefined) return beforeSplit;
    const own = beforeSplit.annotations.filter(({ span }) => span === undefined || span.start < start);
    const { annotations: _, ...withoutAnnotations } = beforeSplit;
    return own.length > 0 ? { ...withoutAnnotations, annotations: own } : withoutAnnotations;
  }
}

/**
 * Returns the content that a part had before `payload`, its first late delta, which has already been added to the part.
 */
function splitPart({ part }: PartDraft, payload: TextPayload | ThinkingPayload): SplitPart {
  const { text, ...fields } = part as GrowingPart; // The cast is safe, because only a `GrowingPart` grows by text.
  const { textDelta } = payload;
  const summaries = "summary" in fields ? fields.summary : undefined;
  const at = "summary" in payload ? payload.summary : undefined;
  const beforeSplit: SplitPart["beforeSplit"] = {
    text: at === undefined ? text.slice(0, text.length - textDelta.length) : text,
  };
  if (summaries !== undefined) {
    beforeSplit.summary = summaries.map((each, index) =>
      index === at ? each.slice(0, each.length - textDelta.length) : each,
    );
    if (at !== undefined && beforeSplit.summary[at] === "" && at === beforeSplit.summary.length - 1)
      beforeSplit.summary.pop();
  }
  const { logprobs } = "logprobs" in fields ? fields : {};
  const late = "logprobs" in payload ? (payload.logprobs?.length ?? 0) : 0;
  if (logprobs !== undefined && late > 0) beforeSplit.logprobs = logprobs.slice(0, logprobs.length - late);
  return { beforeSplit, continuations: [], summaryPositions: new Map() };
}

function createEmptyDraft({ kind, index, part }: PartDraft): PartDraft {
  const type = (part as GrowingPart).type; // The cast is safe, because only a `GrowingPart` grows by text.
  return { kind, part: { type, text: "" }, view: undefined, choice: 0, index, flattenedLength: 0 };
}

/** Adds a delta to a continuation and returns the delta with the summary index of the continuation. */
function addToContinuation(draft: PartDraft, delta: Delta, { summaryPositions }: SplitPart): Delta {
  const part = draft.part as GrowingPart; // The cast is safe, because `createEmptyDraft` creates only a `GrowingPart`.
  if (delta.kind === "thinking" && part.type === "reasoning" && delta.payload.summary !== undefined) {
    const { summary: at, textDelta } = delta.payload;
    const summary = summaryPositions.get(at) ?? summaryPositions.size;
    summaryPositions.set(at, summary);
    const list = (part.summary ??= []);
    list[summary] = (list[summary] ?? "") + textDelta;
    return { kind: "thinking", payload: { textDelta, summary } };
  }
  // The cast is safe, because only text, refusal and thinking deltas are added to a continuation.
  const { textDelta, logprobs } = delta.payload as TextPayload;
  part.text += textDelta;
  flattenText(draft, part.text);
  if (logprobs !== undefined && part.type !== "reasoning")
    for (const each of logprobs) (part.logprobs ??= []).push(each);
  return delta;
}

/**
 * Returns a call with the text of its streamed arguments as `inputText`. Returns the call unchanged if it has not
 * ended, has no streamed arguments, already has an `inputText`, or is a call of a custom tool.
 */
export function withStreamedArguments(draft: PartDraft, part: ToolCallPart): ToolCallPart {
  // The cast is safe, because every draft of kind "call" is a `CallDraft`.
  const { args = "", ended = false }: Partial<CallDraft> = draft.kind === "call" ? (draft as CallDraft) : {};
  return !ended || args === "" || part.inputText !== undefined || part.format === "text"
    ? part
    : { ...part, inputText: args };
}
