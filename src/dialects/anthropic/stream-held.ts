// Blocks of a stream that are said whole, once they are closed: redacted thinking, what the provider ran, and every
// block that nobody knows, with all that its deltas have added (B43).
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { DialectError } from "../errors.ts";
import { opaquePart } from "../kit/opaque.ts";
import type { OpenCall } from "../kit/open-blocks.ts";
import { copyField } from "../kit/read.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import { parsedOr } from "../kit/stream-calls.ts";
import { keepEvents } from "../kit/streams.ts";
import { decodeBlock } from "./decode-block.ts";
import type { Reading } from "./reading.ts";
import type { OpenBlock } from "./stream-block.ts";
import { EVENT } from "./stream-block.ts";

/** Deltas that bring a piece of a field. */
const PIECES: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
]);
/** Deltas that say what fields are from now on. */
const SETTING: ReadonlySet<unknown> = new Set(["signature_delta", "compaction_delta"]);

export class HeldBlock implements OpenBlock {
  readonly kind = "held";
  readonly key: number;
  protected readonly value: JsonObject;
  readonly #reading: Reading;
  readonly #calls: RunCalls;
  #json = "";
  #citations: JsonValue[] | undefined;
  readonly #kept: JsonObject[] = [];

  constructor(wire: JsonObject, key: number, reading: Reading, calls: RunCalls) {
    this.value = copyObject(wire);
    this.key = key;
    this.#reading = reading;
    this.#calls = calls;
  }

  open(): Delta[] {
    return [];
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, partial_json: json, citation } = delta;
    const piece = PIECES.get(type);
    let taken = piece ?? "";
    if (piece !== undefined) {
      if (!this.#append(piece, delta[piece])) return undefined;
    } else if (type === "input_json_delta" && typeof json === "string") {
      this.#json += json;
      taken = "partial_json";
    } else if (type === "citations_delta" && citation !== undefined) {
      this.#cite(citation);
      taken = "citation";
    } else if (!SETTING.has(type)) {
      this.keep(event);
      return [];
    }
    // What else is said with it is said of the block.
    for (const key in delta) if (key !== "type" && key !== taken) copyField(delta, key, this.value);
    for (const key in event) if (!EVENT.has(key)) copyField(event, key, this.value);
    return [];
  }

  /** False where the block has no such field: then it is not meant. */
  #append(field: string, piece: JsonValue | undefined): boolean {
    const before = this.value[field];
    if (typeof before !== "string" || typeof piece !== "string") return false;
    this.value[field] = before + piece;
    return true;
  }

  #cite(citation: JsonValue): void {
    const { citations } = this.value;
    this.#citations ??= Array.isArray(citations) ? [...citations] : [];
    this.#citations.push(citation);
    this.value["citations"] = this.#citations;
  }

  keep(event: JsonObject): void {
    this.#kept.push(event);
  }

  close(): Delta[] {
    if (this.#json.trim() !== "") this.value["input"] = parsedOr(this.#json, this.#json);
    const value = this.#part();
    keepEvents(value, this.#reading.context.dialect, this.#kept);
    return [{ kind: "part", payload: { value, part: this.key } }];
  }

  /** A part as of an answer in one piece; a result that could not stand in a stream of deltas stays as it came. */
  #part(): Part {
    const { context } = this.#reading;
    let part: Part;
    try {
      part = decodeBlock(this.value, this.#reading);
    } catch (error) {
      // Something within is not what it must be; in an answer in one piece that is an error, here it came too late.
      if (!(error instanceof DialectError)) throw error;
      context.pathTracker.reset();
      return opaquePart(this.value, context);
    }
    if (part.type === "tool-call") this.#calls.start(part, context.dialect);
    return part.type === "tool-result" && !this.#calls.answer(part) ? opaquePart(this.value, context) : part;
  }
}

/** A call that the small deltas cannot say. */
export class HeldCall extends HeldBlock implements OpenCall {
  #hasEnded = false;

  get isClients(): boolean {
    return this.value["type"] === "tool_use";
  }

  override close(): Delta[] {
    return [];
  }

  end(isCut = false): Delta[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    return super.close().map((delta) => {
      if (isCut && delta.kind === "part" && delta.payload.value.type === "tool-call")
        delta.payload.value.invalid = true;
      return delta;
    });
  }

  abandon(): Delta[] {
    return this.end(true);
  }
}
