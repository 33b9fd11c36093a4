// Calls in a stream: their arguments are text while they arrive, and complete only once the answer has gone on.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { restoreName } from "../kit/names.ts";
import type { OpenCall } from "../kit/open-blocks.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";
import { callStart, parsedOr } from "../kit/stream-calls.ts";
import { decodeCall } from "./decode-tools.ts";
import { hasOnly, keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";
import type { Carrier, OpenBlock } from "./stream-block.ts";
import { withResidue } from "./stream-block.ts";

/** The calls of all answers that one stream holds: each has an id of its own, and one result (B17). */
export class RunCalls {
  /** Ids of the answers that are over. */
  readonly taken = new Set<string>();
  #current: string[] = [];
  readonly #answered = new Set<string>();

  start(id: string): void {
    this.#current.push(id);
  }

  /** The answer in hand is over. */
  settle(): void {
    for (const id of this.#current) this.taken.add(id);
    this.#current = [];
  }

  /** Whether a result may stand in an answer: the first for its call, and a client's only where the call is known. */
  answer({ toolCallId: id, executor }: ToolResultPart): boolean {
    const isKnown = executor === "provider" || this.taken.has(id) || this.#current.includes(id);
    if (this.#answered.has(id) || !isKnown) return false;
    this.#answered.add(id);
    // A call that comes after its result is another one.
    if (!this.#current.includes(id)) this.taken.add(id);
    return true;
  }
}

const DELTA: ReadonlySet<string> = new Set(["toolUse"]);
const INPUT: ReadonlySet<string> = new Set(["input"]);

export class CallBlock implements OpenBlock, OpenCall {
  readonly kind = "call";
  readonly key: number;
  readonly isClients: boolean;
  readonly #wire: JsonObject;
  readonly #reading: Reading;
  readonly #calls: RunCalls;
  #toolCallId: string | undefined;
  /** The arguments of a free-form tool, until they are said. */
  #args = "";
  #hasEnded = false;

  constructor(start: JsonObject, key: number, reading: Reading, calls: RunCalls) {
    this.key = key;
    this.#wire = start;
    this.#reading = reading;
    this.#calls = calls;
    const { toolUse } = start;
    this.isClients = isObject(toolUse) && toolUse["type"] !== "server_tool_use";
  }

  /** The text of a free-form tool comes in an object, which must be whole before it can be taken out. */
  open(): Delta[] {
    const { names } = this.#reading;
    const { toolUse } = this.#wire;
    const said = isObject(toolUse) ? toolUse["name"] : undefined;
    const name = typeof said === "string" ? restoreName(said, names?.toolNames) : "";
    return names?.textTools?.includes(name) === true && this.isClients ? [] : [this.#start({})];
  }

  #start(input: JsonValue): Delta {
    const { context } = this.#reading;
    const inner = copyObject(this.#wire["toolUse"] as JsonObject); // Whoever opens a call has looked for it.
    inner["input"] = input;
    const call = decodeCall(inner, this.#reading) as ToolCallPart; // And for its name.
    keepRest(call, this.#wire, context.dialect, [], "toolUse");
    this.#calls.start(call.toolCallId);
    this.#toolCallId = call.toolCallId;
    if (call.format === "text") this.#args = String(call.input);
    return callStart(call, this.key);
  }

  add(delta: JsonObject): Delta[] {
    const { toolUse } = delta;
    const { dialect } = this.#reading.context;
    const { input } = isObject(toolUse) ? toolUse : {};
    const carrier: Carrier = {};
    const isPiece = typeof input === "string";
    const isPlain = isPiece && isObject(toolUse) && hasOnly(toolUse, 1) && hasOnly(delta, 1);
    if (!isPlain) storeResidue(carrier, dialect, unknownFields(delta, DELTA));
    if (!isPlain && isObject(toolUse))
      storeResidue(carrier, dialect, isPiece ? unknownFields(toolUse, INPUT) : toolUse, "toolUse");
    const piece = isPiece ? input : "";
    if (this.#toolCallId === undefined) this.#args += piece;
    if (piece === "" && carrier.extra === undefined) return [];
    return this.#toolCallId === undefined ? [] : [this.#say(piece, carrier)];
  }

  #say(argsTextDelta: string, carrier: Carrier = {}): Delta {
    const toolCallId = this.#toolCallId ?? "";
    return { kind: "tool_call_args", payload: withResidue({ toolCallId, argsTextDelta }, carrier) };
  }

  close(): Delta[] {
    return [];
  }

  abandon(): Delta[] {
    return this.#toolCallId === undefined ? [this.#start({}), this.#say(this.#args)] : [];
  }

  end(isCut = false): Delta[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    const deltas: Delta[] =
      this.#toolCallId === undefined ? [this.#start(parsedOr({}, this.#args)), this.#say(this.#args)] : [];
    const payload = { toolCallId: this.#toolCallId ?? "" };
    deltas.push({ kind: "tool_call_end", payload: isCut ? { ...payload, invalid: true } : payload });
    return deltas;
  }
}
