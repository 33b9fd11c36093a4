// Streams as they are read: events of the protocol to deltas, in whatever order they come. How an answer ended comes
// before what it cost, so that it is over with the second, or when nothing more comes.
import { disassemble } from "../../assembly/disassemble.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EventDecoder, Renames } from "../dialect.ts";
import { copyField, isObject, readObject, unknownFields } from "../kit/read.ts";
import { errorDelta, startDelta, truncated } from "../kit/streams.ts";
import { startReading } from "./decode-block.ts";
import { DialectError } from "../errors.ts";
import { exceptionIn, isOurs, readError } from "./errors.ts";
import { decodeFailure } from "./failure.ts";
import { hasOnly } from "./fields.ts";
import { readResponse } from "./response.ts";
import { Answer, PADDING } from "./stream-answer.ts";
import type { OpenBlock } from "./stream-block.ts";
import { RunCalls } from "./stream-calls.ts";

export function streamDecoder(context: DecodeContext, { names }: DecodeReplyOptions): EventDecoder {
  return new ConverseDecoder(context, names);
}

const NAMES = [
  "contentBlockDelta",
  "contentBlockStart",
  "contentBlockStop",
  "messageStart",
  "messageStop",
  "metadata",
] as const;
type Name = (typeof NAMES)[number];
const INDEX = "contentBlockIndex";

/** What kind of block each field of a delta is for. */
const KINDS: ReadonlyMap<string, OpenBlock["kind"]> = new Map<string, OpenBlock["kind"]>([
  ["text", "text"],
  ["citation", "text"],
  ["reasoningContent", "thinking"],
  ["toolUse", "call"],
  ["toolResult", "held"],
  ["image", "held"],
]);
const OF_DELTA: ReadonlySet<string> = new Set(["delta", INDEX, PADDING]);
const OF_STOP: ReadonlySet<string> = new Set([INDEX, PADDING]);
const OF_START: ReadonlySet<string> = new Set(["start", INDEX, PADDING]);

class ConverseDecoder implements EventDecoder {
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
    if (data === "[DONE]") return this.#answer?.isStopped === true ? this.#finish(this.#answer) : [];
    const wire = readObject(data, this.#context);
    const { contentBlockDelta } = wire;
    if (isObject(contentBlockDelta) && hasOnly(wire, 1)) return this.#fill(contentBlockDelta);
    // The name of an event may stand beside its data instead of around it.
    const beside = NAMES.find((name) => name === event && wire[name] === undefined);
    if (beside !== undefined) return this.#take(beside, wire);
    const name = NAMES.find((each) => isObject(wire[each]));
    if (name === undefined || event === "error") return this.#other(wire, event);
    const { [name]: payload, ...others } = wire;
    if (Object.keys(others).length > 0) this.#events.push(others);
    return this.#take(name, payload as JsonObject); // It was just looked at.
  }

  #take(name: Name, payload: JsonObject): Delta[] {
    switch (name) {
      case "contentBlockDelta":
        return this.#fill(payload);
      case "contentBlockStart":
        return this.#open(payload);
      case "contentBlockStop":
        if (unknownFields(payload, OF_STOP) !== undefined) this.#events.push({ contentBlockStop: payload });
        return this.#answer?.close(payload[INDEX]) ?? [];
      case "messageStart":
        return this.#start(payload);
      case "messageStop":
      case "metadata":
        return this.#learn(payload, name);
    }
  }

  /** What is no event of the protocol: an exception, an answer in one piece (B74), or something new. */
  #other(wire: JsonObject, event: string | undefined): Delta[] {
    const isException = exceptionIn(wire) !== undefined;
    if (event === "error" || isException || (isOurs(wire) && typeof wire["output"] !== "object")) {
      return this.#fault(wire);
    }
    const { output } = wire;
    if (this.#answer === undefined && isObject(output) && isObject(output["message"])) return this.#whole(wire);
    // The last frame of some streams holds nothing.
    if (!hasOnly(wire, 0)) this.#events.push(wire);
    return [];
  }

  /** What cannot be read as one is an event like any other. */
  #whole(wire: JsonObject): Delta[] {
    let response: ModelResponse;
    try {
      response = readResponse(wire, startReading(this.#context, this.#names, this.#calls.taken));
    } catch (error) {
      if (!(error instanceof DialectError)) throw error;
      this.#context.pathTracker.reset();
      this.#events.push(wire);
      return [];
    }
    for (const part of response.message.parts) if (part.type === "tool-call") this.#calls.start(part.toolCallId);
    this.#settle();
    return disassemble(response);
  }

  /** Nearly every event is a piece of text, and says nothing else. */
  #fill(payload: JsonObject): Delta[] {
    const { delta } = payload;
    const block = this.#answer?.block(payload[INDEX]);
    if (!isObject(delta)) {
      this.#events.push({ contentBlockDelta: payload });
      return [];
    }
    // Two fields, or three with the padding.
    const isPlain = hasOnly(delta, 1) && hasOnly(payload, payload[PADDING] === undefined ? 2 : 3);
    if (block === undefined || !isPlain) return this.#fillWith(delta, payload);
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === "string" && block.kind === "text") {
      return [{ kind: "text", payload: { textDelta: text, part: block.key } }];
    }
    if (block.kind === "call" ? isObject(toolUse) : block.kind === "thinking" && isObject(reasoningContent)) {
      return block.add(delta);
    }
    return this.#fillWith(delta, payload);
  }

  /** A delta may say things of several kinds, each for a block of its own (B75); what nobody knows goes with the last. */
  #fillWith(delta: JsonObject, payload: JsonObject): Delta[] {
    const [deltas, answer] = this.#begin();
    const index = payload[INDEX];
    const pieces = new Map<OpenBlock["kind"], JsonObject>();
    const unknown: JsonObject = unknownFields(payload, OF_DELTA) ?? {};
    for (const key of Object.keys(delta)) {
      const kind = isMeant(key, delta) ? KINDS.get(key) : undefined;
      const piece = kind === undefined ? unknown : (pieces.get(kind) ?? {});
      copyField(delta, key, piece);
      if (kind !== undefined) pieces.set(kind, piece);
    }
    const [last] = [...pieces.keys()].slice(-1);
    if (last === undefined) pieces.set(answer.block(index)?.kind ?? "held", unknown);
    else for (const key of Object.keys(unknown)) copyField(unknown, key, pieces.get(last) ?? {});
    for (const [kind, piece] of pieces) {
      const found = answer.block(index)?.kind;
      // Arguments whose call has no beginning are kept as they come.
      const wanted = kind === "call" && found !== "call" ? "held" : kind;
      if (found !== wanted) for (const each of answer.open(index, wanted, {})) deltas.push(each);
      for (const each of answer.block(index)?.add(piece) ?? []) deltas.push(each);
    }
    return deltas;
  }

  /** The answer in hand; one that lacks its start begins here. */
  #begin(): [Delta[], Answer] {
    const deltas: Delta[] = [];
    // It goes on after it has said how it ended: that is another one.
    if (this.#answer?.isStopped === true) deltas.push(...this.#finish(this.#answer));
    if (this.#answer !== undefined) return [deltas, this.#answer];
    return [deltas, this.#make({ role: "assistant" }, deltas)];
  }

  #make(message: JsonObject, deltas: Delta[]): Answer {
    this.#answer = new Answer(this.#context, this.#calls, this.#names);
    deltas.push(...this.#answer.start(message));
    return this.#answer;
  }

  #start(payload: JsonObject): Delta[] {
    const deltas: Delta[] = [];
    const answer = this.#answer;
    if (answer?.isStopped === true) deltas.push(...this.#finish(answer));
    // Another one begins: this one is not going to end.
    else if (answer !== undefined) deltas.push(...this.#fail(truncated()));
    this.#make(payload, deltas);
    return deltas;
  }

  #open(payload: JsonObject): Delta[] {
    const { start } = payload;
    if (!isObject(start)) {
      this.#events.push({ contentBlockStart: payload });
      return [];
    }
    const [deltas, answer] = this.#begin();
    const block: JsonObject = { ...start, ...unknownFields(payload, OF_START) };
    const { toolUse } = block;
    const isCall = isObject(toolUse) && typeof toolUse["name"] === "string";
    // What it is, its first delta tells.
    if (hasOnly(block, 0)) return [...deltas, ...answer.close(payload[INDEX])];
    for (const delta of answer.open(payload[INDEX], isCall ? "call" : "held", block)) deltas.push(delta);
    return deltas;
  }

  /** How it ended, and what it cost; with both, it is over. */
  #learn(payload: JsonObject, name: "messageStop" | "metadata"): Delta[] {
    // What comes after the end belongs to nothing.
    if (this.#answer === undefined && this.#hasEnded) return [];
    const deltas: Delta[] = [];
    const answer = this.#answer ?? this.#make({ role: "assistant" }, deltas);
    deltas.push(...answer.learn(payload));
    if (name === "messageStop") answer.isStopped = true;
    else answer.isCounted = true;
    return answer.isStopped && answer.isCounted ? [...deltas, ...this.#finish(answer)] : deltas;
  }

  #finish(answer: Answer): Delta[] {
    const deltas = answer.finish(this.#events);
    this.#settle();
    return deltas;
  }

  /** An exception, also in the midst of an answer (B72); alone it is an answer that failed. */
  #fault(wire: JsonObject): Delta[] {
    if (this.#answer === undefined && isOurs(wire)) {
      this.#settle();
      return disassemble(decodeFailure(wire, this.#context.dialect));
    }
    return this.#fail(errorDelta(readError(wire)));
  }

  /** Ends the answer in hand with an error; where there is none, one that says nothing else. */
  #fail(reason: Delta): Delta[] {
    const deltas: Delta[] = [];
    const answer = this.#answer ?? this.#make({ role: "assistant" }, deltas);
    deltas.push(...answer.fail(reason, this.#events));
    this.#settle();
    return deltas;
  }

  #settle(): void {
    this.#answer = undefined;
    this.#hasEnded = true;
    this.#events = [];
    this.#calls.settle();
  }

  end(reason: Delta = truncated()): Delta[] {
    if (this.#answer?.isStopped === true) return this.#finish(this.#answer);
    if (this.#answer !== undefined) return this.#fail(reason);
    const wasEmpty = !this.#hasEnded;
    // A body that is no event is an error of whoever stands between.
    const [only, ...others] = this.#events;
    if (wasEmpty && only !== undefined) {
      if (others.length > 0 || NAMES.some((name) => only[name] !== undefined)) return this.#fail(reason);
      this.#events = [];
      return this.#fault(only);
    }
    this.#hasEnded = true;
    return wasEmpty ? [startDelta({ modelId: "", requestId: "" }), reason] : [];
  }
}

/** Whether a field of a delta is what it must be. */
function isMeant(key: string, delta: JsonObject): boolean {
  const value = delta[key];
  if (key === "text") return typeof value === "string";
  return isObject(value) || (key === "toolResult" && Array.isArray(value));
}
