// Decodes stream blocks that are emitted as one part when they are closed: redacted thinking, results of the provider's
// tools, blocks with a cache breakpoint, and blocks of unknown types with all data of their deltas (B43).
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import { decodeBufferedBlock } from "../../blocks/stream/answer-deltas.ts";
import { copyField } from "../../kit/fields/read-wire.ts";
import type { OpenCallBlock } from "../../kit/streams/open-blocks.ts";
import { storeUnknownEvents } from "../../kit/residue/unknown-events.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { parseJsonOr } from "../../kit/streams/stream-tool-calls.ts";
import { decodeBlock } from "../content/decode-block.ts";
import type { AnthropicDecodeState } from "../content/decode-state.ts";
import type { AnthropicOpenBlock } from "./text-blocks.ts";
import { DELTA_EVENT_FIELDS } from "./text-blocks.ts";

/** The types of deltas that append text to a field of the block, with the name of that field. */
const APPENDING_DELTAS: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
]);
/** The types of deltas whose fields replace fields of the block. */
const REPLACING_DELTAS: ReadonlySet<unknown> = new Set(["signature_delta", "compaction_delta"]);

export class AnthropicBufferedBlock implements AnthropicOpenBlock {
  readonly kind = "buffered";
  readonly key: number;
  protected readonly block: JsonObject;
  readonly #state: AnthropicDecodeState;
  readonly #calls: StreamCallIds;
  #inputText = "";
  #citations: JsonValue[] | undefined;
  readonly #unknownEvents: JsonObject[] = [];

  constructor(wire: JsonObject, key: number, state: AnthropicDecodeState, calls: StreamCallIds) {
    this.block = copyObject(wire);
    this.key = key;
    this.#state = state;
    this.#calls = calls;
  }

  open(): Delta[] {
    return [];
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, partial_json: json, citation } = delta;
    const textField = APPENDING_DELTAS.get(type);
    let appended = textField ?? "";
    if (textField !== undefined) {
      if (!this.#appendText(textField, delta[textField])) return undefined;
    } else if (type === "input_json_delta" && typeof json === "string") {
      this.#inputText += json;
      appended = "partial_json";
    } else if (type === "citations_delta" && citation !== undefined) {
      this.#appendCitation(citation);
      appended = "citation";
    } else if (!REPLACING_DELTAS.has(type)) {
      this.storeEvent(event);
      return [];
    }
    // The fields of the delta that were not appended above (all fields of a replacing delta) and the unknown fields of
    // its event become fields of the block, so that they are not lost.
    for (const key in delta) if (key !== "type" && key !== appended) copyField(delta, key, this.block);
    for (const key in event) if (!DELTA_EVENT_FIELDS.has(key)) copyField(event, key, this.block);
    return [];
  }

  /**
   * Appends text to a field of the block. Returns false if the block has no text in that field, because the delta then
   * belongs to a different block.
   */
  #appendText(field: string, text: JsonValue | undefined): boolean {
    const before = this.block[field];
    if (typeof before !== "string" || typeof text !== "string") return false;
    this.block[field] = before + text;
    return true;
  }

  #appendCitation(citation: JsonValue): void {
    const { citations } = this.block;
    this.#citations ??= Array.isArray(citations) ? [...citations] : [];
    this.#citations.push(citation);
    this.block["citations"] = this.#citations;
  }

  storeEvent(event: JsonObject): void {
    this.#unknownEvents.push(event);
  }

  close(): Delta[] {
    if (this.#inputText.trim() !== "") this.block["input"] = parseJsonOr(this.#inputText, this.#inputText);
    const { context } = this.#state;
    const value = decodeBufferedBlock(this.block, context, this.#calls, (block) => decodeBlock(block, this.#state));
    storeUnknownEvents(value, context.dialect, this.#unknownEvents);
    return [{ kind: "part", payload: { value, partKey: this.key } }];
  }
}

/** A call that is emitted as one part, because deltas have no field for its cache breakpoint. */
export class AnthropicBufferedCall extends AnthropicBufferedBlock implements OpenCallBlock {
  #hasEnded = false;

  get isRunByClient(): boolean {
    return this.block["type"] === "tool_use";
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
