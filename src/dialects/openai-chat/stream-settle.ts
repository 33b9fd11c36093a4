// The end of a streamed answer: all that came is read like an answer in one piece, and what has not been told yet is
// told now. So a streamed answer is the same as a whole one, whatever came in which order (B80).
import type { Delta, PayloadBase } from "../../model/delta.ts";
import { setOwn } from "../../model/extra.ts";
import { sameJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Extra, Part, Seal, ToolCallPart } from "../../model/parts.ts";
import { readForm } from "../kit/residue.ts";
import { DETAILS, TEXT_FIELDS } from "./reasoning.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import type { CallEntry } from "./stream-calls.ts";
import type { ChoiceReader, Told } from "./stream-choice.ts";

/** What of one residue the other lacks. */
export function newExtra(all: Extra | undefined, told: Extra | undefined): Extra | undefined {
  let fresh: Extra | undefined;
  for (const dialect of Object.keys(all ?? {})) {
    for (const [key, value] of Object.entries(all?.[dialect] ?? {})) {
      if (Object.hasOwn(told?.[dialect] ?? {}, key) && sameJson(value, told?.[dialect]?.[key])) continue;
      fresh ??= {};
      setOwn((fresh[dialect] ??= {}), key, value);
    }
  }
  return fresh;
}

/** Tells the seals that have not been told yet. */
export function tellSeals(seals: readonly Seal[] = [], told: Told, at: PayloadBase, out: Delta[]): void {
  for (const seal of seals) {
    if (told.seals?.some((each) => sameJson(each, seal)) === true) continue;
    out.push({ kind: "seal", payload: { seal, part: told.key, ...at } });
  }
  told.seals = seals;
}

/** Tells what is left of the parts of a choice; calls end, and one in which the answer broke off is not to be run (B31). */
export class Settling {
  readonly #choice: ChoiceReader;
  readonly #dialect: string;
  readonly #at: PayloadBase;
  readonly #out: Delta[];
  readonly #run: RunCalls;
  readonly #counts = { [DETAILS]: 0, content: 0, images: 0, tool_calls: 0 };

  constructor(choice: ChoiceReader, position: number, dialect: string, run: RunCalls, out: Delta[]) {
    this.#choice = choice;
    this.#dialect = dialect;
    this.#at = position === 0 ? {} : { choice: position };
    this.#out = out;
    this.#run = run;
  }

  settle({ parts }: Message, cut: ToolCallPart | undefined, isOver: boolean): void {
    for (const part of parts) {
      const place = this.#placeOf(part);
      if (part.type === "tool-call" || place.startsWith("calls/")) this.#settleCall(part, place, part === cut, isOver);
      else this.#settlePart(part, place);
    }
  }

  /** Tells that the calls have ended, as soon as their choice has. */
  endCalls({ parts }: Message, cut: ToolCallPart | undefined): void {
    for (const part of parts) {
      const place = this.#placeOf(part);
      const entry = this.#entryAt(place);
      if (entry?.toolCallId !== undefined) this.#settleCall(part, place, part === cut, true);
    }
  }

  #entryAt(place: string): CallEntry | undefined {
    const { legacy, entries } = this.#choice.calls;
    if (place === "function_call") return legacy;
    return place.startsWith("calls/") ? entries[Number(place.slice("calls/".length))] : undefined;
  }

  /** Where a part stands in the message; the order of those in one place is the same in both. */
  #placeOf(part: Part): string {
    const form = readForm(part, this.#dialect);
    const place = form["in"];
    if (place === DETAILS) return `details/${this.#counts[DETAILS]++}`;
    if (typeof place === "string" && TEXT_FIELDS.includes(place)) return place;
    if (place === "function_call") return place;
    if (part.type === "tool-call" || place === "tool_calls") return `calls/${this.#counts.tool_calls++}`;
    if (place === "images") return `images/${this.#counts.images++}`;
    if (part.type === "refusal" && place !== "content") return "refusal";
    if (part.type === "audio" && form["at"] !== "content") return "audio";
    const at = this.#counts.content++;
    return this.#choice.told.has("content") && at === 0 ? "content" : `content/${at}`;
  }

  #settleCall(part: Part, place: string, isCut: boolean, isOver: boolean): void {
    const entry = this.#entryAt(place);
    if (entry?.isWhole === true) return;
    const toolCallId = entry?.toolCallId;
    if (toolCallId === undefined) {
      if (part.type === "tool-call") this.#run.start(part, this.#dialect);
      this.#tell(part, place);
      return;
    }
    if (entry === undefined || entry.isEnded) return;
    const extra = newExtra(part.extra, entry.extra);
    if (isOver) {
      entry.isEnded = true;
      const payload = { toolCallId, ...((isCut || entry.isMisnamed) && { invalid: true }), ...(extra && { extra }) };
      this.#out.push({ kind: "tool_call_end", payload });
    } else if (extra !== undefined) {
      this.#out.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: "", extra } });
    }
  }

  #tell(value: Part, key: string): void {
    this.#choice.told.set(key, { key, kind: "whole", tokens: 0 });
    this.#out.push({ kind: "part", payload: { value, part: key, ...this.#at } });
  }

  #settlePart(part: Part, place: string): void {
    const told = this.#choice.told.get(place) ?? this.#retold(part, place);
    if (told === undefined) return this.#tell(part, place);
    if (told.kind === "whole") return;
    const at: PayloadBase = { part: told.key, ...this.#at };
    const extra = newExtra(part.extra, told.extra);
    const all = "logprobs" in part ? part.logprobs : undefined;
    // An empty list is one, too.
    const logprobs =
      all === undefined || (told.tokens > 0 && all.length === told.tokens) ? undefined : all.slice(told.tokens);
    if (extra !== undefined || logprobs !== undefined) {
      const more = { ...at, ...(extra && { extra }) };
      if (told.kind === "media") this.#out.push({ kind: "media", payload: { type: "audio", ...more } });
      else if (told.kind === "thinking") this.#out.push({ kind: "thinking", payload: { textDelta: "", ...more } });
      else this.#out.push({ kind: told.kind, payload: { textDelta: "", ...more, ...(logprobs && { logprobs }) } });
    }
    tellSeals(part.seals, told, this.#at, this.#out);
    if (part.type !== "text") return;
    for (const annotation of part.annotations ?? [])
      this.#out.push({ kind: "annotation", payload: { annotation, ...at } });
  }

  /** A text that turned out to be that of the only detail. */
  #retold(part: Part, place: string): Told | undefined {
    const { leading, told } = this.#choice;
    const isText = part.type === "reasoning" && part.text !== "" && part.summary === undefined;
    return place === "details/0" && isText && leading !== undefined ? told.get(leading) : undefined;
  }
}
