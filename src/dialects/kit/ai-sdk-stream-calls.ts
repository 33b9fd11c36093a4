// The calls of an AI SDK run as deltas. The SDK streams a call's input as text and then hands on what it made of it.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson, stringifyJson } from "../../model/json.ts";
import type { PartBase, ToolCallPart } from "../../model/parts.ts";
import { decodeOptions, markShared } from "./ai-sdk-options.ts";
import { plainRest, textIn } from "./ai-sdk-plain.ts";
import { keepParsedInput } from "./ai-sdk-tools.ts";
import { isObject } from "./read.ts";
import { storeResidue, storeForm } from "./residue.ts";

/** The answer that calls are part of. */
export interface CallHost {
  readonly dialect: string;
  readonly state: string;
  /** How many answers have begun. */
  readonly answers: number;
  hasClientCalls: boolean;
  open(): boolean;
  begin(id: string): string;
  say(delta: Delta): void;
}

/** A call of the run. */
export interface OpenCall {
  toolCallId: string;
  toolName: string;
  key: string;
  /** Its place among all calls. */
  order: number;
  text: string;
  answer: number;
  isText: boolean;
  isEnded: boolean;
  isAnswered: boolean;
  isProvider: boolean;
  options: JsonValue | undefined;
  shown: JsonObject;
  rest: JsonObject | undefined;
}

/** What an event says of a call. */
export interface CallFacts {
  toolName?: JsonValue | undefined;
  isProvider?: boolean;
  isText?: boolean;
  options?: JsonValue | undefined;
  dynamic?: JsonValue | undefined;
  title?: JsonValue | undefined;
  toolMetadata?: JsonValue | undefined;
  /** Fields that nobody knows. */
  rest?: JsonObject | undefined;
}

export class CallReader {
  readonly #host: CallHost;
  readonly #calls = new Map<string, OpenCall>();
  readonly #ids = new Set<string>();

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** The call that waits for a result. */
  waiting(id: string): OpenCall | undefined {
    const call = this.#calls.get(id);
    return call?.isAnswered === true ? undefined : call;
  }

  start(id: string, facts: CallFacts): OpenCall | undefined {
    const host = this.#host;
    if (!host.open()) return undefined;
    const { toolName, isProvider = false, isText = false } = facts;
    const key = host.begin(id);
    const call: OpenCall = {
      toolCallId: this.#newId(id),
      toolName: typeof toolName === "string" ? toolName : "",
      key,
      order: this.#ids.size,
      text: "",
      answer: host.answers,
      isText,
      isEnded: false,
      isAnswered: false,
      isProvider,
      options: undefined,
      shown: {},
      rest: undefined,
    };
    this.#calls.set(id, call);
    // A reader knows a tool by the way it began.
    if (facts.dynamic === true) call.shown["dynamic"] = true;
    this.#learn(call, facts);
    if (!isProvider) host.hasClientCalls = true;
    const { toolCallId } = call;
    const carrier: PartBase = {};
    if (toolCallId !== id) storeForm(carrier, host.dialect, "id", id);
    // How a tool is shown must be known from its beginning.
    if (Object.keys(call.shown).length > 0) markShared(carrier, "tool", call.shown);
    host.say({
      kind: "tool_call_start",
      payload: {
        toolCallId,
        toolName: call.toolName,
        part: key,
        ...(isProvider && { executor: "provider" }),
        ...(isText ? { format: "text" } : { objectArgs: true }),
        ...(carrier.extra && { extra: carrier.extra }),
      },
    });
    return call;
  }

  #newId(id: string): string {
    let made = id;
    for (let count = 1; made === "" || this.#ids.has(made); count++) made = `call_${this.#ids.size + count}`;
    this.#ids.add(made);
    return made;
  }

  #learn(call: OpenCall, facts: CallFacts): void {
    if (isObject(facts.options)) call.options = facts.options;
    if (typeof facts.title === "string") call.shown["title"] = facts.title;
    if (isObject(facts.toolMetadata)) call.shown["toolMetadata"] = facts.toolMetadata;
    if (facts.rest !== undefined) call.rest = { ...call.rest, ...facts.rest };
  }

  /** A piece of the input, which stands in the field `field`. */
  addInput(id: string, wire: JsonObject, field: "delta" | "inputTextDelta"): void {
    const call = this.#openCall(id) ?? this.start(id, {});
    if (call === undefined || call.isEnded || this.#host.state !== "open") return;
    const argsTextDelta = textIn(wire, field);
    if (Object.keys(wire).length > 3) this.#learn(call, factsOf(wire));
    call.text += argsTextDelta;
    this.#host.say({ kind: "tool_call_args", payload: { toolCallId: call.toolCallId, argsTextDelta } });
  }

  #openCall(id: string): OpenCall | undefined {
    const call = this.#calls.get(id);
    return call?.answer === this.#host.answers && this.#host.state === "open" ? call : undefined;
  }

  /** The input is complete, as the SDK hands it on. */
  end(id: string, input: JsonValue | undefined, facts: CallFacts): void {
    const call = this.#openCall(id) ?? this.start(id, facts);
    if (call === undefined || call.isEnded) return;
    this.#learn(call, facts);
    const { toolCallId, key } = call;
    const carrier: PartBase = {};
    if (call.text === "" && input !== undefined) {
      const text = call.isText && typeof input === "string" ? input : stringifyJson(input);
      this.#host.say({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: text } });
    } else if (input !== undefined) this.#compareInput(call, input, carrier);
    call.isEnded = true;
    storeResidue(carrier, this.#host.dialect, call.rest);
    decodeOptions(carrier, call.options, false);
    if (Object.keys(call.shown).length > 0) markShared(carrier, "tool", call.shown);
    const payload = { toolCallId, ...(carrier.extra && { extra: carrier.extra }) };
    this.#host.say({ kind: "tool_call_end", payload });
    for (const seal of carrier.seals ?? []) this.#host.say({ kind: "seal", payload: { seal, part: key } });
  }

  #compareInput(call: OpenCall, input: JsonValue, carrier: PartBase): void {
    const read = readArguments(call.text, call.isText ? { format: "text" } : { objectArgs: true });
    if (sameJson(read.input, input)) return;
    const said: Pick<ToolCallPart, "input" | "inputText" | "format"> = { input: read.input };
    if (read.inputText !== undefined) said.inputText = read.inputText;
    if (call.isText) said.format = "text";
    keepParsedInput(carrier, argumentsText(said), input);
  }
}

const CALL: ReadonlySet<string> = new Set(
  (
    "type id toolCallId toolName input delta inputTextDelta inputEncoding errorText invalid error providerExecuted providerMetadata " +
    "toolMetadata dynamic title"
  ).split(" "),
);

/** The facts of a call in an event of either stream. */
export function factsOf(wire: JsonObject): CallFacts {
  return {
    toolName: wire["toolName"],
    isProvider: wire["providerExecuted"] === true,
    isText: wire["inputEncoding"] === "text",
    options: wire["providerMetadata"],
    dynamic: wire["dynamic"],
    title: wire["title"],
    toolMetadata: wire["toolMetadata"],
    rest: plainRest(wire, CALL),
  };
}
