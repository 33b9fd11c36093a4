// Writes streamed parts as Anthropic blocks, one writer for each kind of part. A writer opens its block as soon as the
// block's type is known.
import { stringifyJson } from "../../../model/json/index.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Part, ReasoningPart } from "../../../model/parts.ts";
import type { PartWriter } from "../../blocks/stream/part-writers.ts";
import { CallArgumentPieces, WholePartWriter } from "../../blocks/stream/part-writers.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { findSealValue } from "../../kit/seals/seals.ts";
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import { toDraftPath } from "../../kit/streams/answer-follower.ts";
import type { PendingSurrogate, ReasoningTextState } from "../../kit/streams/text-chunks.ts";
import { readUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { nextReasoningText, takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { encodeCitation } from "../content/citations.ts";
import { encodePart } from "../content/encode-block.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import type { AnthropicEventWriter } from "./block-events.ts";

/** The state of one streamed answer, which its part writers share. */
export interface AnthropicStreamState {
  readonly events: AnthropicEventWriter;
  /**
   * The state for encoding parts. Its loss report is discarded, because the losses are reported once, from the complete
   * answer.
   */
  readonly encodeState: AnthropicEncodeState;
  /** Reports a form that cannot be restored, because it became known after the event that it concerns was written. */
  reportStaleForm(path: readonly (string | number)[]): void;
  /** Reports that the content of a part is written in more than one block. */
  reportSplit(draft: PartDraft): void;
}

function readPartEvents(part: Part, { encodeState }: AnthropicStreamState): JsonObject[] {
  return part.extra === undefined ? [] : readUnknownEvents(part, encodeState.context.dialect);
}

function encodeAnswerPart(part: Part, { encodeState }: AnthropicStreamState): JsonObject | undefined {
  return encodePart(part, "assistant", encodeState);
}

export function createPartWriter(draft: PartDraft, state: AnthropicStreamState): PartWriter {
  switch (draft.kind) {
    case "text":
    case "refusal":
      return new AnthropicTextWriter(draft, state);
    case "thinking":
      return new AnthropicThinkingWriter(draft as PartDraft<ReasoningPart>, state);
    case "call":
      return new AnthropicCallWriter(draft as CallDraft, state);
    default:
      return new WholePartWriter(draft, (part) => {
        const block = encodeAnswerPart(part, state);
        if (block !== undefined) state.events.writeBlock(block, readPartEvents(part, state));
      });
  }
}

const EMPTY_TEXT: JsonObject = { type: "text_delta", text: "" };
const EMPTY_THINKING: JsonObject = { type: "thinking_delta", thinking: "" };
const EMPTY_INPUT: JsonObject = { type: "input_json_delta", partial_json: "" };

class AnthropicTextWriter implements PartWriter, PendingSurrogate {
  pendingSurrogate?: string;
  readonly #state: AnthropicStreamState;
  readonly #index: number;
  /**
   * True until the first delta is added. The residue of the first delta is not written, because the start event already
   * has it.
   */
  #isFirstDelta = true;

  constructor({ part }: PartDraft, state: AnthropicStreamState) {
    this.#state = state;
    const { extra } = part;
    const start = encodeAnswerPart({ type: "text", text: "", ...(extra && { extra }) }, state);
    this.#index = state.events.openBlock(start ?? {}, readPartEvents(part, state));
  }

  add(delta: Delta): void {
    const { events, encodeState } = this.#state;
    if (delta.kind === "text" || delta.kind === "refusal") {
      const text = takeWholeCharacters(this, delta.payload.textDelta);
      if (text !== "") events.writeText(this.#index, text);
    } else if (delta.kind === "annotation") {
      const citation = encodeCitation(delta.payload.annotation, encodeState);
      if (citation !== undefined) events.writeDelta(this.#index, { type: "citations_delta", citation });
    }
    const { extra } = delta.payload;
    if (extra !== undefined && !this.#isFirstDelta)
      events.writeResidue(this.#index, EMPTY_TEXT, extra, encodeState.context.dialect);
    this.#isFirstDelta = false;
  }

  close(): void {
    if (this.pendingSurrogate !== undefined) this.#state.events.writeText(this.#index, this.pendingSurrogate);
    this.#state.events.closeBlock(this.#index);
  }
}

/**
 * Writes a reasoning part. Opens the block at the first text, because reasoning without text becomes a redacted block
 * or no block.
 */
class AnthropicThinkingWriter implements PartWriter, PendingSurrogate, ReasoningTextState {
  pendingSurrogate?: string;
  summary?: number;
  readonly #draft: PartDraft<ReasoningPart>;
  readonly #state: AnthropicStreamState;
  #index: number | undefined;
  /** True if the start event was written with an empty `signature`. */
  #hasEmptySignature = false;

  constructor(draft: PartDraft<ReasoningPart>, state: AnthropicStreamState) {
    this.#draft = draft;
    this.#state = state;
  }

  add(delta: Delta): void {
    const { events, encodeState } = this.#state;
    const wasOpen = this.#index !== undefined;
    if (delta.kind === "thinking") {
      const text = takeWholeCharacters(this, nextReasoningText(this, delta.payload.textDelta, delta.payload.summary));
      if (text !== "") events.writeThinking((this.#index ??= this.#openBlock(text)), text);
    }
    const { extra } = delta.payload;
    if (wasOpen && extra !== undefined && this.#index !== undefined) {
      events.writeResidue(this.#index, EMPTY_THINKING, extra, encodeState.context.dialect);
    }
  }

  #openBlock(text: string): number {
    const { extra, seals } = this.#draft.part;
    const part: ReasoningPart = { type: "reasoning", text, ...(extra && { extra }), ...(seals && { seals }) };
    const block = encodeAnswerPart(part, this.#state) ?? {};
    block["thinking"] = "";
    this.#hasEmptySignature = typeof block["signature"] === "string";
    if (this.#hasEmptySignature) block["signature"] = "";
    return this.#state.events.openBlock(block, readPartEvents(this.#draft.part, this.#state));
  }

  close(): void {
    const { events, encodeState } = this.#state;
    const { context } = encodeState;
    const { part } = this.#draft;
    if (this.pendingSurrogate !== undefined)
      events.writeThinking((this.#index ??= this.#openBlock(this.pendingSurrogate)), this.pendingSurrogate);
    if (this.#index === undefined) {
      const block = encodeAnswerPart(part, this.#state);
      if (block !== undefined) events.writeBlock(block, readPartEvents(part, this.#state));
      return;
    }
    const signature = findSealValue(part, "signature", context);
    const isSealed = signature !== undefined || findSealValue(part, "redacted", context) !== undefined;
    // A seal is valid only for the reasoning text. If summaries were written instead of the text, the sealed text needs
    // a block of its own.
    const wroteSummary = this.summary !== undefined && this.summary !== -1;
    if (isSealed && wroteSummary) return this.#writeSealedBlock(this.#index);
    if (signature !== undefined) events.writeDelta(this.#index, { type: "signature_delta", signature });
    else if (this.#hasEmptySignature && readForm(part, context.dialect)["signature"] === "none") {
      const isSame = part.extra?.[context.dialect]?.["signature"] === "";
      const path = [...toDraftPath(this.#draft), "extra", context.dialect, "$form", "signature"];
      if (!isSame) this.#state.reportStaleForm(path);
    }
    events.closeBlock(this.#index);
  }

  /** Closes the block with the summaries, and writes the sealed text in an additional block. */
  #writeSealedBlock(index: number): void {
    const { events } = this.#state;
    events.closeBlock(index);
    this.#state.reportSplit(this.#draft);
    const block = encodeAnswerPart(this.#draft.part, this.#state);
    if (block !== undefined) events.writeBlock(block, []);
  }
}

class AnthropicCallWriter implements PartWriter {
  readonly #draft: CallDraft;
  readonly #state: AnthropicStreamState;
  readonly #arguments: CallArgumentPieces;
  /** The index of the block of the call; undefined if the call is dropped and has no block. */
  readonly #index: number | undefined;

  constructor(draft: CallDraft, state: AnthropicStreamState) {
    this.#draft = draft;
    this.#state = state;
    this.#arguments = new CallArgumentPieces(draft);
    // The block starts with an empty input, because the arguments follow as deltas. The draft already has arguments if
    // the call was buffered while another call was open.
    const { inputText: _, invalid: __, ...call } = draft.part;
    const block = encodeAnswerPart({ ...call, input: {} }, state);
    if (block !== undefined) this.#index = state.events.openBlock(block, readPartEvents(draft.part, state));
  }

  add(delta: Delta): void {
    const index = this.#index;
    if (index === undefined) return;
    const { events, encodeState } = this.#state;
    if (delta.kind === "tool_call_args" || delta.kind === "tool_call_end") {
      const json = this.#arguments.next(delta.payload.argsTextDelta ?? "");
      if (json !== "") events.writeInput(index, json);
    }
    const { extra } = delta.payload;
    // The residue of `tool_call_start` is not written here, because the start event already has it.
    if (extra !== undefined && delta.kind !== "tool_call_start") {
      events.writeResidue(index, EMPTY_INPUT, extra, encodeState.context.dialect);
    }
  }

  close(): void {
    const index = this.#index;
    if (index === undefined) return;
    const { events } = this.#state;
    const rest = this.#arguments.finish(true);
    if (rest !== "") events.writeInput(index, rest);
    if (this.#arguments.isDeferred) {
      const { part, args, ended } = this.#draft;
      const call = ended ? part : { ...part, input: args, inputText: args, invalid: true };
      const { input } = encodeAnswerPart(call, this.#state) ?? {};
      if (input !== undefined) events.writeInput(index, stringifyJson(input));
    }
    events.closeBlock(index);
  }
}
