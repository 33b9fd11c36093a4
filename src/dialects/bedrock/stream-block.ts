// The blocks of a stream while they are open: what each says as a delta at once, and what it says when it is closed.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra, Part, PartBase, Seal } from "../../model/parts.ts";
import { DialectError } from "../errors.ts";
import { opaquePart } from "../kit/opaque.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import type { BytesForm } from "./bytes.ts";
import { joinBytes, readBytes } from "./bytes.ts";
import { decodeCitation } from "./citations.ts";
import { hasOnly } from "./fields.ts";
import type { Reading } from "./reading.ts";
import type { RunCalls } from "./stream-calls.ts";

/** One block between its first event and its stop. */
export interface OpenBlock {
  readonly kind: "text" | "thinking" | "call" | "held";
  readonly key: number;
  /** Takes what a delta says; what it does not know is residue of its part. */
  add(delta: JsonObject): Delta[];
  close(): Delta[];
}

export interface Carrier {
  extra?: Extra;
}

/** A payload with the residue that there is, which is nearly always none. */
export function withResidue<T extends object>(payload: T, { extra }: Carrier): T {
  return extra === undefined ? payload : { ...payload, extra };
}

const TEXT: ReadonlySet<string> = new Set(["text", "citation"]);

export class TextBlock implements OpenBlock {
  readonly kind = "text";
  readonly key: number;
  readonly #reading: Reading;

  constructor(key: number, reading: Reading) {
    this.key = key;
    this.#reading = reading;
  }

  add(delta: JsonObject): Delta[] {
    const { text, citation } = delta;
    const { context } = this.#reading;
    const carrier: Carrier = {};
    storeResidue(carrier, context.dialect, unknownFields(delta, TEXT));
    const textDelta = typeof text === "string" ? text : "";
    const deltas: Delta[] = [{ kind: "text", payload: withResidue({ textDelta, part: this.key }, carrier) }];
    if (isObject(citation)) {
      deltas.push({ kind: "annotation", payload: { annotation: decodeCitation(citation, context), part: this.key } });
    }
    return deltas;
  }

  close(): Delta[] {
    return [];
  }
}

const REASONING: ReadonlySet<string> = new Set(["reasoningContent"]);

export class ThinkingBlock implements OpenBlock {
  readonly kind = "thinking";
  readonly key: number;
  readonly #reading: Reading;
  #signature = "";
  #redacted = "";
  #bytesForm: BytesForm | undefined;

  constructor(key: number, reading: Reading) {
    this.key = key;
    this.#reading = reading;
  }

  add(delta: JsonObject): Delta[] {
    const { reasoningContent: inner } = delta;
    const { dialect } = this.#reading.context;
    const carrier: Carrier = {};
    if (isObject(inner) && typeof inner["text"] === "string" && hasOnly(inner, 1) && hasOnly(delta, 1)) {
      return [this.#say(inner["text"], carrier)];
    }
    storeResidue(carrier, dialect, unknownFields(delta, REASONING));
    const { text, signature, redactedContent } = isObject(inner) ? inner : {};
    const isSigned = typeof signature === "string" && signature !== "";
    const bytes = readBytes(redactedContent);
    const said = new Set<string>();
    if (typeof text === "string") said.add("text");
    if (isSigned) said.add("signature");
    if (bytes !== undefined) said.add("redactedContent");
    if (isObject(inner)) storeResidue(carrier, dialect, unknownFields(inner, said), "reasoningContent");
    const deltas = [this.#say(typeof text === "string" ? text : "", carrier)];
    if (isSigned) deltas.push(this.#seal("signature", (this.#signature += signature)));
    if (bytes !== undefined) {
      this.#redacted = joinBytes(this.#redacted, bytes.data);
      this.#bytesForm = bytes.form;
      deltas.push(this.#seal("redacted", this.#redacted));
    }
    return deltas;
  }

  #say(textDelta: string, carrier: Carrier): Delta {
    return { kind: "thinking", payload: withResidue({ textDelta, part: this.key }, carrier) };
  }

  #seal(kind: string, value: string): Delta {
    const part: PartBase = {};
    addSeal(part, kind, value, this.#reading.context);
    const [seal] = part.seals as [Seal]; // It was just added.
    return { kind: "seal", payload: { seal, part: this.key } };
  }

  /** That nobody signed it is known only now. */
  close(): Delta[] {
    const carrier: Carrier = {};
    const { dialect } = this.#reading.context;
    if (this.#bytesForm !== undefined) storeForm(carrier, dialect, "bytes", this.#bytesForm);
    if (this.#signature === "" && this.#redacted === "") storeForm(carrier, dialect, "signature", "none");
    return carrier.extra === undefined ? [] : [this.#say("", carrier)];
  }
}

/** A block that is said whole when it is closed: its start and its deltas are put together. */
export class HeldBlock implements OpenBlock {
  readonly kind = "held";
  readonly key: number;
  readonly #value: JsonObject;
  readonly #reading: Reading;
  readonly #calls: RunCalls;

  constructor(start: JsonObject, key: number, reading: Reading, calls: RunCalls) {
    this.key = key;
    this.#value = merged({}, start);
    this.#reading = reading;
    this.#calls = calls;
  }

  add(delta: JsonObject): Delta[] {
    const { toolResult } = delta;
    // Of a result, the delta is the content.
    const whole = Array.isArray(toolResult) ? { ...delta, toolResult: { content: toolResult } } : delta;
    merged(this.#value, whole);
    return [];
  }

  close(): Delta[] {
    return [{ kind: "part", payload: { value: this.#part(), part: this.key } }];
  }

  /** A part as of an answer in one piece; a result that could not stand in a stream of deltas stays as it came. */
  #part(): Part {
    const { context } = this.#reading;
    try {
      const part = this.#reading.block(this.#value, this.#reading);
      if (part.type === "tool-call") this.#calls.start(part.toolCallId);
      if (part.type !== "tool-result" || this.#calls.answer(part)) return part;
    } catch (error) {
      // Something within is not what it must be; in an answer in one piece that is an error, here it came too late.
      if (!(error instanceof DialectError)) throw error;
      context.pathTracker.reset();
    }
    return opaquePart(this.#value, context);
  }
}

/** Adds what a piece says to what was said before: texts and lists grow, objects are filled, everything else is new. */
function merged(target: JsonObject, piece: JsonObject): JsonObject {
  for (const key of Object.keys(piece)) {
    const [before, more] = [Object.hasOwn(target, key) ? target[key] : undefined, piece[key]];
    let value: JsonValue | undefined;
    if (isObject(more) && !(more instanceof Uint8Array)) value = merged(isObject(before) ? before : {}, more);
    else if (Array.isArray(more)) value = joinLists(Array.isArray(before) ? before : [], more);
    else if (typeof more === "string" && typeof before === "string") {
      value = key === "bytes" ? joinBytes(before, more) : before + more;
    }
    if (value === undefined) copyField(piece, key, target);
    else copyField({ value }, "value", target, key);
  }
  return target;
}

/** Two lists of blocks; a text goes on where the last block is nothing but a text. */
function joinLists(before: readonly JsonValue[], more: readonly JsonValue[]): JsonValue[] {
  const joined = [...before];
  for (const each of more) {
    const last = joined.at(-1);
    if (isText(last) && isText(each)) joined[joined.length - 1] = { text: last.text + each.text };
    else joined.push(each);
  }
  return joined;
}

function isText(value: JsonValue | undefined): value is { text: string } {
  return isObject(value) && typeof value["text"] === "string" && Object.keys(value).length === 1;
}
