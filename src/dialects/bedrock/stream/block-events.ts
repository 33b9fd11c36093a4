// Writes the events of Bedrock blocks. A complete block is split into events as the API does; a block of a kind that
// the API never streams is written in its start event.
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject, stringifyJson } from "../../../model/json/index.ts";
import { WireEventQueue } from "../../blocks/stream/encode-stream.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { CITATIONS_CONTENT } from "../content/citations.ts";

const REASONING_CONTENT = "reasoningContent";

export class BedrockEventWriter extends WireEventQueue {
  #nextIndex = 0;

  write(name: string, payload: JsonObject): void {
    this.push({ event: name, data: { [name]: payload } });
  }

  /** Reserves the index of a block that has no start event. */
  reserveIndex(): number {
    return this.#nextIndex++;
  }

  openBlock(start: JsonObject): number {
    const contentBlockIndex = this.#nextIndex++;
    this.write("contentBlockStart", { start, contentBlockIndex });
    return contentBlockIndex;
  }

  writeDelta(contentBlockIndex: number, delta: JsonObject): void {
    this.push({ event: "contentBlockDelta", data: { contentBlockDelta: { delta, contentBlockIndex } } });
  }

  closeBlock(contentBlockIndex: number): void {
    this.write("contentBlockStop", { contentBlockIndex });
  }

  /** Opens the block of a call with a start event that does not contain the arguments; returns the block's index. */
  openCall(block: JsonObject): number {
    const start = copyObject(block);
    if (isObject(start["toolUse"])) {
      start["toolUse"] = copyObject(start["toolUse"]);
      delete start["toolUse"]["input"];
    }
    return this.openBlock(start);
  }

  writeBlock(block: JsonObject): void {
    const { text, toolUse, toolResult, image } = block;
    const { [REASONING_CONTENT]: reasoning, [CITATIONS_CONTENT]: cited } = block;
    if (typeof text === "string") this.#writeText(block, text);
    else if (isObject(toolUse) && typeof toolUse["name"] === "string") {
      const index = this.openCall(block);
      const { input } = toolUse;
      if (input !== undefined) this.writeDelta(index, { toolUse: { input: stringifyJson(input) } });
      this.closeBlock(index);
    } else if (isObject(reasoning) && isReasoningContent(reasoning)) {
      const index = this.reserveIndex();
      this.writeReasoning(index, block, false);
      this.closeBlock(index);
    } else if (isObject(cited) && isFilledList(cited["citations"])) {
      const index = this.reserveIndex();
      this.writeCitations(index, block, false);
      this.closeBlock(index);
    } else if (isObject(toolResult) && isFilledList(toolResult["content"])) {
      this.#writeSplit(block, "toolResult", "content");
    } else if (isObject(image) && isObject(image["source"])) this.#writeSplit(block, "image", "source");
    else this.closeBlock(this.openBlock(block));
  }

  #writeText(block: JsonObject, text: string): void {
    const index = this.reserveIndex();
    this.writeDelta(index, { text });
    this.writeRest(index, block, "text", { text: "" });
    this.closeBlock(index);
  }

  /**
   * Writes a block whose key is `key`: the field `field` of the value as a delta, everything else in the start event.
   */
  #writeSplit(block: JsonObject, key: string, field: string): void {
    const start = copyObject(block);
    const inner = copyObject(start[key] as JsonObject);
    const value = inner[field] ?? null;
    delete inner[field];
    start[key] = inner;
    const index = this.openBlock(start);
    this.writeDelta(index, { [key]: key === "image" ? { [field]: value } : value });
    this.closeBlock(index);
  }

  /**
   * Writes the fields of a block other than `key` in one delta, together with `emptyDelta`, a delta without content for
   * the block's kind. Writes nothing if there are no such fields.
   */
  writeRest(index: number, block: JsonObject, key: string, emptyDelta: JsonObject): void {
    const rest = unknownFields(block, new Set([key]));
    if (rest !== undefined) this.writeDelta(index, Object.assign(rest, emptyDelta));
  }

  /**
   * Writes the reasoning of a block with `reasoningContent`. The text is left out if the stream has already written it.
   */
  writeReasoning(index: number, block: JsonObject, isTextWritten: boolean): void {
    const inner = block[REASONING_CONTENT] as JsonObject;
    const { reasoningText, redactedContent } = inner;
    const rest = unknownFields(inner, new Set(["reasoningText", "redactedContent"])) ?? {};
    if (isObject(reasoningText)) {
      const { text = "", signature } = reasoningText;
      if (!isTextWritten) this.writeDelta(index, { [REASONING_CONTENT]: { text } });
      const isSigned = typeof signature === "string" && signature !== "";
      if (isSigned) this.writeDelta(index, { [REASONING_CONTENT]: { signature } });
      const textRest = unknownFields(reasoningText, new Set(["text", isSigned ? "signature" : "text"]));
      if (textRest !== undefined) rest["reasoningText"] = textRest;
    } else if (redactedContent !== undefined) this.writeDelta(index, { [REASONING_CONTENT]: { redactedContent } });
    if (Object.keys(rest).length > 0) this.writeDelta(index, { [REASONING_CONTENT]: { text: "", ...rest } });
    this.writeRest(index, block, REASONING_CONTENT, { [REASONING_CONTENT]: { text: "" } });
  }

  /**
   * Writes the citations of a block with `citationsContent`. The text is left out if the stream has already written it.
   */
  writeCitations(index: number, block: JsonObject, isTextWritten: boolean): void {
    const { content, citations, ...rest } = block[CITATIONS_CONTENT] as JsonObject;
    const [only] = Array.isArray(content) ? content : [];
    if (!isTextWritten) this.writeDelta(index, { text: isObject(only) ? (only["text"] ?? "") : "" });
    for (const citation of Array.isArray(citations) ? citations : []) this.writeDelta(index, { citation });
    if (Object.keys(rest).length > 0) this.writeDelta(index, { text: "", [CITATIONS_CONTENT]: rest });
    this.writeRest(index, block, CITATIONS_CONTENT, { text: "" });
  }
}

function isReasoningContent({ reasoningText, redactedContent }: JsonObject): boolean {
  return isObject(reasoningText) ? typeof reasoningText["text"] === "string" : redactedContent !== undefined;
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
