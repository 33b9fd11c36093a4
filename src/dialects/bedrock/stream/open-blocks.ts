// Decodes the text, reasoning and buffered blocks of a Bedrock stream while they are open.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { PartBase, Seal, WithExtra } from "../../../model/parts.ts";
import { hasFieldCount } from "../../blocks/fields.ts";
import { decodeBufferedBlock } from "../../blocks/stream/answer-deltas.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeForm, storeResidue } from "../../kit/residue/residue.ts";
import { addSeal } from "../../kit/seals/seals.ts";
import type { BytesForm } from "../content/bytes.ts";
import { decodeBytes, joinBase64 } from "../content/bytes.ts";
import { decodeCitation } from "../content/citations.ts";
import type { BedrockDecodeState } from "../content/decode-state.ts";
import type { BedrockStreamCalls } from "./stream-calls.ts";

/** One block of a stream, between its first event and its stop event. */
export interface BedrockOpenBlock {
  readonly kind: "text" | "thinking" | "call" | "buffered";
  readonly key: number;
  /** Decodes a contentBlockDelta of this block; unknown fields become residue of the part. */
  add(delta: JsonObject): Delta[];
  close(): Delta[];
}

/** Returns the payload with the residue, or the payload itself if there is no residue, which is the common case. */
export function withResidue<T extends object>(payload: T, { extra }: WithExtra): T {
  return extra === undefined ? payload : { ...payload, extra };
}

const TEXT_DELTA_FIELDS: ReadonlySet<string> = new Set(["text", "citation"]);

export class BedrockTextBlock implements BedrockOpenBlock {
  readonly kind = "text";
  readonly key: number;
  readonly #state: BedrockDecodeState;

  constructor(key: number, state: BedrockDecodeState) {
    this.key = key;
    this.#state = state;
  }

  add(delta: JsonObject): Delta[] {
    const { text, citation } = delta;
    const { context } = this.#state;
    const residue: WithExtra = {};
    storeResidue(residue, context.dialect, unknownFields(delta, TEXT_DELTA_FIELDS));
    const textDelta = typeof text === "string" ? text : "";
    const deltas: Delta[] = [{ kind: "text", payload: withResidue({ textDelta, partKey: this.key }, residue) }];
    if (isObject(citation)) {
      const annotation = decodeCitation(citation, context);
      deltas.push({ kind: "annotation", payload: { annotation, partKey: this.key } });
    }
    return deltas;
  }

  close(): Delta[] {
    return [];
  }
}

const REASONING_DELTA_FIELDS: ReadonlySet<string> = new Set(["reasoningContent"]);

export class BedrockThinkingBlock implements BedrockOpenBlock {
  readonly kind = "thinking";
  readonly key: number;
  readonly #state: BedrockDecodeState;
  #signature = "";
  #redacted = "";
  #bytesForm: BytesForm | undefined;

  constructor(key: number, state: BedrockDecodeState) {
    this.key = key;
    this.#state = state;
  }

  add(delta: JsonObject): Delta[] {
    const { reasoningContent: inner } = delta;
    const { dialect } = this.#state.context;
    const residue: WithExtra = {};
    const isPlain = isObject(inner) && hasFieldCount(inner, 1) && hasFieldCount(delta, 1);
    if (isPlain && typeof inner["text"] === "string") return [this.#thinkingDelta(inner["text"], residue)];
    storeResidue(residue, dialect, unknownFields(delta, REASONING_DELTA_FIELDS));
    const { text, signature, redactedContent } = isObject(inner) ? inner : {};
    const hasSignature = typeof signature === "string" && signature !== "";
    const bytes = decodeBytes(redactedContent);
    const decoded = new Set<string>();
    if (typeof text === "string") decoded.add("text");
    if (hasSignature) decoded.add("signature");
    if (bytes !== undefined) decoded.add("redactedContent");
    if (isObject(inner)) storeResidue(residue, dialect, unknownFields(inner, decoded), "reasoningContent");
    const deltas = [this.#thinkingDelta(typeof text === "string" ? text : "", residue)];
    if (hasSignature) deltas.push(this.#sealDelta("signature", (this.#signature += signature)));
    if (bytes !== undefined) {
      this.#redacted = joinBase64(this.#redacted, bytes.data);
      this.#bytesForm = bytes.form;
      deltas.push(this.#sealDelta("redacted", this.#redacted));
    }
    return deltas;
  }

  #thinkingDelta(textDelta: string, residue: WithExtra): Delta {
    return { kind: "thinking", payload: withResidue({ textDelta, partKey: this.key }, residue) };
  }

  #sealDelta(kind: "signature" | "redacted", value: string): Delta {
    const part: PartBase = {};
    addSeal(part, kind, value, this.#state.context);
    const [seal] = part.seals as [Seal];
    return { kind: "seal", payload: { seal, partKey: this.key } };
  }

  /**
   * Emits the forms that are certain only at the end of the block: the wire spelling of redacted bytes, and that the
   * reasoning has neither a signature nor redacted bytes.
   */
  close(): Delta[] {
    const residue: WithExtra = {};
    const { dialect } = this.#state.context;
    if (this.#bytesForm !== undefined) storeForm(residue, dialect, "bytes", this.#bytesForm);
    if (this.#signature === "" && this.#redacted === "") storeForm(residue, dialect, "signature", "none");
    return residue.extra === undefined ? [] : [this.#thinkingDelta("", residue)];
  }
}

/** A block that is emitted as one part when it is closed, after its start and all its deltas have been merged. */
export class BedrockBufferedBlock implements BedrockOpenBlock {
  readonly kind = "buffered";
  readonly key: number;
  readonly #block: JsonObject;
  readonly #state: BedrockDecodeState;
  readonly #calls: BedrockStreamCalls;

  constructor(start: JsonObject, key: number, state: BedrockDecodeState, calls: BedrockStreamCalls) {
    this.key = key;
    this.#block = mergeInto({}, start);
    this.#state = state;
    this.#calls = calls;
  }

  add(delta: JsonObject): Delta[] {
    const { toolResult } = delta;
    // The delta of a tool result is a list of content blocks, not an object.
    const block = Array.isArray(toolResult) ? { ...delta, toolResult: { content: toolResult } } : delta;
    mergeInto(this.#block, block);
    return [];
  }

  close(): Delta[] {
    const { context } = this.#state;
    const value = decodeBufferedBlock(this.#block, context, this.#calls, (block) =>
      this.#state.decodeBlock(block, this.#state),
    );
    return [{ kind: "part", payload: { value, partKey: this.key } }];
  }
}

/** Merges a delta into a block: strings and lists are appended, objects are merged, all other values are replaced. */
function mergeInto(target: JsonObject, delta: JsonObject): JsonObject {
  for (const key of Object.keys(delta)) {
    const [before, added] = [Object.hasOwn(target, key) ? target[key] : undefined, delta[key]];
    let value: JsonValue | undefined;
    if (isObject(added) && !(added instanceof Uint8Array)) value = mergeInto(isObject(before) ? before : {}, added);
    else if (Array.isArray(added)) value = joinBlockLists(Array.isArray(before) ? before : [], added);
    else if (typeof added === "string" && typeof before === "string") {
      value = key === "bytes" ? joinBase64(before, added) : before + added;
    }
    if (value === undefined) copyField(delta, key, target);
    else copyField({ value }, "value", target, key);
  }
  return target;
}

/** Joins two lists of blocks; the text blocks at the seam become one block. */
function joinBlockLists(before: readonly JsonValue[], added: readonly JsonValue[]): JsonValue[] {
  const joined = [...before];
  for (const block of added) {
    const last = joined.at(-1);
    if (isTextBlock(last) && isTextBlock(block)) joined[joined.length - 1] = { text: last.text + block.text };
    else joined.push(block);
  }
  return joined;
}

function isTextBlock(value: JsonValue | undefined): value is { text: string } {
  return isObject(value) && typeof value["text"] === "string" && Object.keys(value).length === 1;
}
