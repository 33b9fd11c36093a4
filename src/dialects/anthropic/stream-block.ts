// The blocks of a stream while they are open: what each says as a delta at once, and what it says when it is closed.
// Here are the two that grow as text does.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Extra, PartBase } from "../../model/parts.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { addSeal } from "../kit/seals.ts";
import { keepEvents } from "../kit/streams.ts";
import { decodeCitation, isCited } from "./citations.ts";
import { decodeBlock } from "./decode-block.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";

/** One block between its start and its stop. */
export interface OpenBlock {
  readonly kind: "text" | "thinking" | "call" | "held";
  readonly key: number;
  /** What is said as soon as it is open. */
  open(): Delta[];
  /** Takes a delta; undefined where it is not for a block of this kind. */
  add(delta: JsonObject, event: JsonObject): Delta[] | undefined;
  /** Keeps an event whose delta is of a type that nobody knows. */
  keep(event: JsonObject): void;
  close(): Delta[];
}

export interface Carrier {
  extra?: Extra;
}

/** The fields of an event that brings a delta. */
export const EVENT: ReadonlySet<string> = new Set(["type", "index", "delta"]);
const TEXT_DELTA: ReadonlySet<string> = new Set(["type", "text"]);
const CITATION_DELTA: ReadonlySet<string> = new Set(["type", "citation"]);
const THINKING_DELTA: ReadonlySet<string> = new Set(["type", "thinking", "signature"]);

/**
 * What an event says that the protocol does not know, as residue of its part. Nearly every event has a type, an index
 * and a delta, and that a type and a piece; those have none.
 */
export function residueOf(
  event: JsonObject,
  delta: JsonObject,
  piece: unknown,
  known: ReadonlySet<string>,
  dialect: string,
): Carrier {
  if (piece !== undefined && isBare(event, delta)) return NOTHING;
  const carrier: Carrier = {};
  storeResidue(carrier, dialect, unknownFields(event, EVENT));
  storeResidue(carrier, dialect, unknownFields(delta, known));
  return carrier;
}

const NOTHING: Carrier = {};

/** Whether an event has three fields, its index among them, and its delta two. */
export function isBare(event: JsonObject, delta: JsonObject): boolean {
  return event["index"] !== undefined && count(event) === 3 && count(delta) === 2;
}

function count(value: JsonObject): number {
  let fields = 0;
  for (const _ in value) fields++;
  return fields;
}

export abstract class GrowingBlock {
  readonly key: number;
  protected readonly wire: JsonObject;
  protected readonly reading: Reading;
  readonly #kept: JsonObject[] = [];

  constructor(wire: JsonObject, key: number, reading: Reading) {
    this.wire = wire;
    this.key = key;
    this.reading = reading;
  }

  keep(event: JsonObject): void {
    this.#kept.push(event);
  }

  /** The residue that is known only now. */
  protected late(carrier: Carrier): Extra | undefined {
    keepEvents(carrier, this.reading.context.dialect, this.#kept);
    return carrier.extra;
  }
}

export class TextBlock extends GrowingBlock implements OpenBlock {
  readonly kind = "text";
  #hasCitations = false;

  open(): Delta[] {
    const { text, citations } = this.wire;
    const { context } = this.reading;
    const { extra } = keepRest<PartBase>({}, this.wire, context, "type", "text", "citations");
    const deltas: Delta[] = [this.#say(typeof text === "string" ? text : "", extra)];
    if (isCited(citations)) for (const citation of citations) deltas.push(this.#cite(citation, {}));
    return deltas;
  }

  #say(textDelta: string, extra: Extra | undefined): Delta {
    const payload = { textDelta, part: this.key };
    return { kind: "text", payload: extra === undefined ? payload : { ...payload, extra } };
  }

  #cite(citation: JsonObject, carrier: Carrier): Delta {
    this.#hasCitations = true;
    const annotation = decodeCitation(citation, this.reading.context);
    return { kind: "annotation", payload: { annotation, part: this.key, ...carrier } };
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, text, citation } = delta;
    const { dialect } = this.reading.context;
    if (type === "text_delta" && typeof text === "string") {
      return [this.#say(text, residueOf(event, delta, text, TEXT_DELTA, dialect).extra)];
    }
    if (type !== "citations_delta" || !isObject(citation)) return undefined;
    return [this.#cite(citation, residueOf(event, delta, citation, CITATION_DELTA, dialect))];
  }

  /** That there are no citations can be said in several ways, and in none as soon as there is one. */
  close(): Delta[] {
    const carrier: Carrier = {};
    const { citations } = this.wire;
    if (!this.#hasCitations && citations !== undefined) {
      storeResidue(carrier, this.reading.context.dialect, { citations });
    }
    const extra = this.late(carrier);
    return extra === undefined ? [] : [this.#say("", extra)];
  }
}

export class ThinkingBlock extends GrowingBlock implements OpenBlock {
  readonly kind = "thinking";
  #signature = typeof this.wire["signature"] === "string" ? this.wire["signature"] : undefined;

  open(): Delta[] {
    const { thinking } = this.wire;
    const { extra } = keepRest<PartBase>({}, this.wire, this.reading.context, "type", "thinking", "signature");
    return [this.#say(typeof thinking === "string" ? thinking : "", extra), ...this.#seal()];
  }

  #say(textDelta: string, extra: Extra | undefined): Delta {
    const payload = { textDelta, part: this.key };
    return { kind: "thinking", payload: extra === undefined ? payload : { ...payload, extra } };
  }

  get #isSigned(): boolean {
    return this.#signature !== undefined && this.#signature !== "";
  }

  #seal(): Delta[] {
    const sealed: PartBase = {};
    if (this.#signature !== undefined && this.#isSigned) {
      addSeal(sealed, "signature", this.#signature, this.reading.context);
    }
    return (sealed.seals ?? []).map((seal) => ({ kind: "seal", payload: { seal, part: this.key } }));
  }

  /** One delta may bring both, text and signature (B4). */
  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, thinking, signature } = delta;
    if (type !== "thinking_delta" && type !== "signature_delta") return undefined;
    const { extra } = residueOf(event, delta, thinking ?? signature, THINKING_DELTA, this.reading.context.dialect);
    const deltas: Delta[] = [];
    if (typeof thinking === "string" || extra !== undefined) {
      deltas.push(this.#say(typeof thinking === "string" ? thinking : "", extra));
    }
    if (typeof signature !== "string") return deltas;
    this.#signature = signature;
    return [...deltas, ...this.#seal()];
  }

  /** Only now is it sure that nobody signed. */
  close(): Delta[] {
    const unsigned: JsonObject = { type: "thinking", thinking: "" };
    const signature = this.#signature ?? this.wire["signature"];
    if (signature !== undefined) unsigned["signature"] = signature;
    const carrier: Carrier = this.#isSigned ? {} : decodeBlock(unsigned, this.reading);
    const extra = this.late(carrier);
    return extra === undefined ? [] : [this.#say("", extra)];
  }
}
