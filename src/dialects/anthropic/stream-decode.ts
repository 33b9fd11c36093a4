// Streams as they are read: events of the protocol to deltas, in whatever order they come.
import { disassemble } from "../../assembly/disassemble.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder, Renames } from "../dialect.ts";
import { copyField, isObject, readObject, unknownFields } from "../kit/read.ts";
import { RunCalls } from "../kit/stream-calls.ts";
import { errorDelta, startDelta, truncated } from "../kit/streams.ts";
import { readError } from "./errors.ts";
import { decodeFailure } from "./failure.ts";
import { Answer, isBlocks } from "./stream-answer.ts";
import { isBare } from "./stream-block.ts";

export function streamDecoder(context: DecodeContext, { names }: DecodeReplyOptions): EventDecoder {
  return new MessageDecoder(context, names);
}

/** What a message says once, at its start: not for its end to say. */
const STARTED: readonly string[] = ["id", "model", "type", "role", "content"];

const STARTING: ReadonlySet<string> = new Set(["type", "index", "content_block"]);
const STOPPING: ReadonlySet<string> = new Set(["type", "index"]);

/** Blocks that a delta may begin where their start is missing. */
const BEGUN: ReadonlyMap<unknown, JsonObject> = new Map<unknown, JsonObject>([
  ["text_delta", { type: "text", text: "" }],
  ["citations_delta", { type: "text", text: "" }],
  ["thinking_delta", { type: "thinking", thinking: "" }],
  ["signature_delta", { type: "thinking", thinking: "" }],
]);
const KNOWN_DELTAS: ReadonlySet<unknown> = new Set([...BEGUN.keys(), "input_json_delta", "compaction_delta"]);

class MessageDecoder implements EventDecoder {
  readonly #context: DecodeContext;
  readonly #names: Renames | undefined;
  readonly #calls = new RunCalls();
  #answer: Answer | undefined;
  /** Whether an answer has come to its end. */
  #hasEnded = false;
  #events: JsonObject[] = [];

  constructor(context: DecodeContext, names: Renames | undefined) {
    this.#context = context;
    this.#names = names;
  }

  push(data: unknown, event: string | undefined): Delta[] {
    if (data === "[DONE]") return this.#answer?.hasStopReason === true ? this.#finish(this.#answer) : [];
    const wire = readObject(data, this.#context);
    const { type } = wire;
    // What an event is stands in its data; the name beside it may be missing (B70).
    switch (typeof type === "string" ? type : "") {
      case "content_block_delta":
        return this.#fill(wire);
      case "content_block_start":
        return this.#open(wire);
      case "content_block_stop":
        return this.#close(wire);
      case "message_start":
        return this.#start(wire);
      case "message_delta":
        return this.#learn(wire);
      case "message_stop":
        return this.#stop(wire);
      case "ping":
        return [];
      default:
        return this.#readOther(wire, event);
    }
  }

  /** What is no event of the protocol: a whole answer in place of a stream (B74), an error, or nothing known (B43). */
  #readOther(wire: JsonObject, event: string | undefined): Delta[] {
    const { type, error, content } = wire;
    if (type === "message" && this.#answer === undefined && isBlocks(content)) {
      this.#answer = this.#make(wire);
      return [...this.#answer.start(wire), ...this.#finish(this.#answer)];
    }
    if (type === "error" || event === "error" || (type === undefined && isObject(error))) return this.#fault(wire);
    this.#events.push(wire);
    return [];
  }

  /** Nearly every event is a piece of text, and says nothing else. */
  #fill(wire: JsonObject): Delta[] {
    const { delta, index } = wire;
    const block = this.#answer?.block(index);
    if (!isObject(delta)) {
      this.#events.push(wire);
      return [];
    }
    if (delta["type"] === "text_delta" && block?.kind === "text") {
      const { text } = delta;
      if (typeof text === "string" && isBare(wire, delta)) {
        return [{ kind: "text", payload: { textDelta: text, part: block.key } }];
      }
    }
    return this.#fillWith(delta, wire);
  }

  #fillWith(delta: JsonObject, wire: JsonObject): Delta[] {
    const { index } = wire;
    const block = this.#answer?.block(index);
    const said = block?.add(delta, wire);
    if (said !== undefined) return said;
    if (block !== undefined && !KNOWN_DELTAS.has(delta["type"])) {
      block.keep(wire);
      return [];
    }
    // No block has its index, or one of another kind (B76): it begins one of its own.
    const begun = BEGUN.get(delta["type"]);
    if (begun === undefined) {
      this.#events.push(wire);
      return [];
    }
    const [deltas, answer] = this.#begin();
    for (const each of answer.open(index, begun)) deltas.push(each);
    const rest = answer.block(index)?.add(delta, wire);
    if (rest === undefined) this.#events.push(wire);
    else for (const each of rest) deltas.push(each);
    return deltas;
  }

  /** The answer in hand; one that lacks its start begins here. */
  #begin(): [Delta[], Answer] {
    if (this.#answer !== undefined) return [[], this.#answer];
    this.#answer = this.#make({});
    return [this.#answer.start({}), this.#answer];
  }

  #make(message: JsonObject): Answer {
    return new Answer(message, this.#context, this.#calls, this.#names);
  }

  #start(wire: JsonObject): Delta[] {
    const { message } = wire;
    const facts = isObject(message) ? message : {};
    const answer = this.#answer;
    const deltas: Delta[] = [];
    if (answer !== undefined) {
      // The same message once more is no news; another one means that this one is not going to end.
      if (answer.id === facts["id"]) {
        answer.learn(facts, "content");
        return answer.usageDeltas();
      }
      deltas.push(...this.#fail(truncated()));
    }
    if (!isObject(message) || (facts["content"] !== undefined && !isBlocks(facts["content"]))) this.#events.push(wire);
    this.#answer = this.#make(facts);
    this.#learnFrom(wire, this.#answer);
    deltas.push(...this.#answer.start(facts));
    return deltas;
  }

  #open(wire: JsonObject): Delta[] {
    const { index, content_block: block } = wire;
    if (!isObject(block)) {
      this.#events.push(wire);
      return [];
    }
    const [deltas, answer] = this.#begin();
    // What stands beside a block is kept with it.
    const beside = unknownFields(wire, STARTING);
    if (beside !== undefined) for (const key of Object.keys(block)) copyField(block, key, beside);
    const opened = beside ?? block;
    for (const delta of answer.open(index, opened)) deltas.push(delta);
    return deltas;
  }

  #close(wire: JsonObject): Delta[] {
    if (unknownFields(wire, STOPPING) !== undefined) this.#events.push(wire);
    return this.#answer?.close(wire["index"]) ?? [];
  }

  /** Facts that are known at the end: why it stopped, what it cost. */
  #learn(wire: JsonObject): Delta[] {
    // What comes after the end belongs to nothing.
    if (this.#answer === undefined && this.#hasEnded) return [];
    const [deltas, answer] = this.#begin();
    this.#learnFrom(wire, answer);
    deltas.push(...answer.usageDeltas());
    return deltas;
  }

  /** What an event says of the message; what is not for it to say is kept as it came. */
  #learnFrom(wire: JsonObject, answer: Answer): void {
    const { delta } = wire;
    let isOdd = delta !== undefined && !isObject(delta);
    if (isObject(delta)) {
      answer.learn(delta, ...STARTED, "usage");
      isOdd = STARTED.some((field) => Object.hasOwn(delta, field)) || delta["usage"] !== undefined;
    }
    answer.learn(wire, ...STARTED, "message", "delta");
    if (isOdd || STARTED.some((field) => field !== "type" && Object.hasOwn(wire, field))) this.#events.push(wire);
  }

  #stop(wire: JsonObject): Delta[] {
    if (this.#answer === undefined && this.#hasEnded) return [];
    const [deltas, answer] = this.#begin();
    this.#learnFrom(wire, answer);
    return [...deltas, ...this.#finish(answer)];
  }

  #finish(answer: Answer): Delta[] {
    const deltas = answer.finish(this.#events);
    this.#settle();
    return deltas;
  }

  /** An error event, also in the midst of an answer (B72); alone it is an answer that failed. */
  #fault(wire: JsonObject): Delta[] {
    const { type, error } = wire;
    const isAlone = this.#answer === undefined && this.#events.length === 0;
    if (!isAlone || type !== "error" || !isObject(error)) return this.#fail(errorDelta(readError(wire)));
    this.#settle();
    return disassemble(decodeFailure(wire, error, this.#context.dialect));
  }

  /** Ends the answer in hand with an error; where there is none, one that says nothing else. */
  #fail(reason: Delta): Delta[] {
    const [deltas, answer] = this.#begin();
    deltas.push(...answer.fail(reason, this.#events));
    this.#settle();
    return deltas;
  }

  #settle(): void {
    this.#answer = undefined;
    this.#hasEnded = true;
    this.#events = [];
  }

  end(reason: Delta = truncated()): Delta[] {
    if (this.#answer !== undefined) return this.#fail(reason);
    const wasEmpty = !this.#hasEnded;
    // A body that is no event is an error of whoever stands between.
    const [only, ...others] = this.#events;
    if (wasEmpty && only !== undefined) {
      if (others.length > 0 || only["type"] !== undefined) return this.#fail(reason);
      this.#events = [];
      return this.#fault(only);
    }
    this.#hasEnded = true;
    return wasEmpty ? [startDelta({ modelId: "", requestId: "" }), reason] : [];
  }
}
