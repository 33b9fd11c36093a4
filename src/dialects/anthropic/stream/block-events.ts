// Writes the events of Anthropic blocks: start, deltas and stop. A complete block is split into these events, as
// Anthropic's API does.
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject, stringifyJson } from "../../../model/json/index.ts";
import type { Extra } from "../../../model/parts.ts";
import { WireEventQueue } from "../../blocks/stream/encode-stream.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { EVENTS_KEY } from "../../kit/residue/residue.ts";
import { readUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { hasCitations } from "../content/citations.ts";
import { PROVIDER_CALLS } from "../terms.ts";

export class AnthropicEventWriter extends WireEventQueue {
  #nextIndex = 0;
  /** Unknown events that have already been written. */
  readonly #writtenEvents = new Set<JsonObject>();

  write(data: JsonObject): void {
    const { type } = data;
    this.push(typeof type === "string" ? { event: type, data } : { data });
  }

  /** Opens a block and returns its index. Writes the unknown events of the part after the start event. */
  openBlock(block: JsonObject, unknownEvents: readonly JsonObject[] = []): number {
    const index = this.#nextIndex++;
    this.write({ type: "content_block_start", index, content_block: block });
    this.#writeUnknownEvents(index, unknownEvents);
    return index;
  }

  /**
   * Writes unknown events with the index of their block. Each event is written only once: the start of a block writes
   * all events that its part has by then, and a later delta of the part may have the same event again.
   */
  #writeUnknownEvents(index: number, events: readonly JsonObject[]): void {
    for (const event of events) {
      if (this.#writtenEvents.has(event)) continue;
      this.#writtenEvents.add(event);
      const copy = copyObject(event);
      copy["index"] = index;
      this.write(copy);
    }
  }

  writeDelta(index: number, delta: JsonObject): void {
    this.push({ event: "content_block_delta", data: { type: "content_block_delta", index, delta } });
  }

  writeText(index: number, text: string): void {
    this.writeDelta(index, { type: "text_delta", text });
  }

  writeThinking(index: number, thinking: string): void {
    this.writeDelta(index, { type: "thinking_delta", thinking });
  }

  writeInput(index: number, json: string): void {
    this.writeDelta(index, { type: "input_json_delta", partial_json: json });
  }

  closeBlock(index: number): void {
    this.write({ type: "content_block_stop", index });
  }

  /**
   * Writes the residue of a delta that arrived after its block was opened. Unknown fields are added to `emptyDelta`, a
   * delta without content, which is written as a further delta of the block; unknown events are written after it.
   */
  writeResidue(index: number, emptyDelta: JsonObject, extra: Extra, dialect: string): void {
    const residue = extra[dialect] ?? {};
    const delta = { ...emptyDelta };
    let hasFields = false;
    for (const key of Object.keys(residue)) {
      if (key !== "$form" && key !== EVENTS_KEY && !Object.hasOwn(delta, key)) {
        copyField(residue, key, delta);
        hasFields = true;
      }
    }
    if (hasFields) this.writeDelta(index, delta);
    this.#writeUnknownEvents(index, readUnknownEvents({ extra }, dialect));
  }

  /** Writes a complete block: a start event with empty content, the deltas, and a stop event. */
  writeBlock(block: JsonObject, unknownEvents: readonly JsonObject[]): void {
    const { type, text, thinking, signature, citations, input } = block;
    const start = copyObject(block);
    const deltas: JsonObject[] = [];
    if (type === "text" && typeof text === "string") {
      start["text"] = "";
      if (text !== "") deltas.push({ type: "text_delta", text });
      if (hasCitations(citations)) {
        delete start["citations"];
        for (const citation of citations) deltas.push({ type: "citations_delta", citation });
      }
    } else if (type === "thinking" && typeof thinking === "string") {
      start["thinking"] = "";
      if (thinking !== "") deltas.push({ type: "thinking_delta", thinking });
      if (typeof signature === "string" && signature !== "") {
        start["signature"] = "";
        deltas.push({ type: "signature_delta", signature });
      }
    } else if ((type === "tool_use" || PROVIDER_CALLS.has(type)) && isObject(input)) {
      start["input"] = {};
      if (Object.keys(input).length > 0) deltas.push({ type: "input_json_delta", partial_json: stringifyJson(input) });
    }
    const index = this.openBlock(start, unknownEvents);
    for (const delta of deltas) this.writeDelta(index, delta);
    this.closeBlock(index);
  }
}
