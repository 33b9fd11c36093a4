// Blocks on their way out as events: opened where the protocol does so, filled and closed. What comes whole is taken
// apart as the API does; what it never streams stands in the start of its block.
import type { JsonObject } from "../../model/json.ts";
import { copyObject, stringifyJson } from "../../model/json.ts";
import type { WireEvent } from "../dialect.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { CITED } from "./citations.ts";

export function eventOf(name: string, payload: JsonObject): WireEvent {
  return { event: name, data: { [name]: payload } };
}

const REASONING = "reasoningContent";

export class BlockWriter {
  /** What has been written since it was last taken. */
  #events: WireEvent[] = [];
  #next = 0;

  take(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  write(event: WireEvent): void {
    this.#events.push(event);
  }

  /** A block that begins with its first delta. */
  begin(): number {
    return this.#next++;
  }

  open(start: JsonObject): number {
    const contentBlockIndex = this.#next++;
    this.write(eventOf("contentBlockStart", { start, contentBlockIndex }));
    return contentBlockIndex;
  }

  delta(contentBlockIndex: number, delta: JsonObject): void {
    this.#events.push({ event: "contentBlockDelta", data: { contentBlockDelta: { delta, contentBlockIndex } } });
  }

  close(contentBlockIndex: number): void {
    this.write(eventOf("contentBlockStop", { contentBlockIndex }));
  }

  /** The arguments of a call, whose start has none. */
  openCall(block: JsonObject): number {
    const start = copyObject(block);
    if (isObject(start["toolUse"])) {
      start["toolUse"] = copyObject(start["toolUse"]);
      delete start["toolUse"]["input"];
    }
    return this.open(start);
  }

  whole(block: JsonObject): void {
    const { text, toolUse, toolResult, image, [REASONING]: reasoning, [CITED]: cited } = block;
    if (typeof text === "string") this.#text(block, text);
    else if (isObject(toolUse) && typeof toolUse["name"] === "string") {
      const index = this.openCall(block);
      const { input } = toolUse;
      if (input !== undefined) this.delta(index, { toolUse: { input: stringifyJson(input) } });
      this.close(index);
    } else if (isObject(reasoning) && isReasoning(reasoning)) {
      const index = this.begin();
      this.reasoning(index, block, false);
      this.close(index);
    } else if (isObject(cited) && Array.isArray(cited["citations"]) && cited["citations"].length > 0) {
      const index = this.begin();
      this.citations(index, block, false);
      this.close(index);
    } else if (isObject(toolResult) && Array.isArray(toolResult["content"]) && toolResult["content"].length > 0) {
      this.#pieces(block, "toolResult", "content");
    } else if (isObject(image) && isObject(image["source"])) this.#pieces(block, "image", "source");
    else this.close(this.open(block));
  }

  #text(block: JsonObject, text: string): void {
    const index = this.begin();
    this.delta(index, { text });
    this.rest(index, block, "text", { text: "" });
    this.close(index);
  }

  /** A block whose one field comes as a delta, the others with its start. */
  #pieces(block: JsonObject, key: string, field: string): void {
    const start = copyObject(block);
    const inner = copyObject(start[key] as JsonObject); // It was just looked at.
    const piece = inner[field] ?? null;
    delete inner[field];
    start[key] = inner;
    const index = this.open(start);
    this.delta(index, { [key]: key === "image" ? { [field]: piece } : piece });
    this.close(index);
  }

  /** What a block says beside its one field goes out with an empty piece of its kind. */
  rest(index: number, block: JsonObject, key: string, piece: JsonObject): void {
    const rest = unknownFields(block, new Set([key]));
    if (rest !== undefined) this.delta(index, Object.assign(rest, piece));
  }

  /** The reasoning of a block, without its text where that has been said. */
  reasoning(index: number, block: JsonObject, isSaid: boolean): void {
    const inner = block[REASONING] as JsonObject; // Whoever calls this has looked for it.
    const { reasoningText, redactedContent } = inner;
    const beside = unknownFields(inner, new Set(["reasoningText", "redactedContent"])) ?? {};
    if (isObject(reasoningText)) {
      const { text = "", signature } = reasoningText;
      if (!isSaid) this.delta(index, { [REASONING]: { text } });
      const isSigned = typeof signature === "string" && signature !== "";
      if (isSigned) this.delta(index, { [REASONING]: { signature } });
      const rest = unknownFields(reasoningText, new Set(["text", isSigned ? "signature" : "text"]));
      if (rest !== undefined) beside["reasoningText"] = rest;
    } else if (redactedContent !== undefined) this.delta(index, { [REASONING]: { redactedContent } });
    if (Object.keys(beside).length > 0) this.delta(index, { [REASONING]: { text: "", ...beside } });
    this.rest(index, block, REASONING, { [REASONING]: { text: "" } });
  }

  /** The citations of a block, without its text where that has been said. */
  citations(index: number, block: JsonObject, isSaid: boolean): void {
    const { content, citations, ...others } = block[CITED] as JsonObject; // Whoever calls this has looked for it.
    const [only] = Array.isArray(content) ? content : [];
    if (!isSaid) this.delta(index, { text: isObject(only) ? (only["text"] ?? "") : "" });
    for (const citation of Array.isArray(citations) ? citations : []) this.delta(index, { citation });
    if (Object.keys(others).length > 0) this.delta(index, { text: "", [CITED]: others });
    this.rest(index, block, CITED, { text: "" });
  }
}

function isReasoning({ reasoningText, redactedContent }: JsonObject): boolean {
  return isObject(reasoningText) ? typeof reasoningText["text"] === "string" : redactedContent !== undefined;
}
