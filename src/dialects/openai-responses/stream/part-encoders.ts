// Encodes the growing parts of an item: a text or refusal, reasoning with its summaries, the arguments of a call. Each
// encoder sends a start event, deltas and the complete content.
import { formatArguments } from "../../../model/tool-arguments.ts";
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { Logprob, Part, ReasoningPart } from "../../../model/parts.ts";
import type { PartDraft } from "../../kit/streams/answer-follower.ts";
import { CodePointIndex } from "../../kit/fields/code-points.ts";
import type { PendingSurrogate } from "../../kit/streams/text-chunks.ts";
import { takeWholeCharacters } from "../../kit/streams/text-chunks.ts";
import { encodeAnnotation } from "../items/annotations.ts";
import { encodeLogprobs } from "../items/logprobs.ts";
import { encodeOutputBlock } from "../items/output-blocks.ts";
import type { OpenItem } from "./event-queue.ts";
import type { ResponsesItemEncoder } from "./item-encoder.ts";
import type { ToolItemType } from "../items/tool-item-types.ts";

/** The encoder of a part that sends no events while it grows. Base class of the other encoders. */
export class PartEncoder {
  /** True once the complete content has been sent. */
  isClosed = false;
  add(_delta: Delta): void {}
  /** Sends the complete content of the part. `item` is its complete item. */
  close(_item?: JsonObject): void {}
}

/** The encoder of a content block of a message. */
export class TextPartEncoder extends PartEncoder implements PendingSurrogate {
  readonly #itemEncoder: ResponsesItemEncoder;
  readonly #item: OpenItem;
  readonly #draft: PartDraft;
  readonly #contentIndex: number;
  readonly #type: "output_text" | "refusal" | "other";
  /** The number of citations that have been sent or skipped. */
  #annotationCount = 0;
  /** The number of citations that have been sent. */
  #emittedAnnotationCount = 0;
  /** The length of the text when the block was closed; Infinity while the block is open. */
  #closedLength = Infinity;
  #codePoints: CodePointIndex | undefined;
  pendingSurrogate?: string;

  constructor(itemEncoder: ResponsesItemEncoder, item: OpenItem, draft: PartDraft) {
    super();
    const { type } = draft.part;
    this.#itemEncoder = itemEncoder;
    this.#item = item;
    this.#draft = draft;
    this.#contentIndex = item.blocks.push(this) - 1;
    this.#type = type === "text" ? "output_text" : type === "refusal" ? "refusal" : "other";
    const empty = this.#type === "refusal" ? { refusal: "" } : { text: "", annotations: [], logprobs: [] };
    const part = this.#type === "other" ? this.#encodeBlock() : { type: this.#type, ...empty };
    this.#emit("response.content_part.added", { part });
  }

  get #position(): JsonObject {
    return { item_id: this.#item.eventItemId, output_index: this.#item.index, content_index: this.#contentIndex };
  }

  #emit(type: string, fields: JsonObject): void {
    this.#itemEncoder.emit(type, { ...this.#position, ...fields });
  }

  #encodeBlock(): JsonObject {
    const { part } = this.#draft;
    const { state } = this.#itemEncoder;
    const isBlock = part.type === "text" || part.type === "refusal" || part.type === "opaque";
    return (isBlock ? encodeOutputBlock(part, "id", state) : undefined) ?? {};
  }

  /** Adds a delta. Once the block is closed, only citations are accepted. */
  override add(delta: Delta): void {
    if (this.isClosed) {
      if (delta.kind === "annotation") this.#emitAnnotations(true);
    } else if (delta.kind === "text" || delta.kind === "refusal")
      this.#addText(delta.payload.textDelta, delta.payload.logprobs);
    else if (delta.kind === "annotation") this.#emitAnnotations();
    else if (delta.kind === "part") this.#addPart(delta.payload.value);
  }

  #addText(textDelta: string, logprobs: readonly Logprob[] | undefined): void {
    const text = takeWholeCharacters(this, textDelta);
    const itemEncoder = this.#itemEncoder;
    const item = this.#item;
    const content = this.#contentIndex;
    this.#codePoints?.append(textDelta);
    if (this.#type === "refusal") {
      if (text !== "") this.#emit("response.refusal.delta", { delta: text });
    } else if (text !== "" || logprobs !== undefined) {
      const encodedLogprobs = logprobs === undefined ? [] : encodeLogprobs(logprobs, itemEncoder.state);
      itemEncoder.emitTextDelta("response.output_text.delta", item, content, text, encodedLogprobs);
    }
  }

  #addPart(part: Part): void {
    if (part.type !== "text" && part.type !== "refusal") return;
    this.#addText(part.text, part.logprobs);
    if (part.type === "text" && part.annotations !== undefined) this.#emitAnnotations();
  }

  /**
   * Sends the citations that have been neither sent nor skipped. A citation that ends beyond the text so far waits for
   * more text, unless `isLast` is true.
   */
  #emitAnnotations(isLast = false): void {
    const { part } = this.#draft;
    const { annotations = [], text } = part.type === "text" ? part : { text: "" };
    if (annotations.length === this.#annotationCount) return;
    const points = (this.#codePoints ??= new CodePointIndex(text));
    for (const annotation of annotations.slice(this.#annotationCount)) {
      const { start, end } = annotation.span ?? { start: 0, end: Infinity };
      if (!isLast && end > points.length) return;
      this.#annotationCount++;
      // A citation of text after the end of the block is sent with the continuation, the further part that contains
      // this text.
      if (start > 0 && start >= this.#closedLength) continue;
      const wire = encodeAnnotation(annotation, points, this.#itemEncoder.state);
      if (wire === undefined) continue;
      const annotation_index = this.#emittedAnnotationCount++;
      this.#emit("response.output_text.annotation.added", { annotation_index, annotation: wire });
    }
  }

  override close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { pendingSurrogate } = this;
    const itemEncoder = this.#itemEncoder;
    const item = this.#item;
    const content = this.#contentIndex;
    delete this.pendingSurrogate;
    if (pendingSurrogate !== undefined && this.#type === "refusal")
      this.#emit("response.refusal.delta", { delta: pendingSurrogate });
    else if (pendingSurrogate !== undefined)
      itemEncoder.emitTextDelta("response.output_text.delta", item, content, pendingSurrogate, []);
    this.#emitAnnotations(true);
    if ("text" in this.#draft.part) this.#closedLength = this.#draft.part.text.length;
    const part = this.#encodeBlock();
    const { text = "", refusal = "", logprobs = [] } = part;
    if (this.#type === "output_text") this.#emit("response.output_text.done", { text, logprobs });
    else if (this.#type === "refusal") this.#emit("response.refusal.done", { refusal });
    this.#emit("response.content_part.done", { part });
  }
}

/** The encoder of reasoning. The raw text and each summary are blocks. */
export class ReasoningPartEncoder extends PartEncoder {
  readonly #itemEncoder: ResponsesItemEncoder;
  readonly #item: OpenItem;
  readonly #draft: PartDraft;
  #hasText = false;
  readonly #textSurrogate: PendingSurrogate = {};
  /** The number of started summaries. The last of them is open. */
  #summaryCount = 0;
  #summarySurrogate: PendingSurrogate = {};

  constructor(itemEncoder: ResponsesItemEncoder, item: OpenItem, draft: PartDraft) {
    super();
    this.#itemEncoder = itemEncoder;
    this.#item = item;
    this.#draft = draft;
    item.blocks.push(this);
  }

  get #part(): ReasoningPart {
    // The cast is safe, because this encoder is created only for reasoning parts.
    return this.#draft.part as ReasoningPart;
  }

  #emit(type: string, index: "content_index" | "summary_index", at: number, fields: JsonObject): void {
    this.#itemEncoder.emit(type, {
      item_id: this.#item.eventItemId,
      output_index: this.#item.index,
      [index]: at,
      ...fields,
    });
  }

  override add(delta: Delta): void {
    if (this.isClosed) return;
    if (delta.kind === "thinking") {
      const { textDelta, summary } = delta.payload;
      if (summary === undefined) this.#addReasoning(takeWholeCharacters(this.#textSurrogate, textDelta));
      else this.#addSummary(summary, textDelta);
    } else if (delta.kind === "part") {
      const { text, summary = [] } = this.#part;
      this.#addReasoning(text);
      summary.forEach((each, at) => this.#addSummary(at, each));
    }
  }

  #addReasoning(delta: string): void {
    if (delta === "") return;
    if (!this.#hasText) {
      this.#hasText = true;
      this.#emit("response.content_part.added", "content_index", 0, { part: { type: "reasoning_text", text: "" } });
    }
    this.#itemEncoder.emitReasoningDelta(this.#item, delta, undefined);
  }

  #addSummary(at: number, text: string): void {
    while (this.#summaryCount <= at) {
      this.#closeSummary();
      const index = this.#summaryCount++;
      const part = { type: "summary_text", text: "" };
      this.#emit("response.reasoning_summary_part.added", "summary_index", index, { part });
    }
    const delta = takeWholeCharacters(this.#summarySurrogate, text);
    if (delta !== "") this.#itemEncoder.emitReasoningDelta(this.#item, delta, at);
  }

  #closeSummary(): void {
    const at = this.#summaryCount - 1;
    const { pendingSurrogate } = this.#summarySurrogate;
    this.#summarySurrogate = {};
    if (at < 0) return;
    if (pendingSurrogate !== undefined) this.#itemEncoder.emitReasoningDelta(this.#item, pendingSurrogate, at);
    const text = this.#part.summary?.[at] ?? "";
    this.#emit("response.reasoning_summary_text.done", "summary_index", at, { text });
    this.#emit("response.reasoning_summary_part.done", "summary_index", at, { part: { type: "summary_text", text } });
  }

  override close(): void {
    this.isClosed = true;
    this.#closeSummary();
    const { pendingSurrogate } = this.#textSurrogate;
    delete this.#textSurrogate.pendingSurrogate;
    if (pendingSurrogate !== undefined) this.#addReasoning(pendingSurrogate);
    if (!this.#hasText) return;
    const { text } = this.#part;
    this.#emit("response.reasoning_text.done", "content_index", 0, { text });
    this.#emit("response.content_part.done", "content_index", 0, { part: { type: "reasoning_text", text } });
  }
}

/** The item types with streamed arguments, and the prefixes of their event types. */
const ARGUMENTS_EVENTS: Readonly<Record<string, string>> = {
  function_call: "response.function_call_arguments",
  custom_tool_call: "response.custom_tool_call_input",
  mcp_call: "response.mcp_call_arguments",
};

/** The encoder of a call. If the item type takes the input as a JSON value, the item is sent when the call ends. */
export class CallPartEncoder extends PartEncoder implements PendingSurrogate {
  readonly #itemEncoder: ResponsesItemEncoder;
  readonly #draft: PartDraft;
  #toolType: ToolItemType | undefined;
  #item: OpenItem | undefined;
  /** The prefix of the event types; undefined if the arguments of this item type are not streamed. */
  #eventType: string | undefined;
  #hasArguments = false;
  pendingSurrogate?: string;

  constructor(itemEncoder: ResponsesItemEncoder, draft: PartDraft) {
    super();
    this.#itemEncoder = itemEncoder;
    this.#draft = draft;
    const toolType = itemEncoder.chooseToolType(draft);
    if (toolType?.inputForm === "json" || toolType?.inputForm === "text") this.#open(toolType);
  }

  #open(toolType: ToolItemType): void {
    const itemEncoder = this.#itemEncoder;
    const draft = this.#draft;
    const { madeIdCount } = itemEncoder.state;
    const item = itemEncoder.encodeItem([draft]);
    if (item === undefined) return;
    this.#toolType = toolType;
    this.#eventType = ARGUMENTS_EVENTS[toolType.callType];
    if (this.#eventType !== undefined) item[toolType.inputField] = "";
    this.#item = itemEncoder.createItem(draft, item, madeIdCount);
    this.#item.blocks.push(this);
  }

  #emitArguments(text: string): void {
    if (this.#item !== undefined && this.#eventType !== undefined)
      this.#itemEncoder.emitArgumentsDelta(`${this.#eventType}.delta`, this.#item, text);
  }

  override add(delta: Delta): void {
    if (delta.kind === "tool_call_args") this.#addArguments(delta.payload.argsTextDelta);
    else if (delta.kind === "tool_call_end") {
      this.#addArguments(delta.payload.argsTextDelta ?? "");
      this.#end();
    } else if (delta.kind === "part") {
      if (this.#draft.part.type === "tool-call") this.#addArguments(formatArguments(this.#draft.part));
      this.#end();
    }
  }

  #addArguments(text: string): void {
    const delta = takeWholeCharacters(this, text);
    if (delta === "") return;
    this.#hasArguments = true;
    this.#emitArguments(delta);
  }

  /** Ends the call. The item of a hosted call remains open until its result arrives. */
  #end(): void {
    const itemEncoder = this.#itemEncoder;
    const draft = this.#draft;
    if (this.#item === undefined) {
      const toolType = itemEncoder.chooseToolType(draft);
      if (toolType !== undefined) this.#open(toolType);
    }
    const item = this.#item;
    const toolType = this.#toolType;
    if (item === undefined || toolType === undefined || draft.part.type !== "tool-call") return;
    if (toolType.outputType === undefined) itemEncoder.waitForResult(draft.part.toolCallId, item);
    else itemEncoder.finishItem(item, itemEncoder.encodeItem([draft], item));
  }

  override close(wholeItem?: JsonObject): void {
    const { pendingSurrogate } = this;
    const toolType = this.#toolType;
    const item = this.#item;
    const draft = this.#draft;
    if (this.isClosed || toolType === undefined || item === undefined || draft.part.type !== "tool-call") return;
    this.isClosed = true;
    delete this.pendingSurrogate;
    if (pendingSurrogate !== undefined) this.#emitArguments(pendingSurrogate);
    const text = wholeItem?.[toolType.inputField];
    if (typeof text !== "string") return;
    // If no arguments were streamed, the arguments of the complete item are sent as one delta, usually an empty object
    // (B20).
    if (pendingSurrogate === undefined && !this.#hasArguments && text !== "") this.#emitArguments(text);
    const fields = { item_id: item.eventItemId, output_index: item.index, [toolType.inputField]: text };
    if (this.#eventType !== undefined) this.#itemEncoder.emit(`${this.#eventType}.done`, fields);
  }
}
