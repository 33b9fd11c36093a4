// The steps of an AI SDK run as deltas: what the SDK's two streams have in common, whatever they call it. A step is an
// answer. Results of the client's tools come while it streams and are told behind it; its end is held until the next
// event, which may still say something about it.
import type { Delta, DonePayload, ErrorPayload, MessageFields, StartPayload, UsagePayload } from "../../model/delta.ts";
import { copyExtra, growExtra } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Annotation, Extra, Part, PartBase, ReasoningPart, Seal, ToolResultPart } from "../../model/parts.ts";
import { decodeOptions } from "./ai-sdk-options.ts";
import { plainObject, plainRest, textIn } from "./ai-sdk-plain.ts";
import { itemOf, joinReasoning } from "./ai-sdk-reasoning.ts";
import { decodeCitationList } from "./ai-sdk-sources.ts";
import type { CallFacts, CallHost, OpenCall } from "./ai-sdk-stream-calls.ts";
import { CallReader } from "./ai-sdk-stream-calls.ts";
import { copyField, isObject } from "./read.ts";
import { storeResidue } from "./residue.ts";
import { keepEvents, startDelta } from "./streams.ts";

/** A text or a piece of reasoning that is still growing. */
interface OpenText {
  kind: "text" | "thinking";
  key: string;
  /** What was said last of it to single providers. */
  options: JsonValue | undefined;
  extra: Extra | undefined;
  /** The piece of an OpenAI item that it is. */
  piece: number | undefined;
  /** Fields that nobody knows. */
  rest: JsonObject | undefined;
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
  #deltas: Delta[] = [];
  answers = 0;
  #keys = new Set<string>();
  #texts = new Map<string, OpenText>();
  /** The OpenAI item whose pieces are coming. */
  #item: { id: string; key: string; pieces: ReasoningPart[]; count: number; begun: number } | undefined;
  readonly #calls = new CallReader(this);
  /** Results of the client's tools, which are told behind the answer in the order of their calls (B25). */
  #results = new Map<string, { call: OpenCall; value: ToolResultPart }>();
  /** Results of a provider's tools, which may go on: the latest is told when something else begins. */
  readonly #growing = new Map<string, ToolResultPart>();
  #held: DonePayload | undefined;
  #events: JsonValue[] = [];
  /** The last part, if it is a text. */
  #lastText: string | undefined;

  constructor(dialect: string) {
    this.dialect = dialect;
  }

  /** The deltas since the last call. */
  take(): Delta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  say(delta: Delta): void {
    this.#deltas.push(delta);
  }

  /** Begins an answer, unless there is one; false where nothing can be said any more. */
  open(payload: Partial<StartPayload> = {}): boolean {
    if (this.state === "failed") return false;
    if (this.state === "open") return true;
    this.flush();
    this.#deltas.push(startDelta({ modelId: "", requestId: "", ...payload }));
    this.state = "open";
    this.answers++;
    this.hasContent = false;
    this.hasClientCalls = false;
    this.hasResults = false;
    this.#keys = new Set();
    this.#texts = new Map();
    this.#lastText = undefined;
    return true;
  }

  #keyOf(id: string): string {
    let key = id;
    for (let count = 2; this.#keys.has(key); count++) key = `${id} #${count}`;
    this.#keys.add(key);
    return key;
  }

  /** A part begins: what went before it is complete. */
  begin(id: string, isText = false): string {
    this.#closeItem();
    if (this.#growing.size > 0) this.#settleResults(false);
    const key = this.#keyOf(id);
    this.hasContent = true;
    this.#lastText = isText ? key : undefined;
    return key;
  }

  startText(kind: "text" | "thinking", wire: JsonObject, extra?: Extra, field?: string): OpenText | undefined {
    if (!this.open()) return undefined;
    const id = textIn(wire, "id");
    const options = wire["providerMetadata"];
    const earlier = this.#texts.get(kind + id);
    if (earlier !== undefined) this.#closeText(earlier, kind + id);
    const item = kind === "thinking" ? itemIn(options) : undefined;
    const text: OpenText = { kind, key: "", options, extra, piece: undefined, rest: undefined };
    if (item === undefined) text.key = this.begin(id, kind === "text");
    else if (this.#item?.id === item) {
      text.key = this.#item.key;
      text.piece = this.#item.count++;
      // Every piece is a summary now, also those that said nothing.
      while (this.#item.begun <= text.piece) this.#summarise(text.key, this.#item.begun++, "");
    } else {
      text.key = this.begin(id);
      this.#item = { id: item, key: text.key, pieces: [], count: 1, begun: 0 };
      text.piece = 0;
    }
    this.#texts.set(kind + id, text);
    if (text.piece === undefined || text.piece === 0) {
      const payload = { textDelta: "", part: text.key };
      this.#deltas.push({ kind, payload: extra === undefined ? payload : { ...payload, extra } });
    }
    // Whose pieces these are must be known before the first of them is written.
    if (text.piece === 0)
      for (const seal of sealsIn(options)) this.#deltas.push({ kind: "seal", payload: { seal, part: text.key } });
    learn(text, wire, field);
    return text;
  }

  #summarise(part: string, summary: number, textDelta: string): void {
    this.#deltas.push({ kind: "thinking", payload: { textDelta, summary, part } });
  }

  /** A piece of a text, which stands in the field `field`. */
  addText(kind: "text" | "thinking", wire: JsonObject, field: "text" | "delta"): void {
    const text = this.#texts.get(kind + textIn(wire, "id")) ?? this.startText(kind, wire, undefined, field);
    if (text === undefined || this.state !== "open") return;
    learn(text, wire, field);
    const textDelta = textIn(wire, field);
    const { key, piece } = text;
    if (piece === undefined) this.#deltas.push({ kind, payload: { textDelta, part: key } });
    else if (textDelta !== "") {
      if (this.#item?.key === key) this.#item.begun = Math.max(this.#item.begun, piece + 1);
      this.#summarise(key, piece, textDelta);
    }
  }

  /** The text has ended, and says what it rests on. */
  endText(kind: "text" | "thinking", wire: JsonObject): void {
    const name = kind + textIn(wire, "id");
    const text = this.#texts.get(name);
    if (text === undefined || this.state !== "open") return;
    const citations = kind === "text" ? decodeCitationList(wire["citations"]) : undefined;
    learn(text, wire, citations && "citations");
    this.#closeText(text, name);
    for (const annotation of citations ?? []) this.annotate(annotation, text.key);
  }

  #closeText(text: OpenText, name: string): void {
    this.#texts.delete(name);
    const carrier: PartBase = text.extra === undefined ? {} : { extra: copyExtra(text.extra) };
    storeResidue(carrier, this.dialect, text.rest && plainObject(text.rest));
    decodeOptions(carrier, text.options, false);
    if (text.piece !== undefined && this.#item?.key === text.key) {
      this.#item.pieces[text.piece] = { type: "reasoning", text: "", ...carrier };
    } else this.#beside(text.kind, text.key, carrier);
  }

  /** The pieces of an item are told of together: each may have said something else. */
  #closeItem(): void {
    const item = this.#item;
    if (item === undefined) return;
    for (const [name, text] of this.#texts) if (text.key === item.key) this.#closeText(text, name);
    this.#item = undefined;
    this.#beside("thinking", item.key, joinReasoning(item.pieces));
  }

  #beside(kind: "text" | "thinking", part: string, { extra, seals = [] }: PartBase): void {
    if (extra !== undefined) this.#deltas.push({ kind, payload: { textDelta: "", part, extra } });
    for (const seal of seals) this.#deltas.push({ kind: "seal", payload: { seal, part } });
  }

  /** Tells of an annotation of a text, by default the one that came last; false where none did. */
  annotate(annotation: Annotation, part: string | undefined = this.#lastText): boolean {
    if (part === undefined || this.state !== "open") return false;
    this.#deltas.push({ kind: "annotation", payload: { annotation, part } });
    return true;
  }

  /** A whole part. */
  add(value: Part): void {
    if (!this.open()) return;
    this.begin(value.type);
    this.#deltas.push({ kind: "part", payload: { value } });
  }

  startCall(id: string, facts: CallFacts): void {
    this.#calls.start(id, facts);
  }

  addInput(id: string, wire: JsonObject, field: "delta" | "inputTextDelta"): void {
    this.#calls.addInput(id, wire, field);
  }

  /** The input of a call is complete, as the SDK hands it on. */
  endCall(id: string, input: JsonValue | undefined, facts: CallFacts): void {
    this.#calls.end(id, input, facts);
  }

  /** What came back from a tool; false where no call of the run waits for it. */
  addResult(
    id: string,
    said: Pick<ToolResultPart, "isError" | "output" | "content" | "extra">,
    wire: JsonObject,
  ): boolean {
    const call = this.#calls.waiting(id);
    if (call === undefined || this.state === "failed") return false;
    const { toolCallId, toolName, isProvider } = call;
    const value: ToolResultPart = { type: "tool-result", toolCallId, toolName, ...said };
    if (isProvider) value.executor = "provider";
    decodeOptions(value, wire["providerMetadata"], false);
    storeResidue(value, this.dialect, plainRest(wire, RESULT));
    if (isProvider) {
      if (this.open()) this.#growing.set(id, value);
      return true;
    }
    this.#results.set(toolCallId, { call, value });
    const isPreliminary = wire["preliminary"] === true;
    if (!isPreliminary) call.isAnswered = true;
    if (!isPreliminary && this.state === "between") this.#tellResults();
    return true;
  }

  /** Tells the results of a provider's tools; those that say that they go on only where nothing more comes. */
  #settleResults(isEnd: boolean): void {
    for (const [id, value] of this.#growing) {
      if (!isEnd && value.extra?.[this.dialect]?.["preliminary"] === true) continue;
      this.#growing.delete(id);
      const call = this.#calls.waiting(id);
      if (call !== undefined) call.isAnswered = true;
      this.hasContent = true;
      this.#deltas.push({ kind: "part", payload: { value } });
    }
  }

  /** Tells what came back from the client's tools. Whatever is told is told for good. */
  #tellResults(): void {
    if (this.#results.size === 0) return;
    const results = [...this.#results.values()].toSorted((a, b) => a.call.order - b.call.order);
    this.#results = new Map();
    this.hasResults = true;
    for (const { call, value } of results) {
      call.isAnswered = true;
      this.#deltas.push({ kind: "part", payload: { value, role: "tool" } });
    }
  }

  /** An event that is no part of any answer, kept for whoever writes the stream again. */
  keepEvent(event: JsonObject): void {
    this.#events.push(event);
  }

  usage(payload: UsagePayload): void {
    if (this.open()) this.#deltas.push({ kind: "usage", payload });
  }

  #closeAll(): void {
    this.#closeItem();
    for (const [name, text] of this.#texts) this.#closeText(text, name);
    this.#settleResults(true);
  }

  /** The answer has ended; that is told with the next event, or with `flush`. */
  finish(payload: DonePayload): void {
    if (!this.open()) return;
    this.#closeAll();
    this.#held = payload;
    this.state = "held";
  }

  /** Adds to an end that is held. */
  amend(payload: Partial<DonePayload>): void {
    if (this.#held !== undefined) this.#held = { ...this.#held, ...payload };
  }

  amendExtra(extra: Extra): void {
    if (this.#held !== undefined) {
      this.#held = { ...this.#held, extra: growExtra(this.#held.extra && copyExtra(this.#held.extra), extra) };
    }
  }

  amendMessage(fields: MessageFields): void {
    if (this.#held !== undefined) this.#held = { ...this.#held, message: { ...this.#held.message, ...fields } };
  }

  flush(): void {
    if (this.#held !== undefined) {
      this.#deltas.push({ kind: "done", payload: this.#withEvents(this.#held) });
      this.#held = undefined;
      this.state = "between";
    }
    if (this.state === "between") this.#tellResults();
  }

  /** The end of an answer with the events that came in it and that nobody knows. */
  #withEvents<P extends DonePayload | ErrorPayload>(payload: P): P {
    const end = { ...payload };
    keepEvents(end, this.dialect, this.#events);
    this.#events = [];
    return end;
  }

  fail(payload: ErrorPayload): void {
    if (this.state === "held") this.flush();
    if (!this.open()) return;
    this.#closeAll();
    this.#deltas.push({ kind: "error", payload: this.#withEvents(payload) });
    this.state = "failed";
  }

  /** No more events come: an answer that is open fails for that reason, also one whose end was not `isTold` in full. */
  end(reason: Delta, isTold: boolean): void {
    if (this.state === "between") this.#tellResults();
    if (reason.kind !== "error" || this.state === "failed" || this.state === "between") return;
    if (this.state === "held" && (isTold || this.#results.size > 0)) {
      this.flush();
      // Results are for an answer that was still to come.
      if (isTold) return;
    } else if (this.state === "held") {
      this.#held = undefined;
      this.state = "open";
    }
    this.fail(reason.payload);
  }
}

/** What an event says of a text beside its words. The fields are few and the events many: no list of them is made. */
function learn(text: OpenText, wire: JsonObject, field?: string): void {
  for (const key in wire) {
    if (key === "type" || key === "id" || key === field || wire[key] === undefined) continue;
    if (key !== "providerMetadata") copyField(wire, key, (text.rest ??= {}));
    else if (isObject(wire[key])) text.options = wire[key];
  }
}

const RESULT: ReadonlySet<string> = new Set(
  (
    "type toolCallId toolName input output error errorText providerExecuted providerMetadata " +
    "toolMetadata dynamic title"
  ).split(" "),
);

function sealsIn(options: JsonValue | undefined): Seal[] {
  const carrier: PartBase = {};
  decodeOptions(carrier, options, false);
  return carrier.seals ?? [];
}

function itemIn(options: JsonValue | undefined): string | undefined {
  return itemOf({ seals: sealsIn(options) });
}
