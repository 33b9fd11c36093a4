// One candidate of a stream: its parts become deltas as they come, all that is said beside them is collected.
import type { Delta, PayloadBase } from "../../model/delta.ts";
import { settle } from "../../assembly/draft.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra, Part, ReasoningPart, TextPart } from "../../model/parts.ts";
import { cutCall } from "../kit/endings.ts";
import { opaquePart } from "../kit/opaque.ts";
import { copyField, isObject } from "../kit/read.ts";
import { dropForm, readForm, storeForm } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { isText, restOfText, sealText, TextRule } from "./chunks.ts";
import { decodePart } from "./decode-part.ts";
import { mergeField } from "./merge.ts";
import type { Reading } from "./reading.ts";
import { CallStream, placed } from "./stream-calls.ts";
import { FINISH } from "./terms.ts";

export class CandidateStream {
  readonly choice: number;
  readonly parts: Part[] = [];
  /** What was said beside the parts, by the names that it came with. */
  readonly fields: JsonObject = {};
  isFinished = false;
  #content: JsonObject | undefined;
  readonly #reading: Reading;
  /** Every call of the stream, and whether it has its result. */
  readonly #answered: Map<string, boolean>;
  readonly #rule = new TextRule();
  /** The text that may go on. */
  #text: TextPart | ReasoningPart | undefined;
  readonly #size = { settled: 0 };
  readonly #call: CallStream;

  constructor(choice: number, reading: Reading, answered: Map<string, boolean>) {
    this.choice = choice;
    this.#reading = reading;
    this.#answered = answered;
    this.#call = new CallStream(choice, reading);
  }

  /** The candidate as a whole answer would have it, without its parts. */
  body(): JsonObject {
    return this.#content === undefined ? this.fields : { ...this.fields, content: this.#content };
  }

  /** Reads what one event says; what is no candidate's is added to `odd`. */
  take(wire: JsonObject, deltas: Delta[], odd: JsonValue[]): void {
    const { content, index } = wire;
    // As nearly every event: a piece, and whose it is.
    if (isObject(content) && countOf(wire) === (index === undefined ? 1 : 2)) this.#takeContent(content, deltas, odd);
    else this.#takeAll(wire, deltas, odd);
  }

  #takeAll(wire: JsonObject, deltas: Delta[], odd: JsonValue[]): void {
    let finish: JsonValue | undefined;
    for (const key in wire) {
      const value = wire[key];
      if (key === "content") {
        if (isObject(value)) this.#takeContent(value, deltas, odd);
        else if (value !== undefined) this.fields[key] = value;
      } else if (key !== "index" && value !== undefined) {
        if (key === "finishReason" || key === "finish_reason") finish = value;
        mergeField(wire, key, this.fields);
      }
    }
    if (typeof finish === "string") this.#finish(finish, deltas);
  }

  #takeContent(wire: JsonObject, deltas: Delta[], odd: JsonValue[]): void {
    const content = (this.#content ??= {});
    const { parts, role } = wire;
    const isUsual = Array.isArray(parts) && Array.isArray(content["parts"]) && role === content["role"];
    if (isUsual && countOf(wire) === (role === undefined ? 1 : 2)) this.#takeParts(parts, deltas, odd);
    else this.#learn(wire, content, deltas, odd);
  }

  #learn(wire: JsonObject, content: JsonObject, deltas: Delta[], odd: JsonValue[]): void {
    for (const key in wire) {
      const value = wire[key];
      if (key !== "parts" || !Array.isArray(value)) {
        // Where the list has come, nothing else is it.
        if (key === "parts" && (Array.isArray(content[key]) || value !== null))
          odd.push(this.#event({ parts: value ?? null }));
        else if (value !== undefined && content[key] !== value) copyField(wire, key, content);
        continue;
      }
      content["parts"] ??= [];
      if (content["parts"] === null) content["parts"] = [];
      this.#takeParts(value, deltas, odd);
    }
  }

  #takeParts(parts: readonly JsonValue[], deltas: Delta[], odd: JsonValue[]): void {
    for (const part of parts) {
      if (isObject(part)) this.#takePart(part, deltas);
      else odd.push(this.#event({ parts: [part] }));
    }
  }

  /** What cannot be read, as an event of its own. */
  #event(content: JsonObject): JsonObject {
    return { candidates: [{ index: this.choice, content }] };
  }

  #takePart(wire: JsonObject, deltas: Delta[]): void {
    const { text, thought, thoughtSignature } = wire;
    if (typeof text === "string") {
      let isPlain = true;
      for (const key in wire) {
        if (key === "text" || (key === "thought" && thought === true)) continue;
        if (key !== "thoughtSignature" || typeof thoughtSignature !== "string") isPlain = false;
      }
      if (isPlain) {
        this.#say(text, thought === true, typeof thoughtSignature === "string" ? thoughtSignature : undefined, deltas);
        return;
      }
    }
    if (this.#takePiece(wire, deltas)) return;
    const { pathTracker: trail } = this.#reading.context;
    trail.reset();
    const part = decodePart(wire, this.#reading);
    if (isText(part)) this.#addText(part, deltas);
    else this.#add(part, wire, deltas);
  }

  /** A text that is nothing else, as most are. */
  #say(text: string, isThought: boolean, signature: string | undefined, deltas: Delta[]): void {
    const isSigned = signature !== undefined;
    const step = this.#rule.next(text, isThought, isSigned, undefined);
    if (step === "framing") return;
    if (step === "begins")
      this.#begin(isThought ? { type: "reasoning", text: "" } : { type: "text", text: "" }, deltas);
    this.#grow(text, step === "begins" ? undefined : NOTHING, deltas);
    if (signature !== undefined) this.#seal(signature, deltas);
  }

  #addText(part: TextPart | ReasoningPart, deltas: Delta[]): void {
    const { dialect } = this.#reading.context;
    // Told at its end, if no signature has come by then.
    if (part.extra !== undefined) dropForm(part, dialect, "thought");
    const { text, seals } = part;
    const rest = restOfText(part, dialect);
    const step = this.#rule.next(text, part.type === "reasoning", seals !== undefined, rest);
    if (step === "framing") return;
    if (step === "begins") {
      this.#begin({ ...part, text: "" }, deltas);
      this.#grow(text, part.extra, deltas);
    } else {
      this.#grow(text, NOTHING, deltas);
      if (this.#text !== undefined) sealText(this.#text, part, dialect);
    }
    const [seal] = seals ?? [];
    if (seal !== undefined) deltas.push({ kind: "seal", payload: this.#at({ seal, ...this.#form() }) });
  }

  #begin(part: TextPart | ReasoningPart, deltas: Delta[]): void {
    this.#settle(deltas);
    this.#text = part;
    this.#size.settled = 0;
    this.parts.push(part);
  }

  /** Adds to the text in hand; `extra` is undefined or residue where it begins. */
  #grow(text: string, extra: Extra | undefined, deltas: Delta[]): void {
    const part = this.#text;
    if (part === undefined || (text === "" && extra === NOTHING)) return;
    part.text += text;
    settle(this.#size, part.text);
    const payload: PayloadBase & { textDelta: string } = { textDelta: text, part: this.parts.length - 1 };
    if (this.choice > 0) payload.choice = this.choice;
    if (extra !== undefined && extra !== NOTHING) payload.extra = extra;
    deltas.push({ kind: part.type === "text" ? "text" : "thinking", payload });
  }

  #seal(value: string, deltas: Delta[]): void {
    if (this.#text === undefined) return;
    const seal = { ...issuerOf(this.#reading.context), kind: "signature", value };
    this.#text.seals = [seal];
    deltas.push({ kind: "seal", payload: this.#at({ seal }) });
  }

  /** How the text in hand was spelled, where that is told anew. */
  #form(): PayloadBase {
    const { dialect } = this.#reading.context;
    const form = this.#text?.extra === undefined ? {} : readForm(this.#text, dialect);
    return Object.keys(form).length === 0 ? {} : { extra: { [dialect]: { $form: form } } };
  }

  /** The place of the last part. */
  #at<P extends object>(payload: P, index = this.parts.length - 1): P & PayloadBase {
    return placed(payload, index, this.choice);
  }

  /** The part in hand is complete: another one comes, or the end. */
  #settle(deltas: Delta[]): void {
    const text = this.#text;
    if (text?.type === "reasoning" && text.seals === undefined) {
      // Nothing else tells that an unsigned thought is Gemini's own.
      storeForm(text, this.#reading.context.dialect, "thought", true);
      deltas.push({ kind: "thinking", payload: this.#at({ textDelta: "", ...this.#form() }) });
    }
    this.#text = undefined;
    this.#call.settle(deltas);
  }

  /** Takes a piece of a call whose arguments stream; false for every other part. */
  #takePiece(wire: JsonObject, deltas: Delta[]): boolean {
    if (this.#call.goOn(wire, deltas)) return true;
    const part = this.#call.read(wire);
    if (part === undefined) return false;
    this.#rule.stop();
    this.#settle(deltas);
    this.parts.push(part);
    this.#answered.set(part.toolCallId, false);
    this.#call.begin(part, this.parts.length - 1, wire, deltas);
    return true;
  }

  #add(given: Part, wire: JsonObject, deltas: Delta[]): void {
    const part = this.#isLegal(given) ? given : opaquePart(wire, this.#reading.context);
    this.#rule.stop();
    this.#settle(deltas);
    this.parts.push(part);
    if (part.type === "tool-call") this.#answered.set(part.toolCallId, false);
    if (part.type === "tool-result") this.#answered.set(part.toolCallId, true);
    if (part.type === "tool-call" && part.executor === undefined) this.#call.hold(part, this.parts.length - 1);
    else deltas.push({ kind: "part", payload: this.#at({ value: part }) });
  }

  /** Whether a result has a call that has none yet; a stream says no other. */
  #isLegal(part: Part): boolean {
    if (part.type !== "tool-result") return true;
    const answered = this.#answered.get(part.toolCallId);
    return answered === false || (answered === undefined && part.executor === "provider");
  }

  #finish(word: string, deltas: Delta[]): void {
    this.isFinished = true;
    const cut = cutCall({ role: "assistant", parts: this.parts }, { unified: FINISH.ours(word) ?? "other" });
    this.#call.finish(cut, deltas);
  }

  /** No more comes. */
  end(deltas: Delta[]): void {
    if (!this.isFinished) this.#call.abandon(deltas);
    this.#settle(deltas);
  }

  /** What is known of the texts only now. */
  sayAbout(deltas: Delta[]): void {
    for (const [index, part] of this.parts.entries()) {
      if (part.type !== "text") continue;
      const { annotations = [], logprobs } = part;
      for (const annotation of annotations)
        deltas.push({ kind: "annotation", payload: this.#at({ annotation }, index) });
      if (logprobs !== undefined) deltas.push({ kind: "text", payload: this.#at({ textDelta: "", logprobs }, index) });
    }
  }
}

/** A text goes on: what is said beside it is known. */
const NOTHING: Extra = {};

/** How many fields there are. */
export function countOf(wire: JsonObject): number {
  let count = 0;
  for (const _ in wire) count++;
  return count;
}
