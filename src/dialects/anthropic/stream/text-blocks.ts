// Decodes the text and thinking blocks of a stream, whose deltas are emitted as they arrive.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Extra, PartBase, WithExtra } from "../../../model/parts.ts";
import { hasFieldCount } from "../../blocks/fields.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeResidue } from "../../kit/residue/residue.ts";
import { addSeal } from "../../kit/seals/seals.ts";
import { storeUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { storeRest } from "../content/cache-control.ts";
import { decodeCitation, hasCitations } from "../content/citations.ts";
import { decodeBlock } from "../content/decode-block.ts";
import type { AnthropicDecodeState } from "../content/decode-state.ts";

/** A block of a stream, between its start event and its stop event. */
export interface AnthropicOpenBlock {
  readonly kind: "text" | "thinking" | "call" | "buffered";
  readonly key: number;
  /** Returns the deltas for the content of the start event. */
  open(): Delta[];
  /** Decodes a wire delta; returns undefined if its type does not fit this block. */
  add(delta: JsonObject, event: JsonObject): Delta[] | undefined;
  /** Stores an event whose delta has an unknown type, for the residue of the part. */
  storeEvent(event: JsonObject): void;
  close(): Delta[];
}

/** The known fields of a `content_block_delta` event. */
export const DELTA_EVENT_FIELDS: ReadonlySet<string> = new Set(["type", "index", "delta"]);
const TEXT_DELTA_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);
const CITATION_DELTA_FIELDS: ReadonlySet<string> = new Set(["type", "citation"]);
const THINKING_DELTA_FIELDS: ReadonlySet<string> = new Set(["type", "thinking", "signature"]);

const NO_RESIDUE: WithExtra = {};

/**
 * Returns the unknown fields of an event and of its delta as residue. `content` is the value of the delta's content
 * field; undefined if it is absent. Nearly all events have no unknown fields, which counting their fields shows
 * quickly.
 */
export function readDeltaResidue(
  event: JsonObject,
  delta: JsonObject,
  content: unknown,
  knownFields: ReadonlySet<string>,
  dialect: string,
): WithExtra {
  if (content !== undefined && isPlainDelta(event, delta)) return NO_RESIDUE;
  const target: WithExtra = {};
  storeResidue(target, dialect, unknownFields(event, DELTA_EVENT_FIELDS));
  storeResidue(target, dialect, unknownFields(delta, knownFields));
  return target;
}

/**
 * True if an event has only the fields `type`, `index` and `delta`, and its delta only `type` and one content field.
 */
export function isPlainDelta(event: JsonObject, delta: JsonObject): boolean {
  return event["index"] !== undefined && hasFieldCount(event, 3) && hasFieldCount(delta, 2);
}

export abstract class AnthropicStreamedBlock {
  readonly key: number;
  protected readonly wire: JsonObject;
  protected readonly state: AnthropicDecodeState;
  readonly #unknownEvents: JsonObject[] = [];

  constructor(wire: JsonObject, key: number, state: AnthropicDecodeState) {
    this.wire = wire;
    this.key = key;
    this.state = state;
  }

  storeEvent(event: JsonObject): void {
    this.#unknownEvents.push(event);
  }

  /**
   * Adds the stored unknown events to the residue of `target`, and returns that residue for the last delta of the
   * block.
   */
  protected addUnknownEvents(target: WithExtra): Extra | undefined {
    storeUnknownEvents(target, this.state.context.dialect, this.#unknownEvents);
    return target.extra;
  }
}

export class AnthropicTextBlock extends AnthropicStreamedBlock implements AnthropicOpenBlock {
  readonly kind = "text";
  #hasCitations = false;

  open(): Delta[] {
    const { text, citations } = this.wire;
    const { context } = this.state;
    const { extra } = storeRest<PartBase>({}, this.wire, context, "type", "text", "citations");
    const deltas: Delta[] = [this.#textDelta(typeof text === "string" ? text : "", extra)];
    if (hasCitations(citations)) for (const citation of citations) deltas.push(this.#citationDelta(citation, {}));
    return deltas;
  }

  #textDelta(textDelta: string, extra: Extra | undefined): Delta {
    const payload = { textDelta, partKey: this.key };
    return { kind: "text", payload: extra === undefined ? payload : { ...payload, extra } };
  }

  #citationDelta(citation: JsonObject, residue: WithExtra): Delta {
    this.#hasCitations = true;
    const annotation = decodeCitation(citation, this.state.context);
    return { kind: "annotation", payload: { annotation, partKey: this.key, ...residue } };
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, text, citation } = delta;
    const { dialect } = this.state.context;
    if (type === "text_delta" && typeof text === "string") {
      return [this.#textDelta(text, readDeltaResidue(event, delta, text, TEXT_DELTA_FIELDS, dialect).extra)];
    }
    if (type !== "citations_delta" || !isObject(citation)) return undefined;
    return [this.#citationDelta(citation, readDeltaResidue(event, delta, citation, CITATION_DELTA_FIELDS, dialect))];
  }

  /**
   * Returns a delta with the residue that is known only at the end of the block: the spelling of `citations` (an empty
   * list or null) if no citation arrived, and unknown events. Returns no delta if there is no such residue.
   */
  close(): Delta[] {
    const target: WithExtra = {};
    const { citations } = this.wire;
    if (!this.#hasCitations && citations !== undefined) {
      storeResidue(target, this.state.context.dialect, { citations });
    }
    const extra = this.addUnknownEvents(target);
    return extra === undefined ? [] : [this.#textDelta("", extra)];
  }
}

export class AnthropicThinkingBlock extends AnthropicStreamedBlock implements AnthropicOpenBlock {
  readonly kind = "thinking";
  #signature = typeof this.wire["signature"] === "string" ? this.wire["signature"] : undefined;

  open(): Delta[] {
    const { thinking } = this.wire;
    const { extra } = storeRest<PartBase>({}, this.wire, this.state.context, "type", "thinking", "signature");
    return [this.#thinkingDelta(typeof thinking === "string" ? thinking : "", extra), ...this.#sealDeltas()];
  }

  #thinkingDelta(textDelta: string, extra: Extra | undefined): Delta {
    const payload = { textDelta, partKey: this.key };
    return { kind: "thinking", payload: extra === undefined ? payload : { ...payload, extra } };
  }

  get #isSigned(): boolean {
    return this.#signature !== undefined && this.#signature !== "";
  }

  #sealDeltas(): Delta[] {
    const part: PartBase = {};
    if (this.#signature !== undefined && this.#isSigned) {
      addSeal(part, "signature", this.#signature, this.state.context);
    }
    return (part.seals ?? []).map((seal) => ({ kind: "seal", payload: { seal, partKey: this.key } }));
  }

  /** Decodes a delta with thinking text, a signature, or both (B4). */
  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, thinking, signature } = delta;
    if (type !== "thinking_delta" && type !== "signature_delta") return undefined;
    const { dialect } = this.state.context;
    const { extra } = readDeltaResidue(event, delta, thinking ?? signature, THINKING_DELTA_FIELDS, dialect);
    const deltas: Delta[] = [];
    if (typeof thinking === "string" || extra !== undefined) {
      deltas.push(this.#thinkingDelta(typeof thinking === "string" ? thinking : "", extra));
    }
    if (typeof signature !== "string") return deltas;
    this.#signature = signature;
    return [...deltas, ...this.#sealDeltas()];
  }

  /**
   * Returns a delta with the residue that is known only at the end of the block: the form of a missing signature, and
   * unknown events. Returns no delta if there is no such residue.
   */
  close(): Delta[] {
    const unsigned: JsonObject = { type: "thinking", thinking: "" };
    const signature = this.#signature ?? this.wire["signature"];
    if (signature !== undefined) unsigned["signature"] = signature;
    const target: WithExtra = this.#isSigned ? {} : decodeBlock(unsigned, this.state);
    const extra = this.addUnknownEvents(target);
    return extra === undefined ? [] : [this.#thinkingDelta("", extra)];
  }
}
