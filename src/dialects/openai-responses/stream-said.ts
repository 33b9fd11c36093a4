// What a stream has said of a part so far, and the deltas that say the rest of it. Events that report what is done
// repeat what came piece by piece: only what goes beyond it is said (B77). What was said live stands; where a finished
// text contradicts it, that text is kept beside it.
import { settle } from "../../assembly/draft.ts";
import { argumentsText } from "../../model/arguments.ts";
import type { Delta, PayloadBase } from "../../model/delta.ts";
import { copyExtra } from "../../model/extra.ts";
import type { JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
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
import { CodePoints } from "../kit/code-points.ts";
import { storeForm } from "../kit/residue.ts";
import type { Held } from "../kit/streams.ts";

export type SaidKind = "text" | "refusal" | "thinking" | "call" | "whole";

/** A part that has begun to arrive. */
export class Said implements Held {
  readonly key: string;
  readonly kind: SaidKind;
  /** The text, the raw reasoning or the arguments. */
  text = "";
  /** The summaries, and where each index of the wire stands among them. */
  readonly summary: string[] = [];
  #summaries: Map<unknown, number> | undefined;
  readonly annotations: Annotation[] = [];
  logprobs = 0;
  /** Log probabilities that lack what the finished text says of them. */
  unsaid: Logprob[] | undefined;
  seals: Seal[] | undefined;
  extra: Extra | undefined;
  /** The call, as far as it is known, and whether it has ended. */
  call: ToolCallPart | undefined;
  isEnded = false;
  held?: string;
  settled = 0;
  #positions: CodePoints | undefined;

  constructor(key: string, kind: SaidKind) {
    this.key = key;
    this.kind = kind;
  }

  add(text: string): void {
    this.text += text;
    settle(this, this.text);
    this.#positions?.append(text);
  }

  /** The positions in the text so far. */
  points(): CodePoints {
    return (this.#positions ??= new CodePoints(this.text));
  }

  /** Which of the summaries is meant: they are numbered as they appear. */
  summaryAt(index: unknown): number {
    const summaries = (this.#summaries ??= new Map<unknown, number>());
    const known = summaries.get(index);
    if (known !== undefined) return known;
    summaries.set(index, summaries.size);
    return summaries.size - 1;
  }

  /** Whether a finished part may be what this has been the beginning of. */
  beginsLike(part: Part): boolean {
    if (KINDS[part.type] !== this.kind) return false;
    return "text" in part && typeof part.text === "string" && part.text.startsWith(this.text);
  }
}

/** The kind of delta that each part grows by. */
export const KINDS: Readonly<Partial<Record<Part["type"], SaidKind>>> = {
  text: "text",
  refusal: "refusal",
  reasoning: "thinking",
  "tool-call": "call",
};

/** Says what of a finished part has not been said; how a call ends is not said here. */
export function sayRest(said: Said, part: Part, dialect: string, out: Delta[]): void {
  if (part.type === "text" || part.type === "refusal") sayText(said, part, dialect, out);
  else if (part.type === "reasoning") sayThinking(said, part, dialect, out);
  else if (part.type === "tool-call" && !said.isEnded) sayArguments(said, argumentsText(part), out);
  saySeals(said, part, out);
}

/** What a text says beyond another; undefined where it is not the beginning of it. */
function beyond(before: string, text: string): string | undefined {
  return text.startsWith(before) ? text.slice(before.length) : undefined;
}

/** The residue that is new; a finished text that contradicts what was said stands in it. */
function newExtra(said: Said, extra: Extra | undefined, dialect: string, other?: JsonValue): Extra | undefined {
  let all = extra;
  if (other !== undefined) {
    const carrier = { extra: copyExtra(extra ?? {}) };
    storeForm(carrier, dialect, "said", other);
    all = carrier.extra;
  }
  if (all === undefined || sameJson(all, said.extra)) return undefined;
  said.extra = all;
  return all;
}

function sayText(said: Said, part: TextPart | RefusalPart, dialect: string, out: Delta[]): void {
  const { text, logprobs = [] } = part;
  const rest = beyond(said.text, text);
  const extra = newExtra(said, part.extra, dialect, rest === undefined ? text : undefined);
  const likely = logprobs.length > 0 ? logprobs.slice(said.logprobs) : (said.unsaid ?? []);
  said.logprobs += likely.length;
  said.unsaid = undefined;
  if (rest !== undefined) said.add(rest);
  if ((rest ?? "") !== "" || extra !== undefined || likely.length > 0) {
    const kind = part.type;
    const payload = { textDelta: rest ?? "", part: said.key };
    const others = { ...(likely.length > 0 && { logprobs: likely }), ...(extra !== undefined && { extra }) };
    out.push({ kind, payload: { ...payload, ...others } });
  }
  if (part.type !== "text") return;
  for (const annotation of part.annotations?.slice(said.annotations.length) ?? []) {
    said.annotations.push(annotation);
    out.push({ kind: "annotation", payload: { annotation, part: said.key } });
  }
}

function sayThinking(said: Said, { text, summary = [], extra }: ReasoningPart, dialect: string, out: Delta[]): void {
  const rest = beyond(said.text, text);
  const rests = summary.map((each, at) => beyond(said.summary[at] ?? "", each));
  const isOther = rest === undefined || rests.includes(undefined);
  const added = newExtra(said, extra, dialect, isOther ? [text, ...summary] : undefined);
  if (rest !== undefined) said.add(rest);
  if ((rest ?? "") !== "" || added !== undefined) {
    const payload = { textDelta: rest ?? "", part: said.key };
    out.push({ kind: "thinking", payload: added === undefined ? payload : { ...payload, extra: added } });
  }
  rests.forEach((each = "", at) => {
    const isNew = at >= said.summary.length;
    if (each !== "" || isNew) out.push(saySummary(said, at, each));
  });
}

/** A piece of a summary, which must be the next one where it is new. */
export function saySummary(said: Said, summary: number, textDelta: string): Delta {
  said.summary[summary] = (said.summary[summary] ?? "") + textDelta;
  return { kind: "thinking", payload: { textDelta, summary, part: said.key } };
}

/** The rest of the arguments; where they are other ones, what was said stands. */
export function sayArguments(said: Said, text: string, out: Delta[]): void {
  const rest = beyond(said.text, text);
  if (rest === undefined || rest === "" || said.call === undefined) return;
  said.add(rest);
  out.push({ kind: "tool_call_args", payload: { toolCallId: said.call.toolCallId, argsTextDelta: rest } });
}

/** Seals that are new or have changed; what a part that has ended still has to say goes with them. */
function saySeals(said: Said, part: Part, out: Delta[]): void {
  const isSettled = said.kind === "whole" || said.isEnded;
  const extra = isSettled && !sameJson(part.extra, said.extra) ? part.extra : undefined;
  const at: PayloadBase = extra === undefined ? { part: said.key } : { part: said.key, extra };
  for (const seal of part.seals ?? []) {
    if (extra === undefined && said.seals?.some((each) => sameJson(each, seal))) continue;
    out.push({ kind: "seal", payload: { seal, ...at } });
    if (extra !== undefined) said.extra = extra;
  }
  if (part.seals !== undefined) said.seals = part.seals;
}

/** Begins a call; `isValue` where the wire's form of its arguments is a value, not a text. */
export function startCall(
  said: Said,
  call: ToolCallPart,
  isValue: boolean,
  extra: Extra | undefined,
  out: Delta[],
): void {
  const { toolCallId, toolName, executor, format, tool } = call;
  said.call = call;
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
      part: said.key,
    },
  });
}

/** Ends a call as its item says. */
export function endCall(said: Said, part: ToolCallPart, out: Delta[]): void {
  const { extra, invalid } = part;
  said.isEnded = true;
  said.extra = extra;
  out.push({
    kind: "tool_call_end",
    payload: {
      toolCallId: said.call?.toolCallId ?? part.toolCallId,
      ...(invalid === true && { invalid }),
      ...(extra !== undefined && { extra }),
    },
  });
}
