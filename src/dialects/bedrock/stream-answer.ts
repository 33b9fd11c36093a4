// One answer of a stream while it arrives: its open blocks, and the facts about it that come with its start and its
// end. At the end they are read as those of an answer in one piece are (B80).
import type { Delta, ErrorPayload } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, Renames } from "../dialect.ts";
import { OpenBlocks } from "../kit/open-blocks.ts";
import { copyField, isObject } from "../kit/read.ts";
import { keepEvents, startDelta } from "../kit/streams.ts";
import { startReading } from "./decode-block.ts";
import type { Reading } from "./reading.ts";
import { readResponse, STOP } from "./response.ts";
import type { OpenBlock } from "./stream-block.ts";
import { HeldBlock, TextBlock, ThinkingBlock } from "./stream-block.ts";
import type { RunCalls } from "./stream-calls.ts";
import { CallBlock } from "./stream-calls.ts";

/** What fills up an event, so that its length tells nothing. */
export const PADDING = "p";

export class Answer {
  readonly #context: DecodeContext;
  readonly #reading: Reading;
  readonly #calls: RunCalls;
  readonly #fields: JsonObject = {};
  readonly #message: JsonObject = {};
  #usage: JsonObject | undefined;
  #isUsageSaid = true;
  readonly #blocks = new OpenBlocks<OpenBlock>();
  #opened = 0;
  /** What has been said of the end: how it ended, and what it cost. */
  isStopped = false;
  isCounted = false;

  constructor(context: DecodeContext, calls: RunCalls, names: Renames | undefined) {
    this.#context = context;
    this.#calls = calls;
    this.#reading = startReading(context, names, calls.taken);
  }

  start(message: JsonObject): Delta[] {
    take(message, this.#message, "content");
    const { extra } = this.#read().message;
    const delta = startDelta({ modelId: "", requestId: "", ...(extra && { message: { extra } }) });
    return [delta];
  }

  /** Takes over facts about the answer; what comes later wins. */
  learn(facts: JsonObject): Delta[] {
    const { usage, output } = facts;
    take(facts, this.#fields, "output", isObject(usage) ? "usage" : "");
    if (isObject(usage)) {
      this.#usage ??= {};
      take(usage, this.#usage);
      this.#isUsageSaid = false;
    }
    if (output === undefined) return this.#usageDeltas();
    const { message } = isObject(output) ? output : {};
    if (isObject(message)) take(message, this.#message, "content");
    if (isObject(output)) {
      const { output: before } = this.#fields;
      const kept: JsonObject = isObject(before) ? before : {};
      take(output, kept, "message");
      if (Object.keys(kept).length > 0) this.#fields["output"] = kept;
    }
    return this.#usageDeltas();
  }

  /** The facts so far, read as those of an answer in one piece are. */
  #read(): ModelResponse {
    const wire = copyObject(this.#fields);
    const output = isObject(wire["output"]) ? copyObject(wire["output"]) : {};
    output["message"] = { ...this.#message, content: [] };
    wire["output"] = output;
    if (this.#usage !== undefined) wire["usage"] = copyObject(this.#usage);
    return readResponse(wire, startReading(this.#context));
  }

  /** The counts, where there is news of them (B67). */
  #usageDeltas(): Delta[] {
    const usage = this.#isUsageSaid ? undefined : this.#read().usage;
    this.#isUsageSaid = true;
    return usage === undefined ? [] : [{ kind: "usage", payload: { ...usage } }];
  }

  block(index: unknown): OpenBlock | undefined {
    return this.#blocks.get(index);
  }

  /** Opens a block of a kind; one that still has its index is over (B76). */
  open(index: unknown, kind: OpenBlock["kind"], start: JsonObject): Delta[] {
    const deltas = this.#blocks.makeRoom(index);
    const block = this.#make(kind, start, this.#opened++);
    this.#blocks.add(index, block);
    if (block instanceof CallBlock) deltas.push(...block.open());
    return deltas;
  }

  #make(kind: OpenBlock["kind"], start: JsonObject, key: number): OpenBlock {
    switch (kind) {
      case "text":
        return new TextBlock(key, this.#reading);
      case "thinking":
        return new ThinkingBlock(key, this.#reading);
      case "call":
        return new CallBlock(start, key, this.#reading, this.#calls);
      case "held":
        return new HeldBlock(start, key, this.#reading, this.#calls);
    }
  }

  close(index: unknown): Delta[] {
    return this.#blocks.close(index);
  }

  finish(events: readonly JsonObject[]): Delta[] {
    const { finishReason, ...response } = this.#read();
    const { unified, raw } = finishReason;
    const deltas = this.#blocks.finish(finishReason);
    keepEvents(response, this.#context.dialect, events);
    const { extra, message } = response;
    deltas.push({
      kind: "done",
      payload: {
        finishReason: unified,
        ...(raw !== undefined && { raw }),
        ...(extra !== undefined && { extra }),
        ...(message.extra !== undefined && { message: { extra: message.extra } satisfies Partial<Message> }),
      },
    });
    return deltas;
  }

  /** Ends an answer that failed; what has come of it stays (B90). */
  fail(reason: Delta, events: readonly JsonObject[]): Delta[] {
    const response = this.#read();
    const deltas = this.#blocks.abandon();
    if (reason.kind !== "error") return [...deltas, reason];
    keepEvents(response, this.#context.dialect, events);
    const payload: ErrorPayload = { ...reason.payload };
    if (response.extra !== undefined) payload.extra = response.extra;
    if (typeof this.#fields[STOP] === "string") payload.finish = response.finishReason;
    return [...deltas, { kind: "error", payload }];
  }
}

function take(from: JsonObject, to: JsonObject, ...others: readonly string[]): void {
  for (const key of Object.keys(from)) {
    if (key !== PADDING && !others.includes(key) && from[key] !== undefined) copyField(from, key, to);
  }
}
