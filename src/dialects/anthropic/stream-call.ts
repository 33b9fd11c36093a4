// Calls in a stream: their arguments are text while they arrive, and complete only once the answer has gone on.
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject, stringifyJson } from "../../model/json.ts";
import { restoreName } from "../kit/names.ts";
import type { OpenCall } from "../kit/open-blocks.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import { callStart, parsedOr } from "../kit/stream-calls.ts";
import { decodeCall } from "./decode-tools.ts";
import type { Reading } from "./reading.ts";
import type { Carrier, OpenBlock } from "./stream-block.ts";
import { GrowingBlock, residueOf } from "./stream-block.ts";

const JSON_DELTA: ReadonlySet<string> = new Set(["type", "partial_json"]);

export class CallBlock extends GrowingBlock implements OpenBlock, OpenCall {
  readonly kind = "call";
  readonly #calls: RunCalls;
  #form: JsonObject = {};
  #toolCallId = "";
  /** The arguments of a free-form tool, until they are said. */
  #args = "";
  #isBlank = true;
  #hasEnded = false;

  constructor(wire: JsonObject, key: number, reading: Reading, calls: RunCalls) {
    super(wire, key, reading);
    this.#calls = calls;
  }

  get isClients(): boolean {
    return this.wire["type"] === "tool_use";
  }

  /** The text of a free-form tool comes in an object, which must be whole before it can be taken out. */
  get #isFreeForm(): boolean {
    const { names } = this.reading;
    const { name } = this.wire;
    if (names?.textTools === undefined || !this.isClients || typeof name !== "string") return false;
    return names.textTools.includes(restoreName(name, names.toolNames));
  }

  open(): Delta[] {
    return this.#isFreeForm ? [] : [this.#start({})];
  }

  #start(input: JsonValue): Delta {
    const { context } = this.reading;
    const block = copyObject(this.wire);
    block["input"] = input;
    const call = decodeCall(block, this.reading);
    // Whoever opens one has looked for its name.
    if (call === undefined) return context.fail("missing-field", "A call has no name.", "name");
    this.#calls.start(call, context.dialect);
    this.#toolCallId = call.toolCallId;
    this.#form = readForm(call, context.dialect);
    if (call.format === "text") this.#args = String(call.input);
    return callStart(call, this.key);
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, partial_json: text } = delta;
    if (type !== "input_json_delta" || typeof text !== "string" || this.#hasEnded) return undefined;
    const { extra } = residueOf(event, delta, text, JSON_DELTA, this.reading.context.dialect);
    this.#isBlank &&= text.trim() === "";
    if (this.#toolCallId === "") this.#args += text;
    if (this.#toolCallId === "" || (text === "" && extra === undefined)) return [];
    return [this.#say(text, extra === undefined ? undefined : { extra })];
  }

  abandon(): Delta[] {
    const extra = this.late({});
    if (this.#hasEnded || (this.#toolCallId !== "" && extra === undefined)) return [];
    const isUnsaid = this.#toolCallId === "";
    const carrier = extra === undefined ? undefined : { extra };
    return isUnsaid ? [this.#start({}), this.#say(this.#args, carrier)] : [this.#say("", carrier)];
  }

  #say(argsTextDelta: string, carrier?: Carrier): Delta {
    return { kind: "tool_call_args", payload: { toolCallId: this.#toolCallId, argsTextDelta, ...carrier } };
  }

  close(): Delta[] {
    return [];
  }

  /** The arguments are those of the deltas, else those that the block began with (B20). */
  end(isCut = false): Delta[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    const isBlank = this.#isBlank;
    const { input } = this.wire;
    const whole = isBlank && input !== undefined && !isEmpty(input) ? stringifyJson(input) : "";
    const deltas: Delta[] = [];
    if (this.#toolCallId === "") {
      if (isBlank) this.#args = whole;
      deltas.push(this.#start(parsedOr({}, this.#args)), this.#say(this.#args));
    } else if (whole !== "") deltas.push(this.#say(whole));
    const carrier: Carrier = {};
    if (isBlank && input === undefined) {
      // Later residue wins key by key, so that the form is said again as a whole.
      const { dialect } = this.reading.context;
      for (const what of Object.keys(this.#form)) storeForm(carrier, dialect, what, this.#form[what] ?? null);
      storeForm(carrier, dialect, "input", "none");
    }
    const extra = this.late(carrier);
    const payload = { toolCallId: this.#toolCallId, ...(extra !== undefined && { extra }) };
    deltas.push({ kind: "tool_call_end", payload: isCut ? { ...payload, invalid: true } : payload });
    return deltas;
  }
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
