// Redirects late deltas of a text or reasoning whose item is done to a new part of its kind, with an item or block of
// its own. So the events and the final answer agree (B83).
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import { flattenText } from "../../../assembly/draft.ts";
import type { Delta, TextPayload, ThinkingPayload } from "../../../model/delta.ts";
import type { Annotation, Part, ReasoningPart, RefusalPart, TextPart, ToolCallPart } from "../../../model/parts.ts";

/** A part that is continued in others. */
interface SplitPart {
  /** The content of the part when its item was done. */
  readonly beforeSplit: { text: string; summary?: string[]; logprobs?: TextPart["logprobs"] };
  /** The parts that continue the part, with the start of their texts in the whole text. */
  readonly continuations: { readonly draft: PartDraft; readonly start: number }[];
  /** The position of each summary in the last continuation. */
  summaryPositions: Map<number, number>;
}

/** A delta for the continuation of a part. */
interface RedirectedDelta {
  readonly draft: PartDraft;
  readonly delta: Delta;
}

type GrowingPart = TextPart | RefusalPart | ReasoningPart;

export class ContinuedParts {
  readonly #splitParts = new Map<PartDraft, SplitPart>();

  /** True if any part is continued in another. */
  get hasSplitParts(): boolean {
    return this.#splitParts.size > 0;
  }

  /** Redirects a late delta to a continuation; undefined if the delta has no content for one. */
  redirect(draft: PartDraft, delta: Delta, isDone: (draft: PartDraft) => boolean): RedirectedDelta | undefined {
    if (delta.kind === "annotation") return this.#redirectAnnotation(draft, delta.payload.annotation);
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return undefined;
    const { payload } = delta;
    if (payload.textDelta === "") return undefined;
    let split = this.#splitParts.get(draft);
    if (split === undefined) this.#splitParts.set(draft, (split = splitPart(draft, payload)));
    let last = split.continuations.at(-1)?.draft;
    if (last === undefined || isDone(last)) {
      const { text } = draft.part as GrowingPart; // Only these parts grow by such deltas.
      const isText = !("summary" in payload && payload.summary !== undefined);
      last = createEmptyDraft(draft);
      split.continuations.push({ draft: last, start: isText ? text.length - payload.textDelta.length : text.length });
      split.summaryPositions = new Map();
    }
    return { draft: last, delta: addToContinuation(last, delta, split) };
  }

  /** A citation belongs to the continuation in which its span starts. */
  #redirectAnnotation(draft: PartDraft, annotation: Annotation): RedirectedDelta | undefined {
    const { span } = annotation;
    const continuation =
      span && this.#splitParts.get(draft)?.continuations.findLast(({ start }) => start <= span.start);
    if (span === undefined || continuation === undefined) return undefined;
    const { start } = continuation;
    const moved = { ...annotation, span: { start: span.start - start, end: span.end - start } };
    const part = continuation.draft.part as TextPart; // Only a text has citations.
    (part.annotations ??= []).push(moved);
    return { draft: continuation.draft, delta: { kind: "annotation", payload: { annotation: moved } } };
  }

  /** Returns the part as it was before the split; `part` is the whole one. */
  partBeforeSplit(draft: PartDraft, part: Part | undefined): Part {
    const split = this.#splitParts.get(draft);
    if (part === undefined || split === undefined) return part ?? draft.part;
    const start = split.continuations[0]?.start ?? Infinity;
    // The stored fields have the type of the part.
    const beforeSplit = { ...part, ...split.beforeSplit } as GrowingPart;
    if (beforeSplit.type !== "text" || beforeSplit.annotations === undefined) return beforeSplit;
    const own = beforeSplit.annotations.filter(({ span }) => span === undefined || span.start < start);
    const { annotations: _, ...withoutAnnotations } = beforeSplit;
    return own.length > 0 ? { ...withoutAnnotations, annotations: own } : withoutAnnotations;
  }
}

/** Returns the state of a part before a delta that has already been applied to it. */
function splitPart({ part }: PartDraft, payload: TextPayload | ThinkingPayload): SplitPart {
  const { text, ...fields } = part as GrowingPart; // Only these parts grow by such deltas.
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
  const type = (part as GrowingPart).type; // The part has grown by such a delta.
  return { kind, part: { type, text: "" }, view: undefined, choice: 0, index, flattenedLength: 0 };
}

/** Applies a delta to a continuation and returns the delta with positions of the continuation. */
function addToContinuation(draft: PartDraft, delta: Delta, { summaryPositions }: SplitPart): Delta {
  const part = draft.part as GrowingPart; // `createEmptyDraft` creates only these.
  if (delta.kind === "thinking" && part.type === "reasoning" && delta.payload.summary !== undefined) {
    const { summary: at, textDelta } = delta.payload;
    const summary = summaryPositions.get(at) ?? summaryPositions.size;
    summaryPositions.set(at, summary);
    const list = (part.summary ??= []);
    list[summary] = (list[summary] ?? "") + textDelta;
    return { kind: "thinking", payload: { textDelta, summary } };
  }
  const { textDelta, logprobs } = delta.payload as TextPayload; // The caller has checked the kind.
  part.text += textDelta;
  flattenText(draft, part.text);
  if (logprobs !== undefined && part.type !== "reasoning")
    for (const each of logprobs) (part.logprobs ??= []).push(each);
  return delta;
}

/** Returns a call with the exact text of its streamed arguments. */
export function withStreamedArguments(draft: PartDraft, part: ToolCallPart): ToolCallPart {
  const { args = "", ended = false }: Partial<CallDraft> = draft.kind === "call" ? (draft as CallDraft) : {}; // The kind implies the type.
  return !ended || args === "" || part.inputText !== undefined || part.format === "text"
    ? part
    : { ...part, inputText: args };
}
