// What grows within an item as it is streamed out: a text or refusal of a message, reasoning and its summaries, the
// arguments of a call. Each begins, grows by deltas, and is told once more when it is done.
import { argumentsText } from "../../model/arguments.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Logprob, Part, ReasoningPart } from "../../model/parts.ts";
import type { Draft } from "../kit/follow.ts";
import { CodePoints } from "../kit/code-points.ts";
import type { Held } from "../kit/streams.ts";
import { wholeCharacters } from "../kit/streams.ts";
import { encodeAnnotation } from "./annotations.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { encodeOutput } from "./output.ts";
import type { Open, Output } from "./stream-output.ts";
import type { ToolRow } from "./tool-rows.ts";

/** What says nothing while it grows. */
export class Block {
  /** Whether all of it has been told. */
  isClosed = false;
  add(_delta: Delta): void {}
  /** It has ended; `item` is its item as it is told then. */
  close(_item?: JsonObject): void {}
}

/** A block of a message. */
export class TextBlock extends Block implements Held {
  readonly #output: Output;
  readonly #item: Open;
  readonly #draft: Draft;
  readonly #content: number;
  readonly #type: "output_text" | "refusal" | "other";
  /** How many citations have come, and how many of them could be said. */
  #cited = 0;
  #annotations = 0;
  /** How long the text was when it was closed. */
  #length = Infinity;
  #points: CodePoints | undefined;
  held?: string;

  constructor(output: Output, item: Open, draft: Draft) {
    super();
    const { type } = draft.part;
    this.#output = output;
    this.#item = item;
    this.#draft = draft;
    this.#content = item.blocks.push(this) - 1;
    this.#type = type === "text" ? "output_text" : type === "refusal" ? "refusal" : "other";
    const empty = this.#type === "refusal" ? { refusal: "" } : { text: "", annotations: [], logprobs: [] };
    const part = this.#type === "other" ? this.#written() : { type: this.#type, ...empty };
    this.#say("response.content_part.added", { part });
  }

  get #place(): JsonObject {
    return { item_id: this.#item.name, output_index: this.#item.index, content_index: this.#content };
  }

  #say(type: string, fields: JsonObject): void {
    this.#output.say(type, { ...this.#place, ...fields });
  }

  #written(): JsonObject {
    const { part } = this.#draft;
    const { writing } = this.#output;
    const isBlock = part.type === "text" || part.type === "refusal" || part.type === "opaque";
    return (isBlock ? encodeOutput(part, "id", writing) : undefined) ?? {};
  }

  /** A citation may come when the block is closed; what else comes then is not for it. */
  override add(delta: Delta): void {
    if (this.isClosed) {
      if (delta.kind === "annotation") this.#cite(true);
    } else if (delta.kind === "text" || delta.kind === "refusal")
      this.#grow(delta.payload.textDelta, delta.payload.logprobs);
    else if (delta.kind === "annotation") this.#cite();
    else if (delta.kind === "part") this.#addWhole(delta.payload.value);
  }

  #grow(piece: string, logprobs: readonly Logprob[] | undefined): void {
    const text = wholeCharacters(this, piece);
    const output = this.#output;
    const item = this.#item;
    const content = this.#content;
    this.#points?.append(piece);
    if (this.#type === "refusal") {
      if (text !== "") this.#say("response.refusal.delta", { delta: text });
    } else if (text !== "" || logprobs !== undefined) {
      const likely = logprobs === undefined ? [] : encodeLogprobs(logprobs, output.writing);
      output.sayText("response.output_text.delta", item, content, text, likely);
    }
  }

  #addWhole(part: Part): void {
    if (part.type !== "text" && part.type !== "refusal") return;
    this.#grow(part.text, part.logprobs);
    if (part.type === "text" && part.annotations !== undefined) this.#cite();
  }

  /** The citations since the last time; one that ends beyond the text, or with it, waits for its end. */
  #cite(isLast = false): void {
    const { part } = this.#draft;
    const { annotations = [], text } = part.type === "text" ? part : { text: "" };
    if (annotations.length === this.#cited) return;
    const points = (this.#points ??= new CodePoints(text));
    for (const annotation of annotations.slice(this.#cited)) {
      const { start, end } = annotation.span ?? { start: 0, end: Infinity };
      if (!isLast && end > points.length) return;
      this.#cited++;
      // What came when the block was closed is cited where it stands.
      if (start > 0 && start >= this.#length) continue;
      const wire = encodeAnnotation(annotation, points, this.#output.writing);
      if (wire === undefined) continue;
      const annotation_index = this.#annotations++;
      this.#say("response.output_text.annotation.added", { annotation_index, annotation: wire });
    }
  }

  override close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { held } = this;
    const output = this.#output;
    const item = this.#item;
    const content = this.#content;
    delete this.held;
    if (held !== undefined && this.#type === "refusal") this.#say("response.refusal.delta", { delta: held });
    else if (held !== undefined) output.sayText("response.output_text.delta", item, content, held, []);
    this.#cite(true);
    if ("text" in this.#draft.part) this.#length = this.#draft.part.text.length;
    const part = this.#written();
    const { text = "", refusal = "", logprobs = [] } = part;
    if (this.#type === "output_text") this.#say("response.output_text.done", { text, logprobs });
    else if (this.#type === "refusal") this.#say("response.refusal.done", { refusal });
    this.#say("response.content_part.done", { part });
  }
}

/** Reasoning: its raw text is a block, each of its summaries another. */
export class Reasoning extends Block {
  readonly #output: Output;
  readonly #item: Open;
  readonly #draft: Draft;
  #hasText = false;
  readonly #text: Held = {};
  /** How many summaries have begun; the last of them is open. */
  #summaries = 0;
  #summary: Held = {};

  constructor(output: Output, item: Open, draft: Draft) {
    super();
    this.#output = output;
    this.#item = item;
    this.#draft = draft;
    item.blocks.push(this);
  }

  get #part(): ReasoningPart {
    return this.#draft.part as ReasoningPart; // It was begun as one.
  }

  #say(type: string, index: "content_index" | "summary_index", at: number, fields: JsonObject): void {
    this.#output.say(type, { item_id: this.#item.name, output_index: this.#item.index, [index]: at, ...fields });
  }

  override add(delta: Delta): void {
    if (this.isClosed) return;
    if (delta.kind === "thinking") {
      const { textDelta, summary } = delta.payload;
      if (summary === undefined) this.#think(wholeCharacters(this.#text, textDelta));
      else this.#summarise(summary, textDelta);
    } else if (delta.kind === "part") {
      const { text, summary = [] } = this.#part;
      this.#think(text);
      summary.forEach((each, at) => this.#summarise(at, each));
    }
  }

  #think(delta: string): void {
    if (delta === "") return;
    if (!this.#hasText) {
      this.#hasText = true;
      this.#say("response.content_part.added", "content_index", 0, { part: { type: "reasoning_text", text: "" } });
    }
    this.#output.sayThought(this.#item, delta, undefined);
  }

  #summarise(at: number, piece: string): void {
    while (this.#summaries <= at) {
      this.#closeSummary();
      const index = this.#summaries++;
      const part = { type: "summary_text", text: "" };
      this.#say("response.reasoning_summary_part.added", "summary_index", index, { part });
    }
    const delta = wholeCharacters(this.#summary, piece);
    if (delta !== "") this.#output.sayThought(this.#item, delta, at);
  }

  #closeSummary(): void {
    const at = this.#summaries - 1;
    const { held } = this.#summary;
    this.#summary = {};
    if (at < 0) return;
    if (held !== undefined) this.#output.sayThought(this.#item, held, at);
    const text = this.#part.summary?.[at] ?? "";
    this.#say("response.reasoning_summary_text.done", "summary_index", at, { text });
    this.#say("response.reasoning_summary_part.done", "summary_index", at, { part: { type: "summary_text", text } });
  }

  override close(): void {
    this.isClosed = true;
    this.#closeSummary();
    const { held } = this.#text;
    delete this.#text.held;
    if (held !== undefined) this.#think(held);
    if (!this.#hasText) return;
    const { text } = this.#part;
    this.#say("response.reasoning_text.done", "content_index", 0, { text });
    this.#say("response.content_part.done", "content_index", 0, { part: { type: "reasoning_text", text } });
  }
}

/** The items whose arguments are streamed, and what their events are called. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  function_call: "response.function_call_arguments",
  custom_tool_call: "response.custom_tool_call_input",
  mcp_call: "response.mcp_call_arguments",
};

/** A call. One whose item cannot be told from its beginning is said when it is known whole. */
export class CallBlock extends Block implements Held {
  readonly #output: Output;
  readonly #draft: Draft;
  #row: ToolRow | undefined;
  #item: Open | undefined;
  /** What its events are called. */
  #asking: string | undefined;
  #hasAsked = false;
  held?: string;

  constructor(output: Output, draft: Draft) {
    super();
    this.#output = output;
    this.#draft = draft;
    const row = output.rowOf(draft);
    if (row?.how === "json" || row?.how === "text") this.#open(row);
  }

  #open(row: ToolRow): void {
    const output = this.#output;
    const draft = this.#draft;
    const { made } = output.writing;
    const item = output.write([draft]);
    if (item === undefined) return;
    this.#row = row;
    this.#asking = ARGUMENTS[row.call];
    if (this.#asking !== undefined) item[row.asks] = "";
    this.#item = output.create(draft, item, made);
    this.#item.blocks.push(this);
  }

  #ask(piece: string): void {
    if (this.#item !== undefined && this.#asking !== undefined)
      this.#output.sayAsked(`${this.#asking}.delta`, this.#item, piece);
  }

  override add(delta: Delta): void {
    if (delta.kind === "tool_call_args") this.#grow(delta.payload.argsTextDelta);
    else if (delta.kind === "tool_call_end") {
      this.#grow(delta.payload.argsTextDelta ?? "");
      this.#end();
    } else if (delta.kind === "part") {
      if (this.#draft.part.type === "tool-call") this.#grow(argumentsText(this.#draft.part));
      this.#end();
    }
  }

  #grow(piece: string): void {
    const delta = wholeCharacters(this, piece);
    if (delta === "") return;
    this.#hasAsked = true;
    this.#ask(delta);
  }

  /** All of the call is known; one that the provider runs goes on until its result. */
  #end(): void {
    const output = this.#output;
    const draft = this.#draft;
    if (this.#item === undefined) {
      const row = output.rowOf(draft);
      if (row !== undefined) this.#open(row);
    }
    const item = this.#item;
    const row = this.#row;
    if (item === undefined || row === undefined || draft.part.type !== "tool-call") return;
    if (row.output === undefined) output.wait(draft.part.toolCallId, item);
    else output.finish(item, output.write([draft], item));
  }

  override close(whole?: JsonObject): void {
    const { held } = this;
    const row = this.#row;
    const item = this.#item;
    const draft = this.#draft;
    if (this.isClosed || row === undefined || item === undefined || draft.part.type !== "tool-call") return;
    this.isClosed = true;
    delete this.held;
    if (held !== undefined) this.#ask(held);
    const text = whole?.[row.asks];
    if (typeof text !== "string") return;
    // Nothing was asked, which is written as an empty object (B20).
    if (held === undefined && !this.#hasAsked && text !== "") this.#ask(text);
    const fields = { item_id: item.name, output_index: item.index, [row.asks]: text };
    if (this.#asking !== undefined) this.#output.say(`${this.#asking}.done`, fields);
  }
}
