// What comes for a text or thought whose item is done: it goes on in a further part of its kind, which begins an item or
// block of its own, so that the events and the answer that the last of them repeats say the same (B83).
import type { CallDraft, Draft } from "../kit/follow.ts";
import { settle } from "../../assembly/draft.ts";
import type { Delta, TextPayload, ThinkingPayload } from "../../model/delta.ts";
import type { Annotation, Part, ReasoningPart, RefusalPart, TextPart, ToolCallPart } from "../../model/parts.ts";

/** A part that goes on in others. */
interface Divided {
  /** What of it had been said when its item was done. */
  readonly kept: { text: string; summary?: string[]; logprobs?: TextPart["logprobs"] };
  /** The parts that it goes on in, and where their texts begin in its own. */
  readonly further: { readonly draft: Draft; readonly start: number }[];
  /** Where each of its summaries stands in the last of them. */
  summaries: Map<number, number>;
}

/** A delta for a part in which another goes on. */
interface Step {
  readonly draft: Draft;
  readonly delta: Delta;
}

type Growing = TextPart | RefusalPart | ReasoningPart;

export class Further {
  readonly #divided = new Map<Draft, Divided>();

  /** Whether any part goes on in another. */
  get isUsed(): boolean {
    return this.#divided.size > 0;
  }

  /** Where a delta for a part that is done goes; undefined where it says nothing that another part could say. */
  take(draft: Draft, delta: Delta, isDone: (draft: Draft) => boolean): Step | undefined {
    if (delta.kind === "annotation") return this.#cite(draft, delta.payload.annotation);
    if (delta.kind !== "text" && delta.kind !== "refusal" && delta.kind !== "thinking") return undefined;
    const { payload } = delta;
    if (payload.textDelta === "") return undefined;
    let divided = this.#divided.get(draft);
    if (divided === undefined) this.#divided.set(draft, (divided = divide(draft, payload)));
    let last = divided.further.at(-1)?.draft;
    if (last === undefined || isDone(last)) {
      const { text } = draft.part as Growing; // Only these grow by such deltas.
      const isText = !("summary" in payload && payload.summary !== undefined);
      last = emptyDraft(draft);
      divided.further.push({ draft: last, start: isText ? text.length - payload.textDelta.length : text.length });
      divided.summaries = new Map();
    }
    return { draft: last, delta: grow(last, delta, divided) };
  }

  /** A citation belongs to the part that has the text it begins in. */
  #cite(draft: Draft, annotation: Annotation): Step | undefined {
    const { span } = annotation;
    const place = span && this.#divided.get(draft)?.further.findLast(({ start }) => start <= span.start);
    if (span === undefined || place === undefined) return undefined;
    const { start } = place;
    const moved = { ...annotation, span: { start: span.start - start, end: span.end - start } };
    const part = place.draft.part as TextPart; // What is cited is a text.
    (part.annotations ??= []).push(moved);
    return { draft: place.draft, delta: { kind: "annotation", payload: { annotation: moved } } };
  }

  /** The part as far as it went; `part` is all of it. */
  partOf(draft: Draft, part: Part | undefined): Part {
    const divided = this.#divided.get(draft);
    if (part === undefined || divided === undefined) return part ?? draft.part;
    const start = divided.further[0]?.start ?? Infinity;
    // What was kept has the fields of its own kind.
    const kept = { ...part, ...divided.kept } as Growing;
    if (kept.type !== "text" || kept.annotations === undefined) return kept;
    const own = kept.annotations.filter(({ span }) => span === undefined || span.start < start);
    const { annotations: _, ...bare } = kept;
    return own.length > 0 ? { ...bare, annotations: own } : bare;
  }
}

/** What a part said before a delta that has grown it already. */
function divide({ part }: Draft, payload: TextPayload | ThinkingPayload): Divided {
  const { text, ...fields } = part as Growing; // Only these grow by such deltas.
  const { textDelta } = payload;
  const summaries = "summary" in fields ? fields.summary : undefined;
  const at = "summary" in payload ? payload.summary : undefined;
  const kept: Divided["kept"] = { text: at === undefined ? text.slice(0, text.length - textDelta.length) : text };
  if (summaries !== undefined) {
    kept.summary = summaries.map((each, index) =>
      index === at ? each.slice(0, each.length - textDelta.length) : each,
    );
    if (at !== undefined && kept.summary[at] === "" && at === kept.summary.length - 1) kept.summary.pop();
  }
  const { logprobs } = "logprobs" in fields ? fields : {};
  const late = "logprobs" in payload ? (payload.logprobs?.length ?? 0) : 0;
  if (logprobs !== undefined && late > 0) kept.logprobs = logprobs.slice(0, logprobs.length - late);
  return { kept, further: [], summaries: new Map() };
}

function emptyDraft({ kind, index, part }: Draft): Draft {
  const type = (part as Growing).type; // It has grown by such a delta.
  return { kind, part: { type, text: "" }, view: undefined, choice: 0, index, settled: 0 };
}

/** Adds a delta to a further part; the delta that says it there. */
function grow(draft: Draft, delta: Delta, { summaries }: Divided): Delta {
  const part = draft.part as Growing; // It was made as one.
  if (delta.kind === "thinking" && part.type === "reasoning" && delta.payload.summary !== undefined) {
    const { summary: at, textDelta } = delta.payload;
    const summary = summaries.get(at) ?? summaries.size;
    summaries.set(at, summary);
    const list = (part.summary ??= []);
    list[summary] = (list[summary] ?? "") + textDelta;
    return { kind: "thinking", payload: { textDelta, summary } };
  }
  const { textDelta, logprobs } = delta.payload as TextPayload; // The caller has looked at its kind.
  part.text += textDelta;
  settle(draft, part.text);
  if (logprobs !== undefined && part.type !== "reasoning")
    for (const each of logprobs) (part.logprobs ??= []).push(each);
  return delta;
}

/** A call with its arguments as they were spelled piece by piece, where they came so. */
export function asStreamed(draft: Draft, part: ToolCallPart): ToolCallPart {
  const { args = "", ended = false }: Partial<CallDraft> = draft.kind === "call" ? (draft as CallDraft) : {}; // The kind says so.
  return !ended || args === "" || part.inputText !== undefined || part.format === "text"
    ? part
    : { ...part, inputText: args };
}
