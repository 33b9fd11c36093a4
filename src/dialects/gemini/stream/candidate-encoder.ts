// Encodes one candidate of a stream. Text is written as it arrives; its signature follows on an empty text of the same
// kind. Other parts are written when they are complete, so that the signature can be on the part (B9).
import type { Delta } from "../../../model/delta.ts";
import type { Part, ReasoningPart, RefusalPart, TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import { toDraftPath } from "../../kit/streams/answer-follower.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { findSealValue } from "../../kit/seals/seals.ts";
import type { PartSink } from "../../kit/streams/part-sequence.ts";
import { PartSequence } from "../../kit/streams/part-sequence.ts";
import type { PendingSurrogate } from "../../kit/streams/text-chunks.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import type { TextJoinStep } from "../content/split-texts.ts";
import { hasPieceForm, TextJoinRule } from "../content/split-texts.ts";
import { encodePart } from "../content/encode-part.ts";
import type { GeminiLossCode } from "../losses.ts";
import { findWireName, SPELLING_FORM } from "../content/snake-case-fields.ts";
import { readComparableFields } from "./joined-text-positions.ts";
import type { GeminiPart } from "../types.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

type StreamedText = TextPart | ReasoningPart | RefusalPart;

function isStreamedText(part: Part): part is StreamedText {
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal";
}

const PLAIN: GeminiPart = {};
const THOUGHT: GeminiPart = { thought: true };
const TEXT: ReadonlySet<string> = new Set(["text"]);

/**
 * Encodes the fields of a text part except its text. A streamed text is written in several pieces (wire texts), and
 * each piece has these fields.
 */
function encodeTextFields(part: StreamedText, state: GeminiEncodeState): GeminiPart {
  if (part.extra === undefined) return part.type === "reasoning" ? THOUGHT : PLAIN;
  const { seals: _, ...unsigned } = part;
  // encodePart adds the residue of the part. The text "." is a placeholder, because encodePart drops a thought without
  // text; the return statement removes it.
  const wire = encodePart({ ...unsigned, text: "." }, state);
  return (wire && unknownFields(wire, TEXT)) ?? PLAIN;
}

export class GeminiCandidateEncoder implements PartSink {
  /** Wire parts that have not been written to an event yet. */
  pending: GeminiPart[] = [];
  readonly #context: EncodeContext<GeminiLossCode>;
  readonly #state: GeminiEncodeState;
  readonly #sequence = new PartSequence(this);
  readonly #joinRule = new TextJoinRule();
  /** The wire fields, except the text, of the part that is being encoded. */
  #textFields: GeminiPart = PLAIN;
  /** The wire fields, except the text, of the piece that was written last, which may belong to an earlier part. */
  #lastTextFields: GeminiPart = PLAIN;
  readonly #pendingSurrogate: PendingSurrogate = {};
  /**
   * The text of the current part so far, if it is held back until its signature is known; undefined if text is written
   * as it arrives.
   */
  #bufferedText: string | undefined;
  /** The index of the summary that was written last; undefined if the current part has written no summary. */
  #summary: number | undefined;
  /**
   * The effect of the first written piece of the current part on a decoder: it begins a part ("begins"), continues the
   * previous part ("joins") or adds no part ("empty"). Undefined until a piece is written.
   */
  #firstStep: TextJoinStep | undefined;
  readonly #splitParts = new Set<PartDraft>();
  /** The parts of the assembled answer; undefined until the answer has ended. */
  #finalParts: readonly Part[] | undefined;
  #hasFailed = false;
  /**
   * Indexes of the calls that were not complete when the answer failed. They are not written, because a client would
   * treat them as complete (B31).
   */
  readonly brokenCalls = new Set<number>();

  /** The context of `state` discards its report, because encodeResponse reports the losses of the complete answer. */
  constructor(context: EncodeContext<GeminiLossCode>, state: GeminiEncodeState) {
    this.#context = context;
    this.#state = state;
  }

  push(draft: PartDraft, delta: Delta): void {
    this.#sequence.push(draft, delta);
  }

  /**
   * Returns an empty text with the same other fields as the piece that was written last, so that a decoder still joins
   * the pieces before and after it.
   */
  createEmptyText(): GeminiPart {
    return this.#joinRule.isOpen ? { text: "", ...this.#lastTextFields } : { text: "" };
  }

  end(parts: readonly Part[], hasFailed: boolean): void {
    this.#finalParts = parts;
    this.#hasFailed = hasFailed;
    this.#sequence.end();
  }

  open({ part }: PartDraft): void {
    if (!isStreamedText(part)) return;
    this.#textFields = encodeTextFields(part, this.#state);
    this.#summary = undefined;
    this.#firstStep = undefined;
    // If the previous text has a signature, a decoder joins the new text to it unless the first piece of the new text
    // has a signature, too. The new text is therefore held back until its signature is known.
    const isThought = part.type === "reasoning";
    this.#bufferedText = this.#joinRule.followsSealedText(isThought, readComparableFields(this.#textFields))
      ? ""
      : undefined;
  }

  add({ part }: PartDraft, delta: Delta): void {
    switch (delta.kind) {
      case "text":
      case "refusal":
        this.#addText(delta.payload.textDelta);
        break;
      case "thinking":
        this.#addThought(part as ReasoningPart, delta.payload); // The cast is safe, because only reasoning parts receive thinking deltas.
        break;
      case "part":
        if (part.type === "reasoning") this.#addText(part.text === "" ? (part.summary ?? []).join("\n\n") : part.text);
        else if (isStreamedText(part)) this.#addText(part.text);
        break;
      default:
      // Other deltas write nothing here: their data is written when the part is complete or the answer ends.
    }
  }

  /** Adds a piece of a thought. A summary is written only if the part has no thought text, as in a response. */
  #addThought({ text }: ReasoningPart, { textDelta, summary }: { textDelta: string; summary?: number }): void {
    if (summary === undefined) this.#addText(textDelta);
    else if (text === "") {
      this.#addText(this.#summary === undefined || this.#summary === summary ? textDelta : `\n\n${textDelta}`);
      this.#summary = summary;
    }
  }

  #addText(text: string): void {
    if (this.#bufferedText !== undefined) {
      this.#bufferedText += text;
      return;
    }
    const wholeText = takeWholeCharacters(this.#pendingSurrogate, text);
    if (wholeText !== "") this.#writeText(wholeText, undefined);
  }

  #writeText(text: string, signature: [name: string, value: string] | undefined): void {
    const wire: GeminiPart = this.#textFields === PLAIN ? { text } : { text, ...this.#textFields };
    if (signature !== undefined) Object.assign(wire, { [signature[0]]: signature[1] });
    const isThought = this.#textFields.thought === true;
    const rest =
      this.#textFields === PLAIN || this.#textFields === THOUGHT ? undefined : readComparableFields(this.#textFields);
    const step = this.#joinRule.advance(text, isThought, signature !== undefined, rest);
    this.#firstStep ??= step;
    this.#lastTextFields = this.#textFields;
    this.pending.push(wire);
  }

  close(draft: PartDraft): void {
    const { part } = draft;
    if (isStreamedText(part)) this.#closeText(part);
    else if (this.#hasFailed && isOpenCall(draft)) {
      this.brokenCalls.add(draft.index);
      this.#context.report.addLoss("part-unsupported", toDraftPath(draft));
    } else {
      const wire = encodePart(this.#toCompletePart(draft), this.#state);
      if (wire !== undefined) {
        this.#joinRule.close();
        this.pending.push(wire);
      }
    }
    const isJoined =
      isStreamedText(part) && this.#firstStep !== "begins" && encodePart(part, this.#state) !== undefined;
    if (isJoined || hasPieceForm(part, this.#context.dialect))
      this.#context.report.addLoss("texts-joined", toDraftPath(draft));
  }

  #closeText(part: StreamedText): void {
    const text = (this.#bufferedText ?? "") + (this.#pendingSurrogate.pendingSurrogate ?? "");
    delete this.#pendingSurrogate.pendingSurrogate;
    this.#bufferedText = undefined;
    const value = part.seals === undefined ? undefined : findSealValue(part, "signature", this.#context);
    const spelling = part.extra === undefined ? undefined : readForm(part, this.#context.dialect)[SPELLING_FORM];
    if (value !== undefined)
      this.#writeText(text, [findWireName("thoughtSignature", isObject(spelling) ? spelling : {}), value]);
    else if (text !== "" || (this.#firstStep === undefined && this.#needsEmptyText(part)))
      this.#writeText(text, undefined);
  }

  /**
   * True if a part without text must be written as an empty text: because it has unknown fields, or because a decoder
   * would otherwise join the texts before and after it. False if encodePart drops the part.
   */
  #needsEmptyText(part: StreamedText): boolean {
    if (!this.#joinRule.wouldSplit(part.type === "reasoning") && readComparableFields(this.#textFields) === undefined)
      return false;
    return encodePart(part, this.#state) !== undefined;
  }

  /**
   * Returns the complete part: for a call without a `tool_call_end` delta, the part of the assembled answer; otherwise
   * the part of the draft.
   */
  #toCompletePart(draft: PartDraft): Part {
    return isOpenCall(draft) ? (this.#finalParts?.[draft.index] ?? draft.part) : draft.part;
  }

  late(draft: PartDraft, delta: Delta): void {
    const { part } = draft;
    const { report } = this.#context;
    if (delta.kind === "seal") {
      if (findSealValue({ seals: [delta.payload.seal] }, "signature", this.#context) !== undefined)
        report.addLoss("late-dropped", [...toDraftPath(draft), "seals"]);
      return;
    }
    if (!isStreamedText(part) || !("textDelta" in delta.payload) || delta.payload.textDelta === "") return;
    if (!this.#splitParts.has(draft)) report.addLoss("part-split", toDraftPath(draft));
    this.#splitParts.add(draft);
    const textFields = this.#textFields;
    this.#textFields = encodeTextFields(part, this.#state);
    this.#writeText(delta.payload.textDelta, undefined);
    this.#textFields = textFields;
  }
}

/** True for a call that has not ended. */
function isOpenCall(draft: PartDraft): boolean {
  return draft.kind === "call" && !(draft as CallDraft).ended; // The cast is safe, because drafts of kind "call" are CallDrafts.
}
