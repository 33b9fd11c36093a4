// Parts on their way out in pieces, one writer for each kind that grows. A writer decides when its block can be opened:
// at once, or when enough has come to know what block it is.
import { stringifyJson } from "../../model/json.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Annotation, Part, ReasoningPart } from "../../model/parts.ts";
import type { CallDraft, Draft } from "../kit/follow.ts";
import { placeOf } from "../kit/follow.ts";
import { readForm } from "../kit/residue.ts";
import { sealOf } from "../kit/seals.ts";
import type { Held, Thought } from "../kit/streams.ts";
import { eventsOf, thoughtPiece, wholeCharacters } from "../kit/streams.ts";
import { WRAPPED } from "../kit/text-tools.ts";
import { encodeCitation } from "./citations.ts";
import { encodePart } from "./encode-block.ts";
import type { BlockWriter } from "./stream-write.ts";
import type { Writing } from "./writing.ts";

/** One part while it is written. */
export interface PartWriter {
  add(delta: Delta): void;
  close(): void;
}

/** What all of them write with. */
export interface Desk {
  readonly out: BlockWriter;
  /** Without a report: what is lost is told once, at the end, as of an answer in one piece. */
  readonly writing: Writing;
  /** Reports that the stream had gone on before it knew how something was spelled. */
  stale(place: readonly (string | number)[]): void;
  /** Reports that a part goes on in a further block. */
  split(draft: Draft): void;
}

/** A citation as it goes out; undefined where it cannot be said. */
export function citationOf(annotation: Annotation, { writing }: Desk): JsonObject | undefined {
  return encodeCitation(annotation, writing);
}

/** The events that were kept for a part; only a stream says them. */
function keptFor(part: Part, { writing }: Desk): JsonObject[] {
  return part.extra === undefined ? [] : eventsOf(part, writing.context.dialect);
}

export function partWriter(draft: Draft, desk: Desk): PartWriter {
  switch (draft.kind) {
    case "text":
    case "refusal":
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
  readonly #desk: Desk;
  readonly #index: number;
  #isFresh = true;

  constructor({ part }: Draft, desk: Desk) {
    this.#desk = desk;
    const { extra } = part;
    const start = encodePart({ type: "text", text: "", ...(extra && { extra }) }, "assistant", desk.writing);
    this.#index = desk.out.open(start ?? {}, keptFor(part, desk));
  }

  add(delta: Delta): void {
    const { out } = this.#desk;
    if (delta.kind === "text" || delta.kind === "refusal") {
      const text = wholeCharacters(this, delta.payload.textDelta);
      if (text !== "") out.text(this.#index, text);
    } else if (delta.kind === "annotation") {
      const citation = citationOf(delta.payload.annotation, this.#desk);
      if (citation !== undefined) out.delta(this.#index, { type: "citations_delta", citation });
    }
    const { extra } = delta.payload;
    if (extra !== undefined && !this.#isFresh)
      out.residue(this.#index, TEXT, extra, this.#desk.writing.context.dialect);
    this.#isFresh = false;
  }

  close(): void {
    if (this.held !== undefined) this.#desk.out.text(this.#index, this.held);
    this.#desk.out.close(this.#index);
  }
}

const TEXT: JsonObject = { type: "text_delta", text: "" };
const THINKING: JsonObject = { type: "thinking_delta", thinking: "" };
const JSON_PIECE: JsonObject = { type: "input_json_delta", partial_json: "" };

/** Thinking is opened with its first word: where none comes, it may be redacted, or nothing that can be said. */
class ThinkingWriter implements PartWriter, Held, Thought {
  held?: string;
  summary?: number;
  readonly #draft: Draft<ReasoningPart>;
  readonly #desk: Desk;
  #index: number | undefined;
  /** Whether it began with a signature that is still to come. */
  #isSignable = false;

  constructor(draft: Draft<ReasoningPart>, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
  }

  add(delta: Delta): void {
    const { out, writing } = this.#desk;
    const wasOpen = this.#index !== undefined;
    if (delta.kind === "thinking") {
      const text = wholeCharacters(this, thoughtPiece(this, delta.payload.textDelta, delta.payload.summary));
      if (text !== "") out.thinking((this.#index ??= this.#open(text)), text);
    }
    const { extra } = delta.payload;
    if (wasOpen && extra !== undefined && this.#index !== undefined) {
      out.residue(this.#index, THINKING, extra, writing.context.dialect);
    }
  }

  #open(text: string): number {
    const { extra, seals } = this.#draft.part;
    const begun: ReasoningPart = { type: "reasoning", text, ...(extra && { extra }), ...(seals && { seals }) };
    const block = encodePart(begun, "assistant", this.#desk.writing) ?? {};
    block["thinking"] = "";
    this.#isSignable = typeof block["signature"] === "string";
    if (this.#isSignable) block["signature"] = "";
    return this.#desk.out.open(block, keptFor(this.#draft.part, this.#desk));
  }

  close(): void {
    const { out, writing } = this.#desk;
    const { part } = this.#draft;
    if (this.held !== undefined) out.thinking((this.#index ??= this.#open(this.held)), this.held);
    if (this.#index === undefined) {
      const block = encodePart(part, "assistant", writing);
      if (block !== undefined) out.whole(block, keptFor(part, this.#desk));
      return;
    }
    const { dialect } = writing.context;
    const signature = sealOf(part, "signature", writing.context);
    // What is sealed is the text, not the summary that was said in its place.
    const isOther = signature !== undefined || sealOf(part, "redacted", writing.context) !== undefined;
    if (isOther && this.summary !== undefined && this.summary !== -1) return this.#addSealed(this.#index);
    if (signature !== undefined) out.delta(this.#index, { type: "signature_delta", signature });
    else if (this.#isSignable && readForm(part, dialect)["signature"] === "none") {
      // It began with an empty one, which nothing takes back.
      const isSame = part.extra?.[dialect]?.["signature"] === "";
      if (!isSame) this.#desk.stale([...placeOf(this.#draft), "extra", dialect, "$form", "signature"]);
    }
    out.close(this.#index);
  }

  /** The seal stands in a block of its own, with the text that it seals. */
  #addSealed(index: number): void {
    const { out, writing } = this.#desk;
    out.close(index);
    this.#desk.split(this.#draft);
    const block = encodePart(this.#draft.part, "assistant", writing);
    if (block !== undefined) out.whole(block, []);
  }
}

const FIRST_SIGN = /\S/;

/** Arguments that begin as an object go out as they come; all others wait, because they are put into one (B22, B32). */
class CallWriter implements PartWriter, Held {
  held?: string;
  readonly #draft: CallDraft;
  readonly #desk: Desk;
  readonly #index: number | undefined;
  #form: "open" | "object" | "text" | "other" = "open";
  /** No text has been wrapped yet. */
  #isFresh = true;

  constructor(draft: CallDraft, desk: Desk) {
    this.#draft = draft;
    this.#desk = desk;
    // One that had to wait may have its arguments already; they come as deltas.
    const { inputText: _, invalid: __, ...call } = draft.part;
    const block = encodePart({ ...call, input: {} }, "assistant", desk.writing);
    if (block !== undefined) this.#index = desk.out.open(block, keptFor(draft.part, desk));
    if (draft.part.format === "text" && draft.part.executor !== "provider") this.#form = "text";
  }

  add(delta: Delta): void {
    const index = this.#index;
    if (index === undefined) return;
    const { out, writing } = this.#desk;
    if (delta.kind === "tool_call_args" || delta.kind === "tool_call_end") {
      const piece = this.#pieceOf(delta.payload.argsTextDelta ?? "");
      if (piece !== "") out.json(index, piece);
    }
    const { extra } = delta.payload;
    // That of the start stands in the block.
    if (extra !== undefined && delta.kind !== "tool_call_start") {
      out.residue(index, JSON_PIECE, extra, writing.context.dialect);
    }
  }

  #pieceOf(text: string): string {
    if (this.#form === "object") return wholeCharacters(this, text);
    if (this.#form === "text") return this.#wrapped(wholeCharacters(this, text));
    const sign = this.#form === "open" ? FIRST_SIGN.exec(text)?.[0] : undefined;
    if (sign === undefined) return "";
    this.#form = sign === "{" ? "object" : "other";
    // What came before was blank.
    return this.#form === "object" ? wholeCharacters(this, text) : "";
  }

  /** A piece of free text, within the object that it is put into. */
  #wrapped(piece: string): string {
    if (piece === "") return "";
    const before = this.#isFresh ? WRAPPING : "";
    this.#isFresh = false;
    return before + JSON.stringify(piece).slice(1, -1);
  }

  close(): void {
    const index = this.#index;
    const draft = this.#draft;
    if (index === undefined) return;
    const { out, writing } = this.#desk;
    if (this.#form === "text") {
      const last = this.#wrapped(this.held ?? "");
      out.json(index, `${this.#isFresh ? WRAPPING : last}"}`);
    } else if (this.held !== undefined) out.json(index, this.held);
    if (this.#form === "other") {
      const { part, args, ended } = draft;
      const whole = ended ? part : { ...part, input: args, inputText: args, invalid: true };
      const { input } = encodePart(whole, "assistant", writing) ?? {};
      if (input !== undefined) out.json(index, stringifyJson(input));
    }
    out.close(index);
  }
}

const WRAPPING = `{${JSON.stringify(WRAPPED)}:"`;

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
    if (delta.kind === "part") this.#write();
  }

  #write(): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const block = encodePart(this.#draft.part, "assistant", this.#desk.writing);
    if (block !== undefined) this.#desk.out.whole(block, keptFor(this.#draft.part, this.#desk));
  }

  close(): void {
    this.#write();
  }
}
