// Blocks on their way out as events: opened, filled and closed. What comes whole is taken apart as the API does.
import type { JsonObject } from "../../model/json.ts";
import { copyObject, stringifyJson } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { WireEvent } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { EVENTS } from "../kit/residue.ts";
import { eventsOf } from "../kit/streams.ts";
import { isCited } from "./citations.ts";
import { PROVIDER_CALLS } from "./terms.ts";

export class BlockWriter {
  /** What has been written since it was last taken. */
  #events: WireEvent[] = [];
  #next = 0;
  /** The events of their own that have been written. */
  readonly #said = new Set<JsonObject>();

  take(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  write(data: JsonObject): void {
    const { type } = data;
    this.#events.push(typeof type === "string" ? { event: type, data } : { data });
  }

  /** Opens a block and returns its index; events that were kept for it follow at once. */
  open(block: JsonObject, kept: readonly JsonObject[] = []): number {
    const index = this.#next++;
    this.write({ type: "content_block_start", index, content_block: block });
    this.#writeKept(index, kept);
    return index;
  }

  /** What a part has kept may have come with its start, and come again with the delta that brought it. */
  #writeKept(index: number, kept: readonly JsonObject[]): void {
    for (const event of kept) {
      if (this.#said.has(event)) continue;
      this.#said.add(event);
      const again = copyObject(event);
      again["index"] = index;
      this.write(again);
    }
  }

  delta(index: number, delta: JsonObject): void {
    this.#events.push({
      event: "content_block_delta",
      data: { type: "content_block_delta", index, delta },
    });
  }

  text(index: number, text: string): void {
    this.delta(index, { type: "text_delta", text });
  }

  thinking(index: number, thinking: string): void {
    this.delta(index, { type: "thinking_delta", thinking });
  }

  json(index: number, json: string): void {
    this.delta(index, { type: "input_json_delta", partial_json: json });
  }

  close(index: number): void {
    this.write({ type: "content_block_stop", index });
  }

  /** Residue that came with a later piece of a block goes out with an empty one of its kind. */
  residue(index: number, piece: JsonObject, extra: Extra, dialect: string): void {
    const residue = extra[dialect] ?? {};
    const delta = { ...piece };
    let isNews = false;
    for (const key of Object.keys(residue)) {
      if (key !== "$form" && key !== EVENTS && !Object.hasOwn(delta, key)) {
        copyField(residue, key, delta);
        isNews = true;
      }
    }
    if (isNews) this.delta(index, delta);
    this.#writeKept(index, eventsOf({ extra }, dialect));
  }

  /** A whole block: what the API streams in pieces is empty at first. */
  whole(block: JsonObject, kept: readonly JsonObject[]): void {
    const { type, text, thinking, signature, citations, input } = block;
    const empty = copyObject(block);
    const deltas: JsonObject[] = [];
    if (type === "text" && typeof text === "string") {
      empty["text"] = "";
      if (text !== "") deltas.push({ type: "text_delta", text });
      if (isCited(citations)) {
        delete empty["citations"];
        for (const citation of citations) deltas.push({ type: "citations_delta", citation });
      }
    } else if (type === "thinking" && typeof thinking === "string") {
      empty["thinking"] = "";
      if (thinking !== "") deltas.push({ type: "thinking_delta", thinking });
      if (typeof signature === "string" && signature !== "") {
        empty["signature"] = "";
        deltas.push({ type: "signature_delta", signature });
      }
    } else if ((type === "tool_use" || PROVIDER_CALLS.has(type)) && isObject(input)) {
      empty["input"] = {};
      if (Object.keys(input).length > 0) deltas.push({ type: "input_json_delta", partial_json: stringifyJson(input) });
    }
    const index = this.open(empty, kept);
    for (const delta of deltas) this.delta(index, delta);
    this.close(index);
  }
}
