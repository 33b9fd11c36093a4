// The steps of an AI SDK run as deltas: what the SDK's two streams have in common, whatever they call it. A step is an
// answer. Results of the client's tools come while it streams and are told behind it; its end is held until the next
// event, which may still say something about it.
import type { Delta, DonePayload, ErrorPayload, MessageFields, StartPayload, UsagePayload } from "../../model/delta.ts";
import { copyExtra } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, Extra, Part, PartBase, ReasoningPart, Seal, ToolResultPart } from "../../model/parts.ts";
import { decodeOptions } from "./ai-sdk-options.ts";
import { itemOf, joinReasoning } from "./ai-sdk-reasoning.ts";
import type { CallFacts, CallHost } from "./ai-sdk-stream-calls.ts";
import { CallReader } from "./ai-sdk-stream-calls.ts";
import { copyField, isObject } from "./read.ts";
import { keepFields } from "./residue.ts";
import { startDelta } from "./streams.ts";

/** A text or a piece of reasoning that is still growing. */
interface OpenText {
  kind: "text" | "thinking";
  key: string;
  /** What was said last of it to single providers. */
  options: JsonValue | undefined;
  extra: Extra | undefined;
  /** The piece of an OpenAI item that it is. */
  piece: number | undefined;
}

export class StepReader implements CallHost {
  /** Nothing yet; within an answer; its end is held; between two; nothing more to say. */
  state: "new" | "open" | "held" | "between" | "failed" = "new";
  /** Whether the answer in hand has a part, and whether it asks the client for something. */
  hasContent = false;
  hasClientCalls = false;
  /** Whether results stand between the last answer and what comes next. */
  hasResults = false;
  readonly dialect: string;
  private deltas: Delta[] = [];
  answers = 0;
  private keys = new Set<string>();
  private texts = new Map<string, OpenText>();
  /** The OpenAI item whose pieces are coming. */
  private item: { id: string; key: string; pieces: ReasoningPart[]; count: number; begun: number } | undefined;
  private readonly calls = new CallReader(this);
  /** Results of the client's tools, which are told behind the answer in the order of their calls (B25). */
  private results = new Map<string, { order: number; value: ToolResultPart }>();
  /** The latest state of results that a provider's tool goes on with. */
  private readonly preliminary = new Map<string, ToolResultPart>();
  private held: DonePayload | undefined;
  private events: JsonValue[] = [];
  /** The last part, if it is a text. */
  private lastText: string | undefined;

  constructor(dialect: string) {
    this.dialect = dialect;
  }

  /** The deltas since the last call. */
  take(): Delta[] {
    const { deltas } = this;
    this.deltas = [];
    return deltas;
  }

  say(delta: Delta): void {
    this.deltas.push(delta);
  }

  /** Begins an answer, unless there is one; false where nothing can be said any more. */
  open(payload: Partial<StartPayload> = {}): boolean {
    if (this.state === "failed") return false;
    if (this.state === "open") return true;
    this.flush();
    this.deltas.push(startDelta({ modelId: "", requestId: "", ...payload }));
    this.state = "open";
    this.answers++;
    this.hasContent = false;
    this.hasClientCalls = false;
    this.hasResults = false;
    this.keys = new Set();
    this.texts = new Map();
    this.lastText = undefined;
    return true;
  }

  private keyOf(id: string): string {
    let key = id;
    for (let count = 2; this.keys.has(key); count++) key = `${id} #${count}`;
    this.keys.add(key);
    return key;
  }

  /** A part begins: what went before it is complete. */
  begin(id: string, isText = false): string {
    this.closeItem();
    const key = this.keyOf(id);
    this.hasContent = true;
    this.lastText = isText ? key : undefined;
    return key;
  }

  startText(
    kind: "text" | "thinking",
    id: string,
    options: JsonValue | undefined,
    extra?: Extra,
  ): OpenText | undefined {
    if (!this.open()) return undefined;
    const earlier = this.texts.get(kind + id);
    if (earlier !== undefined) this.closeText(earlier, kind + id);
    const item = kind === "thinking" ? itemIn(options) : undefined;
    const text: OpenText = { kind, key: "", options, extra, piece: undefined };
    if (item === undefined) text.key = this.begin(id, kind === "text");
    else if (this.item?.id === item) {
      text.key = this.item.key;
      text.piece = this.item.count++;
      // Every piece is a summary now, also those that said nothing.
      while (this.item.begun <= text.piece) this.summarise(text.key, this.item.begun++, "");
    } else {
      text.key = this.begin(id);
      this.item = { id: item, key: text.key, pieces: [], count: 1, begun: 0 };
      text.piece = 0;
    }
    this.texts.set(kind + id, text);
    if (text.piece === undefined || text.piece === 0) {
      const payload = { textDelta: "", part: text.key };
      this.deltas.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    }
    // Whose pieces these are must be known before the first of them is written.
    if (text.piece === 0)
      for (const seal of sealsIn(options)) this.deltas.push({ kind: "seal", payload: { seal, part: text.key } });
    return text;
  }

  private summarise(part: string, summary: number, textDelta: string): void {
    this.deltas.push({ kind: "thinking", payload: { textDelta, summary, part } });
  }

  addText(kind: "text" | "thinking", id: string, textDelta: string, options: JsonValue | undefined): void {
    const text = this.texts.get(kind + id) ?? this.startText(kind, id, options);
    if (text === undefined || this.state !== "open") return;
    if (isObject(options)) text.options = options;
    const { key, piece } = text;
    if (piece === undefined) this.deltas.push({ kind, payload: { textDelta, part: key } });
    else if (textDelta !== "") {
      if (this.item?.key === key) this.item.begun = Math.max(this.item.begun, piece + 1);
      this.summarise(key, piece, textDelta);
    }
  }

  /** The key of the text that has ended, for what is still to be said of it. */
  endText(kind: "text" | "thinking", id: string, options: JsonValue | undefined): string | undefined {
    const text = this.texts.get(kind + id);
    if (text === undefined || this.state !== "open") return undefined;
    if (isObject(options)) text.options = options;
    this.closeText(text, kind + id);
    return text.key;
  }

  private closeText(text: OpenText, name: string): void {
    this.texts.delete(name);
    const carrier: PartBase = text.extra === undefined ? {} : { extra: copyExtra(text.extra) };
    decodeOptions(carrier, text.options, false);
    if (text.piece !== undefined && this.item?.key === text.key) {
      this.item.pieces[text.piece] = { type: "reasoning", text: "", ...carrier };
    } else this.beside(text.kind, text.key, carrier);
  }

  /** The pieces of an item are told of together: each may have said something else. */
  private closeItem(): void {
    const { item } = this;
    if (item === undefined) return;
    for (const [name, text] of this.texts) if (text.key === item.key) this.closeText(text, name);
    this.item = undefined;
    this.beside("thinking", item.key, joinReasoning(item.pieces));
  }

  private beside(kind: "text" | "thinking", part: string, { extra, seals = [] }: PartBase): void {
    if (extra !== undefined) this.deltas.push({ kind, payload: { textDelta: "", part, extra } });
    for (const seal of seals) this.deltas.push({ kind: "seal", payload: { seal, part } });
  }

  /** Tells of an annotation of a text, by default the one that came last; false where none did. */
  annotate(annotation: Annotation, part: string | undefined = this.lastText): boolean {
    if (part === undefined || this.state !== "open") return false;
    this.deltas.push({ kind: "annotation", payload: { annotation, part } });
    return true;
  }

  keepOnText(part: string, extra: Extra): void {
    this.deltas.push({ kind: "text", payload: { textDelta: "", part, extra } });
  }

  /** A whole part. */
  add(value: Part): void {
    if (!this.open()) return;
    this.begin(value.type);
    this.deltas.push({ kind: "part", payload: { value } });
  }

  startCall(id: string, facts: CallFacts): void {
    this.calls.start(id, facts);
  }

  addInput(id: string, text: string): void {
    this.calls.addInput(id, text);
  }

  /** The input of a call is complete, as the SDK hands it on. */
  endCall(id: string, input: JsonValue | undefined, facts: CallFacts): void {
    this.calls.end(id, input, facts);
  }

  /** What came back from a tool; false where no call of the run waits for it. */
  addResult(
    id: string,
    said: Pick<ToolResultPart, "isError" | "output" | "content" | "extra">,
    options: JsonValue | undefined,
    isPreliminary = false,
  ): boolean {
    const call = this.calls.waiting(id);
    if (call === undefined || this.state === "failed") return false;
    const { toolCallId, toolName, isProvider, order } = call;
    const value: ToolResultPart = { type: "tool-result", toolCallId, toolName, ...said };
    if (isProvider) value.executor = "provider";
    decodeOptions(value, options, false);
    if (isPreliminary) {
      keepFields(value, this.dialect, { preliminary: true });
      if (isProvider) this.preliminary.set(toolCallId, value);
      else this.results.set(toolCallId, { order, value });
      return true;
    }
    call.isAnswered = true;
    this.preliminary.delete(toolCallId);
    if (isProvider) this.add(value);
    else if (this.state === "between") this.tellResult(value);
    else this.results.set(toolCallId, { order, value });
    return true;
  }

  private tellResult(value: ToolResultPart): void {
    this.hasResults = true;
    this.deltas.push({ kind: "part", payload: { value, role: "tool" } });
  }

  /** An event that is no part of any answer, kept for whoever writes the stream again. */
  keepEvent(event: JsonObject): void {
    this.events.push(event);
  }

  usage(payload: UsagePayload): void {
    if (this.open()) this.deltas.push({ kind: "usage", payload });
  }

  private closeAll(): void {
    this.closeItem();
    for (const [name, text] of this.texts) this.closeText(text, name);
    for (const value of this.preliminary.values()) this.add(value);
    this.preliminary.clear();
  }

  /** The answer has ended; that is told with the next event, or with `flush`. */
  finish(payload: DonePayload): void {
    if (!this.open()) return;
    this.closeAll();
    this.held = payload;
    this.state = "held";
  }

  /** Adds to an end that is held. */
  amend(payload: Partial<DonePayload>): void {
    if (this.held !== undefined) this.held = { ...this.held, ...payload };
  }

  amendMessage(fields: MessageFields): void {
    if (this.held !== undefined) this.held = { ...this.held, message: { ...this.held.message, ...fields } };
  }

  flush(): void {
    if (this.held === undefined) return;
    const payload = this.held;
    this.held = undefined;
    this.deltas.push({ kind: "done", payload: this.withEvents(payload) });
    this.state = "between";
    const results = [...this.results.values()].toSorted((a, b) => a.order - b.order);
    for (const { value } of results) this.tellResult(value);
    this.results = new Map();
  }

  private withEvents<P extends DonePayload | ErrorPayload>(payload: P): P {
    if (this.events.length === 0) return payload;
    const { [this.dialect]: own = {}, ...others } = payload.extra ?? {};
    const extra: Extra = { ...others, [this.dialect]: { ...own, $events: this.events } };
    this.events = [];
    return { ...payload, extra };
  }

  fail(payload: ErrorPayload): void {
    if (this.state === "held") this.flush();
    if (!this.open()) return;
    this.closeAll();
    this.deltas.push({ kind: "error", payload: this.withEvents(payload) });
    this.state = "failed";
  }

  /** No more events come: an answer that is open fails for that reason, also one whose end was not `isTold` in full. */
  end(reason: Delta, isTold: boolean): void {
    if (reason.kind !== "error" || this.state === "failed" || this.state === "between") return;
    if (this.state === "held" && (isTold || this.results.size > 0)) {
      this.flush();
      // Results are for an answer that was still to come.
      if (isTold) return;
    } else if (this.state === "held") {
      this.held = undefined;
      this.state = "open";
    }
    this.fail(reason.payload);
  }
}

function sealsIn(options: JsonValue | undefined): Seal[] {
  const carrier: PartBase = {};
  decodeOptions(carrier, options, false);
  return carrier.seals ?? [];
}

function itemIn(options: JsonValue | undefined): string | undefined {
  return itemOf({ seals: sealsIn(options) });
}

/** A field of an event that must be a text; events from outside may lack it. */
export function textIn(wire: JsonObject, field: string): string {
  const value = wire[field];
  return typeof value === "string" ? value : "";
}

/** An event without what is undefined: in memory, the SDK's events have such fields. */
export function withoutGaps(wire: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(wire)) if (wire[key] !== undefined) copyField(wire, key, copy);
  return copy;
}
