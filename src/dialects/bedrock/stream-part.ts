// Parts on their way out in pieces, one writer for each kind that grows. What is known of a part only when it is whole
// (its signature, its citations, what was kept for it) goes out when it is closed.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Part, ReasoningPart } from "../../model/parts.ts";
import type { CallDraft, Draft } from "../kit/follow.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { sealOf } from "../kit/seals.ts";
import type { Held, Thought } from "../kit/streams.ts";
import { thoughtPiece, wholeCharacters } from "../kit/streams.ts";
import { WRAPPED } from "../kit/text-tools.ts";
import { CITED } from "./citations.ts";
import { encodePart } from "./encode-block.ts";
import type { BlockWriter } from "./stream-write.ts";
import type { Writing } from "./writing.ts";

/** One part while it is written. */
export interface PartWriter {
  add(delta: Delta): void;
  /** All has come of it; in an answer that failed it is not over. */
  close(isOver: boolean): void;
}

/** What all of them write with. */
export interface Desk {
  readonly out: BlockWriter;
  /** The parts whose arguments went out as they came, though they cannot be read. */
  readonly verbatim: Set<number>;
  /** Without a report: what is lost is told once, at the end, as of an answer in one piece. */
  readonly writing: Writing;
  /** Reports that a part goes on in a further block. */
  split(draft: Draft): void;
}

function blockOf(part: Part, { writing }: Desk): JsonObject | undefined {
  return encodePart(part, "answer", writing);
}

export function partWriter(draft: Draft, desk: Desk): PartWriter {
  const { part, kind } = draft;
  switch (kind) {
    case "text":
    case "refusal":
      // A text that stood in another block than that of texts goes back to it.
      if (readForm(part, desk.writing.context.dialect)["type"] !== undefined) return new WholeWriter(draft, desk);
      return new TextWriter(draft, desk);
    case "thinking":
      return new ThinkingWriter(draft as Draft<ReasoningPart>, desk); // the kind says so
    case "call":
      return new CallWriter(draft as CallDraft, desk); // the kind says so
    default:
      return new WholeWriter(draft, desk);
  }
}

class TextWriter implements PartWriter, Held {
  held?: string;
  readonly #draft: Draft;
  readonly #desk: Desk;
  readonly #index: number;
  #isSaid = false;

  constructor(draft: Draft, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
    this.#index = desk.out.begin();
  }

  add(delta: Delta): void {
    if (delta.kind === "text" || delta.kind === "refusal") this.#say(wholeCharacters(this, delta.payload.textDelta));
  }

  #say(text: string): void {
    if (text === "") return;
    this.#desk.out.delta(this.#index, { text });
    this.#isSaid = true;
  }

  close(isOver: boolean): void {
    const { out } = this.#desk;
    if (this.held !== undefined) this.#say(this.held);
    const block = blockOf(this.#draft.part, this.#desk) ?? {};
    if (isObject(block[CITED])) out.citations(this.#index, block, this.#isSaid);
    else {
      if (!this.#isSaid) out.delta(this.#index, { text: "" });
      out.rest(this.#index, block, "text", { text: "" });
    }
    if (isOver) out.close(this.#index);
  }
}

/** Thinking is begun with its first word: where none comes, it may be redacted, or nothing that can be said. */
class ThinkingWriter implements PartWriter, Held, Thought {
  held?: string;
  summary?: number;
  readonly #draft: Draft<ReasoningPart>;
  readonly #desk: Desk;
  #index: number | undefined;

  constructor(draft: Draft<ReasoningPart>, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
  }

  add(delta: Delta): void {
    if (delta.kind !== "thinking") return;
    this.#say(wholeCharacters(this, thoughtPiece(this, delta.payload.textDelta, delta.payload.summary)));
  }

  #say(text: string): void {
    if (text === "") return;
    const { out } = this.#desk;
    out.delta((this.#index ??= out.begin()), { reasoningContent: { text } });
  }

  /** Whether a text is sealed that has not been said: a summary was, in its place. */
  get #isOther(): boolean {
    if (this.summary === undefined || this.summary === -1) return false;
    const { context } = this.#desk.writing;
    const { part } = this.#draft;
    return sealOf(part, "signature", context) !== undefined || sealOf(part, "redacted", context) !== undefined;
  }

  close(isOver: boolean): void {
    const { out } = this.#desk;
    if (this.held !== undefined) this.#say(this.held);
    const block = blockOf(this.#draft.part, this.#desk);
    if (this.#index === undefined) {
      if (block !== undefined) out.whole(block);
      return;
    }
    if (block === undefined || !this.#isOther) {
      if (block !== undefined) out.reasoning(this.#index, block, true);
      if (isOver) out.close(this.#index);
    } else if (isOver) {
      out.close(this.#index);
      this.#desk.split(this.#draft);
      out.whole(block);
    }
  }
}

const FIRST_SIGN = /\S/;
const WRAPPING = `{${JSON.stringify(WRAPPED)}:"`;

/** Arguments that begin as an object go out as they come; all others wait, because they are put into one (B22, B32). */
class CallWriter implements PartWriter, Held {
  held?: string;
  readonly #draft: CallDraft;
  readonly #desk: Desk;
  readonly #index: number | undefined;
  #form: "open" | "object" | "text" | "other" = "open";
  /** What the start has said of it; more may have been kept since. */
  readonly #started: JsonObject | undefined;

  constructor(draft: CallDraft, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
    this.#started = blockOf(draft.part, desk);
    if (this.#started !== undefined) this.#index = desk.out.openCall(this.#started);
    if (draft.part.format === "text" && draft.part.executor !== "provider") this.#form = "text";
  }

  add(delta: Delta): void {
    if (delta.kind !== "tool_call_args" && delta.kind !== "tool_call_end") return;
    this.#say(this.#pieceOf(delta.payload.argsTextDelta ?? ""));
  }

  #say(input: string): void {
    if (input !== "" && this.#index !== undefined) this.#desk.out.delta(this.#index, { toolUse: { input } });
  }

  #pieceOf(text: string): string {
    if (this.#form === "object") return wholeCharacters(this, text);
    if (this.#form === "text") {
      const piece = wholeCharacters(this, text);
      const isFirst = this.#draft.args.length === text.length && piece !== "";
      return (isFirst ? WRAPPING : "") + escaped(piece);
    }
    const sign = this.#form === "open" ? FIRST_SIGN.exec(text)?.[0] : undefined;
    if (sign === undefined) return "";
    this.#form = sign === "{" ? "object" : "other";
    // What came before was blank.
    return this.#form === "object" ? wholeCharacters(this, text) : "";
  }

  close(isOver: boolean): void {
    const index = this.#index;
    const draft = this.#draft;
    const started = this.#started ?? {};
    if (index === undefined) return;
    const { out } = this.#desk;
    if (this.#form === "text" && isOver) {
      const begun = draft.args === "" || draft.args === this.held ? WRAPPING : "";
      this.#say(`${begun}${escaped(this.held ?? "")}"}`);
    } else if (this.held !== undefined) this.#say(this.held);
    const { part, args, ended } = draft;
    if (this.#form === "object") this.#desk.verbatim.add(draft.index);
    const whole = ended ? part : { ...part, input: args, inputText: args, invalid: true };
    const block = blockOf(whole, this.#desk) ?? {};
    const { toolUse } = block;
    if (this.#form === "other" && isOver && isObject(toolUse)) this.#say(stringifyJson(toolUse["input"] ?? {}));
    const late = unknownFields(block, new Set(Object.keys(started))) ?? {};
    const known = isObject(started["toolUse"]) ? Object.keys(started["toolUse"]) : [];
    const within = isObject(toolUse) ? unknownFields(toolUse, new Set([...known, "input"])) : undefined;
    if (Object.keys(late).length > 0 || within !== undefined) {
      out.delta(index, { ...late, toolUse: { ...within, input: "" } });
    }
    if (isOver) out.close(index);
  }
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A part that came whole goes out at once; media that come in pieces go out when all of it is there. */
class WholeWriter implements PartWriter {
  readonly #draft: Draft;
  readonly #desk: Desk;
  #isWritten = false;

  constructor(draft: Draft, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
  }

  add(delta: Delta): void {
    if (delta.kind === "part") this.close();
  }

  close(): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const block = blockOf(this.#draft.part, this.#desk);
    if (block !== undefined) this.#desk.out.whole(block);
  }
}
