// Decodes one candidate of a stream. Parts become deltas at once; the other fields are merged until the stream ends.
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import { flattenText } from "../../../assembly/draft.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Extra, Part, ReasoningPart, TextPart } from "../../../model/parts.ts";
import { findCutOffCall } from "../../kit/tools/cut-off-calls.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { dropForm, readForm, storeForm } from "../../kit/residue/residue.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import { isJoinableText, readComparableResidue, copySignature, TextJoinRule } from "../content/split-texts.ts";
import { decodePart } from "../content/decode-part.ts";
import { mergeField } from "./merge-candidate-field.ts";
import type { GeminiDecodeState } from "../content/decode-state.ts";
import { GeminiCallDecoder, withPartKey } from "./tool-call-decoder.ts";
import { FINISH_REASONS } from "../terms.ts";

export class GeminiCandidateDecoder {
  readonly choice: number;
  readonly parts: Part[] = [];
  /** The fields of the candidate other than `content`, merged from all events, under their names on the wire. */
  readonly fields: JsonObject = {};
  isFinished = false;
  #content: JsonObject | undefined;
  readonly #state: GeminiDecodeState;
  /** For every call of the stream, by its id: true once its result has arrived. */
  readonly #hasResultByCall: Map<string, boolean>;
  readonly #joinRule = new TextJoinRule();
  /**
   * The text part that is being decoded, to which the next wire text can be appended; undefined if the current part is
   * not a text.
   */
  #text: TextPart | ReasoningPart | undefined;
  readonly #flattening = { flattenedLength: 0 };
  readonly #callDecoder: GeminiCallDecoder;

  constructor(choice: number, state: GeminiDecodeState, hasResult: Map<string, boolean>) {
    this.choice = choice;
    this.#state = state;
    this.#hasResultByCall = hasResult;
    this.#callDecoder = new GeminiCallDecoder(choice, state);
  }

  /** Returns the merged candidate in the shape of a response, without its parts. */
  toWireCandidate(): JsonObject {
    return this.#content === undefined ? this.fields : { ...this.fields, content: this.#content };
  }

  /** Decodes the candidate of one event; adds unreadable data to `unknownEvents`. */
  decode(wire: JsonObject, deltas: Delta[], unknownEvents: JsonValue[]): void {
    const { content, index } = wire;
    // This is a fast path: nearly every event has only content and index.
    if (isObject(content) && countFields(wire) === (index === undefined ? 1 : 2))
      this.#decodeContent(content, deltas, unknownEvents);
    else this.#decodeFields(wire, deltas, unknownEvents);
  }

  #decodeFields(wire: JsonObject, deltas: Delta[], unknownEvents: JsonValue[]): void {
    let finish: JsonValue | undefined;
    for (const key in wire) {
      const value = wire[key];
      if (key === "content") {
        if (isObject(value)) this.#decodeContent(value, deltas, unknownEvents);
        else if (value !== undefined) this.fields[key] = value;
      } else if (key !== "index" && value !== undefined) {
        if (key === "finishReason" || key === "finish_reason") finish = value;
        mergeField(wire, key, this.fields);
      }
    }
    if (typeof finish === "string") this.#finish(finish, deltas);
  }

  #decodeContent(wire: JsonObject, deltas: Delta[], unknownEvents: JsonValue[]): void {
    const content = (this.#content ??= {});
    const { parts, role } = wire;
    const hasKnownFields = Array.isArray(parts) && Array.isArray(content["parts"]) && role === content["role"];
    if (hasKnownFields && countFields(wire) === (role === undefined ? 1 : 2))
      this.#decodeParts(parts, deltas, unknownEvents);
    else this.#storeContentFields(wire, content, deltas, unknownEvents);
  }

  #storeContentFields(wire: JsonObject, content: JsonObject, deltas: Delta[], unknownEvents: JsonValue[]): void {
    for (const key in wire) {
      const value = wire[key];
      if (key !== "parts" || !Array.isArray(value)) {
        // A value of `parts` that is not a list is stored as an unknown event. The only exception is null before the
        // first list of parts, which is stored as a field of the content.
        if (key === "parts" && (Array.isArray(content[key]) || value !== null))
          unknownEvents.push(this.#toUnknownEvent({ parts: value ?? null }));
        else if (value !== undefined && content[key] !== value) copyField(wire, key, content);
        continue;
      }
      content["parts"] ??= [];
      if (content["parts"] === null) content["parts"] = [];
      this.#decodeParts(value, deltas, unknownEvents);
    }
  }

  #decodeParts(parts: readonly JsonValue[], deltas: Delta[], unknownEvents: JsonValue[]): void {
    for (const part of parts) {
      if (isObject(part)) this.#decodePart(part, deltas);
      else unknownEvents.push(this.#toUnknownEvent({ parts: [part] }));
    }
  }

  /** Returns unreadable content in the shape of a stream event. */
  #toUnknownEvent(content: JsonObject): JsonObject {
    return { candidates: [{ index: this.choice, content }] };
  }

  #decodePart(wire: JsonObject, deltas: Delta[]): void {
    const { text, thought, thoughtSignature } = wire;
    if (typeof text === "string") {
      let isPlain = true;
      for (const key in wire) {
        if (key === "text" || (key === "thought" && thought === true)) continue;
        if (key !== "thoughtSignature" || typeof thoughtSignature !== "string") isPlain = false;
      }
      if (isPlain) {
        this.#addPlainText(
          text,
          thought === true,
          typeof thoughtSignature === "string" ? thoughtSignature : undefined,
          deltas,
        );
        return;
      }
    }
    if (this.#decodePartialCall(wire, deltas)) return;
    const { pathTracker } = this.#state.context;
    pathTracker.reset();
    const part = decodePart(wire, this.#state);
    if (isJoinableText(part)) this.#addText(part, deltas);
    else this.#addPart(part, wire, deltas);
  }

  /**
   * Adds a part that has only a text, a thought flag and a signature. Most parts are like this, and decoding them here
   * is faster than decodePart.
   */
  #addPlainText(text: string, isThought: boolean, signature: string | undefined, deltas: Delta[]): void {
    const isSigned = signature !== undefined;
    const step = this.#joinRule.advance(text, isThought, isSigned, undefined);
    if (step === "empty") return;
    if (step === "begins")
      this.#beginText(isThought ? { type: "reasoning", text: "" } : { type: "text", text: "" }, deltas);
    this.#appendText(text, step === "begins" ? undefined : CONTINUES, deltas);
    if (signature !== undefined) this.#sealText(signature, deltas);
  }

  #addText(part: TextPart | ReasoningPart, deltas: Delta[]): void {
    const { dialect } = this.#state.context;
    // The form `thought` marks an unsigned thought. It is removed here, because a signature may still arrive;
    // #completePart stores it again if none has arrived.
    if (part.extra !== undefined) dropForm(part, dialect, "thought");
    const { text, seals } = part;
    const rest = readComparableResidue(part, dialect);
    const step = this.#joinRule.advance(text, part.type === "reasoning", seals !== undefined, rest);
    if (step === "empty") return;
    if (step === "begins") {
      this.#beginText({ ...part, text: "" }, deltas);
      this.#appendText(text, part.extra, deltas);
    } else {
      this.#appendText(text, CONTINUES, deltas);
      if (this.#text !== undefined) copySignature(this.#text, part, dialect);
    }
    const [seal] = seals ?? [];
    if (seal !== undefined)
      deltas.push({ kind: "seal", payload: this.#withPosition({ seal, ...this.#readTextForm() }) });
  }

  #beginText(part: TextPart | ReasoningPart, deltas: Delta[]): void {
    this.#completePart(deltas);
    this.#text = part;
    this.#flattening.flattenedLength = 0;
    this.parts.push(part);
  }

  /**
   * Appends a text to the current part and emits it. `extra` is the residue of the part if the part begins with this
   * text, and CONTINUES if the text continues the part.
   */
  #appendText(text: string, extra: Extra | undefined, deltas: Delta[]): void {
    const part = this.#text;
    if (part === undefined || (text === "" && extra === CONTINUES)) return;
    part.text += text;
    flattenText(this.#flattening, part.text);
    const payload: PayloadBase & { textDelta: string } = { textDelta: text, partKey: this.parts.length - 1 };
    if (this.choice > 0) payload.choice = this.choice;
    if (extra !== undefined && extra !== CONTINUES) payload.extra = extra;
    deltas.push({ kind: part.type === "text" ? "text" : "thinking", payload });
  }

  #sealText(value: string, deltas: Delta[]): void {
    if (this.#text === undefined) return;
    const seal = { ...toIssuer(this.#state.context), kind: "signature", value };
    this.#text.seals = [seal];
    deltas.push({ kind: "seal", payload: this.#withPosition({ seal }) });
  }

  /**
   * Returns a payload whose `extra` contains the form of the current text; an empty payload if the text has no form.
   */
  #readTextForm(): PayloadBase {
    const { dialect } = this.#state.context;
    const form = this.#text?.extra === undefined ? {} : readForm(this.#text, dialect);
    return Object.keys(form).length === 0 ? {} : { extra: { [dialect]: { $form: form } } };
  }

  /** Adds to a payload the choice, and the part key of the last part or of the part at `index`. */
  #withPosition<P extends object>(payload: P, index = this.parts.length - 1): P & PayloadBase {
    return withPartKey(payload, index, this.choice);
  }

  /** Completes the current part, because the next part begins or the stream ends. */
  #completePart(deltas: Delta[]): void {
    const text = this.#text;
    if (text?.type === "reasoning" && text.seals === undefined) {
      // The form tells the encoder that Gemini produced this unsigned thought.
      storeForm(text, this.#state.context.dialect, "thought", true);
      deltas.push({ kind: "thinking", payload: this.#withPosition({ textDelta: "", ...this.#readTextForm() }) });
    }
    this.#text = undefined;
    this.#callDecoder.completeCall(deltas);
  }

  /** Decodes a piece of a call whose arguments are streamed; returns false for all other parts. */
  #decodePartialCall(wire: JsonObject, deltas: Delta[]): boolean {
    if (this.#callDecoder.continuePartialCall(wire, deltas)) return true;
    const part = this.#callDecoder.decodeCallStart(wire);
    if (part === undefined) return false;
    this.#joinRule.close();
    this.#completePart(deltas);
    this.parts.push(part);
    this.#hasResultByCall.set(part.toolCallId, false);
    this.#callDecoder.beginPartialCall(part, this.parts.length - 1, wire, deltas);
    return true;
  }

  #addPart(decoded: Part, wire: JsonObject, deltas: Delta[]): void {
    const part = this.#isValid(decoded) ? decoded : toOpaquePart(wire, this.#state.context);
    this.#joinRule.close();
    this.#completePart(deltas);
    this.parts.push(part);
    if (part.type === "tool-call") this.#hasResultByCall.set(part.toolCallId, false);
    if (part.type === "tool-result") this.#hasResultByCall.set(part.toolCallId, true);
    if (part.type === "tool-call" && part.executor === undefined)
      this.#callDecoder.addWholeCall(part, this.parts.length - 1);
    else deltas.push({ kind: "part", payload: this.#withPosition({ value: part }) });
  }

  /**
   * True unless the part is a result whose call is missing or already has a result, which deltas cannot represent. Only
   * a result of a provider tool may lack its call.
   */
  #isValid(part: Part): boolean {
    if (part.type !== "tool-result") return true;
    const hasResult = this.#hasResultByCall.get(part.toolCallId);
    return hasResult === false || (hasResult === undefined && part.executor === "provider");
  }

  #finish(finishReason: string, deltas: Delta[]): void {
    this.isFinished = true;
    const cutOffCall = findCutOffCall(
      { role: "assistant", parts: this.parts },
      { unified: FINISH_REASONS.toModel(finishReason) ?? "other" },
    );
    this.#callDecoder.finish(cutOffCall, deltas);
  }

  /** Ends the candidate, because the stream has ended. */
  end(deltas: Delta[]): void {
    if (!this.isFinished) this.#callDecoder.abandonPartialCall(deltas);
    this.#completePart(deltas);
  }

  /** Emits annotations and log probabilities of the texts, which are known only at the end of the stream. */
  emitTextMetadata(deltas: Delta[]): void {
    for (const [index, part] of this.parts.entries()) {
      if (part.type !== "text") continue;
      const { annotations = [], logprobs } = part;
      for (const annotation of annotations)
        deltas.push({ kind: "annotation", payload: this.#withPosition({ annotation }, index) });
      if (logprobs !== undefined)
        deltas.push({ kind: "text", payload: this.#withPosition({ textDelta: "", logprobs }, index) });
    }
  }
}

/**
 * The value of `extra` in #appendText for a text that continues a part: the residue of the part was emitted with its
 * first text and is not emitted again.
 */
const CONTINUES: Extra = {};

export function countFields(wire: JsonObject): number {
  let count = 0;
  for (const _ in wire) count++;
  return count;
}
