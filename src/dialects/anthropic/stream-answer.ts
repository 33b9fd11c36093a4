// One answer of a stream while it arrives: its open blocks, and the facts about it that come with its start and its
// end. At the end they are read as those of an answer in one piece are (B80).
import type { Delta, ErrorPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { Usage } from "../../model/usage.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { OpenBlocks } from "../kit/open-blocks.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import { keepEvents, startDelta } from "../kit/streams.ts";
import { startReading } from "./decode-block.ts";
import type { Reading } from "./reading.ts";
import { decodeResponse } from "./response.ts";
import type { OpenBlock } from "./stream-block.ts";
import { TextBlock, ThinkingBlock } from "./stream-block.ts";
import { CallBlock } from "./stream-call.ts";
import { HeldBlock, HeldCall } from "./stream-held.ts";
import { PROVIDER_CALLS } from "./terms.ts";

/** What is known of the end, and only then. */
const ENDING: ReadonlySet<string> = new Set(["stop_reason", "stop_sequence", "stop_details"]);

/** What is known of the start, and only then. */
const FRAME = ["id", "model", "type", "role"] as const;

export class Answer {
  readonly #context: DecodeContext;
  readonly #reading: Reading;
  readonly #calls: RunCalls;
  readonly #fields: JsonObject = {};
  #usage: JsonObject | undefined;
  #isUsageSaid = true;
  readonly #blocks = new OpenBlocks<OpenBlock>();
  #opened = 0;

  constructor(message: JsonObject, context: DecodeContext, calls: RunCalls, names: Renames | undefined) {
    const { id } = message;
    this.#context = context;
    this.#calls = calls;
    this.#reading = startReading(context, typeof id === "string" ? id : "", names);
  }

  get id(): JsonValue | undefined {
    return this.#fields["id"];
  }

  /** Whether the stream has said how the answer ended. */
  get hasStopReason(): boolean {
    return typeof this.#fields["stop_reason"] === "string";
  }

  /** Begins with what is known of the message; a whole message may stand there. */
  start(message: JsonObject): Delta[] {
    const { content } = message;
    this.learn(message, "content");
    const known = this.#read((field) => !ENDING.has(field));
    const { model: modelId, id: requestId, usage } = known;
    const frame = this.#settled(known.extra);
    const form = readForm(known, this.#context.dialect);
    for (const field of FRAME)
      if (form[field] !== undefined) storeForm(frame, this.#context.dialect, field, form[field]);
    const deltas: Delta[] = [startDelta({ modelId, requestId, ...frame })];
    if (usage !== undefined) {
      const { extra, ...counts } = usage;
      deltas.push({ kind: "usage", payload: { ...counts, ...this.#settled(extra) } });
      this.#isUsageSaid = extra === undefined;
    }
    if (!isBlocks(content)) return deltas;
    for (const [index, block] of content.entries()) deltas.push(...this.open(index, block), ...this.close(index));
    return deltas;
  }

  /** The residue that the end will not take back: how things were spelled, and what was nothing, may still change. */
  #settled(extra: Extra | undefined): { extra?: Extra } {
    const residue = extra?.[this.#context.dialect];
    const kept: JsonObject = {};
    for (const key in residue) if (key !== "$form" && residue[key] !== null) copyField(residue, key, kept);
    return Object.keys(kept).length > 0 ? { extra: { [this.#context.dialect]: kept } } : {};
  }

  /** Takes over facts about the message. What comes later wins, but nothing is no news (B65). */
  learn(facts: JsonObject, ...taken: readonly string[]): void {
    for (const key in facts) {
      if (taken.includes(key)) continue;
      if (key === "usage" && isObject(facts[key])) this.#count(facts[key]);
      else merge(facts, key, this.#fields);
    }
  }

  #count(usage: JsonObject): void {
    this.#usage ??= {};
    for (const key in usage) merge(usage, key, this.#usage);
    this.#isUsageSaid = false;
  }

  /** The facts so far, read as those of an answer in one piece are. */
  #read(isMeant: (field: string) => boolean = () => true): ModelResponse {
    const wire = copyObject(this.#fields);
    for (const field of Object.keys(wire)) if (!isMeant(field)) delete wire[field];
    if (this.#usage !== undefined) wire["usage"] = copyObject(this.#usage);
    wire["content"] = [];
    return decodeResponse(wire, this.#context, {});
  }

  /** The counts, where there is news of them (B67). */
  usageDeltas(usage: Usage | undefined = this.#isUsageSaid ? undefined : this.#read().usage): Delta[] {
    if (this.#isUsageSaid || usage === undefined) return [];
    this.#isUsageSaid = true;
    return [{ kind: "usage", payload: { ...usage } }];
  }

  block(index: unknown): OpenBlock | undefined {
    return this.#blocks.get(index);
  }

  /** Opens a block; one that still has its index is over (B76). */
  open(index: unknown, wire: JsonObject): Delta[] {
    const deltas = this.#blocks.makeRoom(index);
    const block = this.#make(wire, this.#opened++);
    this.#blocks.add(index, block);
    for (const delta of block.open()) deltas.push(delta);
    return deltas;
  }

  #make(wire: JsonObject, key: number): OpenBlock {
    const { type, text, thinking, name, cache_control: cache } = wire;
    const isPlain = cache === undefined;
    if (isPlain && type === "text" && isText(text)) return new TextBlock(wire, key, this.#reading);
    if (isPlain && type === "thinking" && isText(thinking)) return new ThinkingBlock(wire, key, this.#reading);
    const isNamed = typeof name === "string" && (type === "tool_use" || PROVIDER_CALLS.has(type));
    const Block = !isNamed ? HeldBlock : isPlain ? CallBlock : HeldCall;
    return new Block(wire, key, this.#reading, this.#calls);
  }

  close(index: unknown): Delta[] {
    return this.#blocks.close(index);
  }

  finish(events: readonly JsonObject[]): Delta[] {
    const response = this.#read();
    const { unified, raw } = response.finishReason;
    const deltas = [...this.#blocks.finish(response.finishReason), ...this.usageDeltas(response.usage)];
    keepEvents(response, this.#context.dialect, events);
    const { extra } = response;
    deltas.push({
      kind: "done",
      payload: {
        finishReason: unified,
        ...(raw !== undefined && { raw }),
        ...(extra !== undefined && { extra }),
      },
    });
    return deltas;
  }

  /** Ends an answer that failed; what has come of it stays (B90). */
  fail(reason: Delta, events: readonly JsonObject[]): Delta[] {
    const response = this.#read();
    const deltas = [...this.#blocks.abandon(), ...this.usageDeltas(response.usage)];
    if (reason.kind !== "error") return [...deltas, reason];
    keepEvents(response, this.#context.dialect, events);
    const payload: ErrorPayload = { ...reason.payload };
    if (response.extra !== undefined) payload.extra = response.extra;
    if (this.hasStopReason) payload.finish = response.finishReason;
    return [...deltas, { kind: "error", payload }];
  }
}

/** Whether the content of a message can be read. */
export function isBlocks(content: unknown): content is JsonObject[] {
  return Array.isArray(content) && content.every(isObject);
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function merge(from: JsonObject, key: string, to: JsonObject): void {
  if (from[key] !== undefined && (from[key] !== null || !Object.hasOwn(to, key))) copyField(from, key, to);
}
