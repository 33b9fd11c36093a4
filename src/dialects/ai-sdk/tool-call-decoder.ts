// Decodes the tool calls of an AI SDK run. The AI SDK streams the input as text and then sends the parsed input.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { sameJson, stringifyJson } from "../../model/json/index.ts";
import type { PartBase, ToolCallPart } from "../../model/parts.ts";
import { decodeProviderOptions, storeSharedForm } from "./provider-options.ts";
import { unknownJsonFields, readText } from "./to-json.ts";
import { storeParsedInput } from "./tool-calls.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";

/** The part of `StepDecoder` that the decoder of tool calls uses. */
export interface ToolCallHost {
  readonly dialect: string;
  readonly state: string;
  /** The number of answers that have started so far. */
  readonly answerCount: number;
  hasClientCalls: boolean;
  openAnswer(): boolean;
  beginPart(id: string): string;
  emit(delta: Delta): void;
}

/** The state of one tool call of the run. */
export interface AiSdkCall {
  toolCallId: string;
  toolName: string;
  partKey: string;
  /** The index of the call among all calls of the run. */
  order: number;
  /** The input text that has arrived so far. */
  text: string;
  /** The number of the answer to which the call belongs. */
  answer: number;
  /** True if the input is text of a free-form tool, not JSON. */
  isText: boolean;
  isEnded: boolean;
  isAnswered: boolean;
  isProvider: boolean;
  options: JsonValue | undefined;
  /** Fields of the tool for the user interface: `dynamic`, `title` and `toolMetadata`. */
  displayFields: JsonObject;
  residue: JsonObject | undefined;
}

/** The fields of an event that describe a call. */
export interface CallEventFields {
  toolName?: JsonValue | undefined;
  isProvider?: boolean;
  isText?: boolean;
  options?: JsonValue | undefined;
  dynamic?: JsonValue | undefined;
  title?: JsonValue | undefined;
  toolMetadata?: JsonValue | undefined;
  /** The unknown fields of the event; undefined if there are none. */
  residue?: JsonObject | undefined;
}

export class AiSdkCallDecoder {
  readonly #host: ToolCallHost;
  readonly #calls = new Map<string, AiSdkCall>();
  readonly #ids = new Set<string>();

  constructor(host: ToolCallHost) {
    this.#host = host;
  }

  /** Returns the call with this id; undefined if there is no such call or if it already has a result. */
  findUnansweredCall(id: string): AiSdkCall | undefined {
    const call = this.#calls.get(id);
    return call?.isAnswered === true ? undefined : call;
  }

  start(id: string, fields: CallEventFields): AiSdkCall | undefined {
    const host = this.#host;
    if (!host.openAnswer()) return undefined;
    const { toolName, isProvider = false, isText = false } = fields;
    const key = host.beginPart(id);
    const call: AiSdkCall = {
      toolCallId: this.#newId(id),
      toolName: typeof toolName === "string" ? toolName : "",
      partKey: key,
      order: this.#ids.size,
      text: "",
      answer: host.answerCount,
      isText,
      isEnded: false,
      isAnswered: false,
      isProvider,
      options: undefined,
      displayFields: {},
      residue: undefined,
    };
    this.#calls.set(id, call);
    // `dynamic` is read only from the first event of a call, because clients decide from that event whether the tool is
    // dynamic.
    if (fields.dynamic === true) call.displayFields["dynamic"] = true;
    this.#mergeFields(call, fields);
    if (!isProvider) host.hasClientCalls = true;
    const { toolCallId } = call;
    const target: PartBase = {};
    if (toolCallId !== id) storeForm(target, host.dialect, "id", id);
    // The display fields are stored in the first delta of the call, because encoders write them in the first event of
    // the call.
    if (Object.keys(call.displayFields).length > 0) storeSharedForm(target, "tool", call.displayFields);
    host.emit({
      kind: "tool_call_start",
      payload: {
        toolCallId,
        toolName: call.toolName,
        partKey: key,
        ...(isProvider && { executor: "provider" }),
        ...(isText ? { format: "text" } : { objectArgs: true }),
        ...(target.extra && { extra: target.extra }),
      },
    });
    return call;
  }

  #newId(id: string): string {
    let newId = id;
    for (let count = 1; newId === "" || this.#ids.has(newId); count++) newId = `call_${this.#ids.size + count}`;
    this.#ids.add(newId);
    return newId;
  }

  #mergeFields(call: AiSdkCall, fields: CallEventFields): void {
    if (isObject(fields.options)) call.options = fields.options;
    if (typeof fields.title === "string") call.displayFields["title"] = fields.title;
    if (isObject(fields.toolMetadata)) call.displayFields["toolMetadata"] = fields.toolMetadata;
    if (fields.residue !== undefined) call.residue = { ...call.residue, ...fields.residue };
  }

  /** Adds a piece of the input, and starts the call if it has not started; `field` is the wire field with the piece. */
  addInput(id: string, wire: JsonObject, field: "delta" | "inputTextDelta"): void {
    const call = this.#findOpenCall(id) ?? this.start(id, {});
    if (call === undefined || call.isEnded || this.#host.state !== "open") return;
    const argsTextDelta = readText(wire, field);
    if (Object.keys(wire).length > 3) this.#mergeFields(call, readCallFields(wire));
    call.text += argsTextDelta;
    this.#host.emit({ kind: "tool_call_args", payload: { toolCallId: call.toolCallId, argsTextDelta } });
  }

  #findOpenCall(id: string): AiSdkCall | undefined {
    const call = this.#calls.get(id);
    return call?.answer === this.#host.answerCount && this.#host.state === "open" ? call : undefined;
  }

  /** Completes the input of a call with the value that the AI SDK parsed. */
  end(id: string, input: JsonValue | undefined, fields: CallEventFields): void {
    const call = this.#findOpenCall(id) ?? this.start(id, fields);
    if (call === undefined || call.isEnded) return;
    this.#mergeFields(call, fields);
    const { toolCallId, partKey: key } = call;
    const target: PartBase = {};
    if (call.text === "" && input !== undefined) {
      const text = call.isText && typeof input === "string" ? input : stringifyJson(input);
      this.#host.emit({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta: text } });
    } else if (input !== undefined) this.#compareInput(call, input, target);
    call.isEnded = true;
    storeResidue(target, this.#host.dialect, call.residue);
    decodeProviderOptions(target, call.options, false);
    if (Object.keys(call.displayFields).length > 0) storeSharedForm(target, "tool", call.displayFields);
    const payload = { toolCallId, ...(target.extra && { extra: target.extra }) };
    this.#host.emit({ kind: "tool_call_end", payload });
    for (const seal of target.seals ?? []) this.#host.emit({ kind: "seal", payload: { seal, partKey: key } });
  }

  /**
   * Stores the input that the AI SDK parsed as a form if it differs from the streamed text, because the tool's schema
   * can add or change values.
   */
  #compareInput(call: AiSdkCall, input: JsonValue, target: PartBase): void {
    const read = parseArguments(call.text, call.isText ? { format: "text" } : { objectArgs: true });
    if (sameJson(read.input, input)) return;
    const parsedCall: Pick<ToolCallPart, "input" | "inputText" | "format"> = { input: read.input };
    if (read.inputText !== undefined) parsedCall.inputText = read.inputText;
    if (call.isText) parsedCall.format = "text";
    storeParsedInput(target, formatArguments(parsedCall), input);
  }
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  (
    "type id toolCallId toolName input delta inputTextDelta inputEncoding errorText invalid error providerExecuted providerMetadata " +
    "toolMetadata dynamic title"
  ).split(" "),
);

/** Returns the fields that describe a call from an event of either stream. */
export function readCallFields(wire: JsonObject): CallEventFields {
  return {
    toolName: wire["toolName"],
    isProvider: wire["providerExecuted"] === true,
    isText: wire["inputEncoding"] === "text",
    options: wire["providerMetadata"],
    dynamic: wire["dynamic"],
    title: wire["title"],
    toolMetadata: wire["toolMetadata"],
    residue: unknownJsonFields(wire, KNOWN_FIELDS),
  };
}
