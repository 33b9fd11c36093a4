// Writes streamed parts as Bedrock blocks, with one writer class for each kind of part. Signature, citations and
// residue of a part are written when the part is closed.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import type { Part, ReasoningPart } from "../../../model/parts.ts";
import type { PartWriter } from "../../blocks/stream/part-writers.ts";
import { CallArgumentPieces, WholePartWriter } from "../../blocks/stream/part-writers.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { findSealValue } from "../../kit/seals/seals.ts";
import type { CallDraft, PartDraft } from "../../kit/streams/answer-follower.ts";
import type { PendingSurrogate, ReasoningTextState } from "../../kit/streams/text-chunks.ts";
import { nextReasoningText, takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { CITATIONS_CONTENT } from "../content/citations.ts";
import { encodePart } from "../content/encode-block.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import type { BedrockEventWriter } from "./block-events.ts";

/** State of one streamed answer, shared by its part writers. */
export interface BedrockStreamState {
  readonly events: BedrockEventWriter;
  /** Part indexes of the calls whose arguments were written unchanged; these arguments need not be valid JSON. */
  readonly unchangedCalls: Set<number>;
  /**
   * The encode state for single parts. Its report is discarded, because the losses are reported for the complete
   * answer.
   */
  readonly encodeState: BedrockEncodeState;
  /** Reports the loss that a part continues in an additional block. */
  reportSplit(draft: PartDraft): void;
}

function encodeAnswerPart(part: Part, { encodeState }: BedrockStreamState): JsonObject | undefined {
  return encodePart(part, "answer", encodeState);
}

export function createPartWriter(draft: PartDraft, state: BedrockStreamState): PartWriter {
  const { part, kind } = draft;
  switch (kind) {
    case "text":
    case "refusal":
      // A text with the form of another block, such as `guardContent`, is written in one event when it is complete.
      if (readForm(part, state.encodeState.context.dialect)["type"] !== undefined)
        return createWholeWriter(draft, state);
      return new BedrockTextWriter(draft, state);
    case "thinking":
      return new BedrockThinkingWriter(draft as PartDraft<ReasoningPart>, state);
    case "call":
      return new BedrockCallWriter(draft as CallDraft, state);
    default:
      return createWholeWriter(draft, state);
  }
}

function createWholeWriter(draft: PartDraft, state: BedrockStreamState): PartWriter {
  return new WholePartWriter(draft, (part) => {
    const block = encodeAnswerPart(part, state);
    if (block !== undefined) state.events.writeBlock(block);
  });
}

class BedrockTextWriter implements PartWriter, PendingSurrogate {
  pendingSurrogate?: string;
  readonly #draft: PartDraft;
  readonly #state: BedrockStreamState;
  readonly #index: number;
  #hasText = false;

  constructor(draft: PartDraft, state: BedrockStreamState) {
    this.#draft = draft;
    this.#state = state;
    this.#index = state.events.reserveIndex();
  }

  add(delta: Delta): void {
    if (delta.kind === "text" || delta.kind === "refusal")
      this.#write(takeWholeCharacters(this, delta.payload.textDelta));
  }

  #write(text: string): void {
    if (text === "") return;
    this.#state.events.writeDelta(this.#index, { text });
    this.#hasText = true;
  }

  close(isComplete: boolean): void {
    const { events } = this.#state;
    if (this.pendingSurrogate !== undefined) this.#write(this.pendingSurrogate);
    const block = encodeAnswerPart(this.#draft.part, this.#state) ?? {};
    if (isObject(block[CITATIONS_CONTENT])) events.writeCitations(this.#index, block, this.#hasText);
    else {
      if (!this.#hasText) events.writeDelta(this.#index, { text: "" });
      events.writeRest(this.#index, block, "text", { text: "" });
    }
    if (isComplete) events.closeBlock(this.#index);
  }
}

/**
 * Writes reasoning. The block index is reserved with the first text, because reasoning without text may be redacted or
 * have no block.
 */
class BedrockThinkingWriter implements PartWriter, PendingSurrogate, ReasoningTextState {
  pendingSurrogate?: string;
  summary?: number;
  readonly #draft: PartDraft<ReasoningPart>;
  readonly #state: BedrockStreamState;
  #index: number | undefined;

  constructor(draft: PartDraft<ReasoningPart>, state: BedrockStreamState) {
    this.#draft = draft;
    this.#state = state;
  }

  add(delta: Delta): void {
    if (delta.kind !== "thinking") return;
    this.#write(takeWholeCharacters(this, nextReasoningText(this, delta.payload.textDelta, delta.payload.summary)));
  }

  #write(text: string): void {
    if (text === "") return;
    const { events } = this.#state;
    events.writeDelta((this.#index ??= events.reserveIndex()), { reasoningContent: { text } });
  }

  /**
   * True if the summary has been written as the block's text although the part has a signature or redacted content.
   * These belong to the reasoning text, so they need a block of their own.
   */
  get #needsSealedBlock(): boolean {
    if (this.summary === undefined || this.summary === -1) return false;
    const { context } = this.#state.encodeState;
    const { part } = this.#draft;
    return (
      findSealValue(part, "signature", context) !== undefined || findSealValue(part, "redacted", context) !== undefined
    );
  }

  close(isComplete: boolean): void {
    const { events } = this.#state;
    if (this.pendingSurrogate !== undefined) this.#write(this.pendingSurrogate);
    const block = encodeAnswerPart(this.#draft.part, this.#state);
    if (this.#index === undefined) {
      if (block !== undefined) events.writeBlock(block);
      return;
    }
    if (block === undefined || !this.#needsSealedBlock) {
      if (block !== undefined) events.writeReasoning(this.#index, block, true);
      if (isComplete) events.closeBlock(this.#index);
    } else if (isComplete) {
      events.closeBlock(this.#index);
      this.#state.reportSplit(this.#draft);
      events.writeBlock(block);
    }
  }
}

class BedrockCallWriter implements PartWriter {
  readonly #draft: CallDraft;
  readonly #state: BedrockStreamState;
  readonly #arguments: CallArgumentPieces;
  /** The index of the call's block; undefined if the call cannot be encoded. */
  readonly #index: number | undefined;
  /** The call as it was encoded for the start event; undefined if the call cannot be encoded. */
  readonly #startBlock: JsonObject | undefined;

  constructor(draft: CallDraft, state: BedrockStreamState) {
    this.#draft = draft;
    this.#state = state;
    this.#arguments = new CallArgumentPieces(draft);
    this.#startBlock = encodeAnswerPart(draft.part, state);
    if (this.#startBlock !== undefined) this.#index = state.events.openCall(this.#startBlock);
  }

  add(delta: Delta): void {
    if (delta.kind !== "tool_call_args" && delta.kind !== "tool_call_end") return;
    this.#write(this.#arguments.next(delta.payload.argsTextDelta ?? ""));
  }

  #write(input: string): void {
    if (input !== "" && this.#index !== undefined) this.#state.events.writeDelta(this.#index, { toolUse: { input } });
  }

  close(isComplete: boolean): void {
    const index = this.#index;
    if (index === undefined) return;
    const { events } = this.#state;
    this.#write(this.#arguments.finish(isComplete));
    const { part, args, ended } = this.#draft;
    if (this.#arguments.isObject) this.#state.unchangedCalls.add(this.#draft.index);
    const call = ended ? part : { ...part, input: args, inputText: args, invalid: true };
    const block = encodeAnswerPart(call, this.#state) ?? {};
    const { toolUse } = block;
    if (this.#arguments.isDeferred && isComplete && isObject(toolUse)) {
      this.#write(stringifyJson(toolUse["input"] ?? {}));
    }
    this.#writeLateFields(index, block);
    if (isComplete) events.closeBlock(index);
  }

  /** Writes the fields of the call that were not known when the start event was written. */
  #writeLateFields(index: number, block: JsonObject): void {
    const start = this.#startBlock ?? {};
    const { toolUse } = block;
    const lateFields = unknownFields(block, new Set(Object.keys(start))) ?? {};
    const startFields = isObject(start["toolUse"]) ? Object.keys(start["toolUse"]) : [];
    const lateCallFields = isObject(toolUse) ? unknownFields(toolUse, new Set([...startFields, "input"])) : undefined;
    if (Object.keys(lateFields).length === 0 && lateCallFields === undefined) return;
    this.#state.events.writeDelta(index, { ...lateFields, toolUse: { ...lateCallFields, input: "" } });
  }
}
