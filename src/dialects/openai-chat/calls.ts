// Tool calls: functions with JSON arguments, custom tools with free text, and the one `function_call` of old.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, stringifyJson } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { isApproval } from "../kit/approvals.ts";
import { wireCallId } from "../kit/calls.ts";
import { restoreName } from "../kit/names.ts";
import { opaquePart } from "../kit/opaque.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject, readObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { Reading } from "./reading.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

export const CUSTOM = "custom";

/** Reads the list of calls into parts. */
export function decodeCalls(list: readonly JsonValue[], parts: Part[], reading: Reading): void {
  const { context } = reading;
  context.pathTracker.enter("tool_calls");
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    parts.push(decodeCall(readObject(list[at], context), reading));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
}

/** One call of the list; opaque where it lacks what it needs. */
export function decodeCall(wire: JsonObject, reading: Reading): Part {
  const { context } = reading;
  const { type, id } = wire;
  const isCustom = type === CUSTOM;
  const field = isCustom ? CUSTOM : "function";
  const data = wire[field];
  const call = isCustom || type === undefined || type === field ? readCall(data, field, reading) : undefined;
  if (call === undefined || !isObject(data)) {
    const opaque = opaquePart(wire, context);
    storeForm(opaque, context.dialect, "in", "tool_calls");
    return opaque;
  }
  const wireId = typeof id === "string" ? restoreName(id, reading.names?.toolCallIds) : undefined;
  reading.calls.add(call, wireId);
  if (isCustom) reading.custom.add(call.toolCallId);
  if (type === undefined) storeForm(call, context.dialect, "absent", ["type"]);
  keepOthers(call, wire, typeof id === "string" ? ["id", "type", field] : ["type", field], context);
  return call;
}

/** The call of an assistant message in the manner of old: no id, and only one. */
export function decodeFunctionCall(data: JsonValue, reading: Reading): ToolCallPart | undefined {
  const call = readCall(data, "function_call", reading);
  if (call === undefined) return undefined;
  reading.calls.add(call, undefined);
  reading.legacy.add(call.toolCallId);
  storeForm(call, reading.context.dialect, "in", "function_call");
  return call;
}

/** Name and arguments; undefined where there is no name. */
function readCall(data: JsonValue | undefined, field: string, reading: Reading): ToolCallPart | undefined {
  if (!isObject(data) || typeof data["name"] !== "string") return undefined;
  const { dialect } = reading.context;
  const toolName = restoreName(data["name"], reading.names?.toolNames);
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const given = field === CUSTOM ? "input" : "arguments";
  const value = data[given];
  if (field === CUSTOM) {
    if (typeof value !== "string") return undefined;
    call.input = value;
    call.format = "text";
  } else if (typeof value === "string") {
    const { input, inputText, invalid } = readArguments(value);
    call.input = input;
    if (inputText !== undefined) call.inputText = inputText;
    if (invalid !== undefined) call.invalid = invalid;
  } else if (isObject(value)) {
    call.input = value;
    if (hasExactNumbers(value)) call.inputText = stringifyJson(value);
    storeForm(call, dialect, "arguments", "object");
  } else {
    // No arguments are no reason to lose the call (B20).
    storeForm(call, dialect, "arguments", value === undefined ? "absent" : "odd");
  }
  const isRead = typeof value === "string" || isObject(value);
  keepOthers(call, data, isRead ? ["name", given] : ["name"], reading.context, field);
  return call;
}

const CALL = carrying("toolCallId", "toolName", "input", "inputText", "invalid", "executor", "format", "tool");

/** A call, in the list or in the manner of old; undefined where the client must not run it (B33). */
export function encodeCall(call: ToolCallPart, isLegacy: boolean, writing: Writing): JsonObject | undefined {
  const { context, names, calls } = writing;
  if (call.executor === "provider") {
    context.report.addLoss("provider-tool");
    return undefined;
  }
  if (isApproval(call)) {
    context.report.addLoss("approval-foreign");
    calls.set(call.toolCallId, { name: call.toolName, isCustom: false, isLegacy, isApproval: true });
    return undefined;
  }
  const isCustom = call.format === "text" && !isLegacy;
  calls.set(call.toolCallId, { name: call.toolName, isCustom, isLegacy });
  reportManner(call, isCustom, writing);
  const data: JsonObject = { name: names.toolName(call.toolName) };
  const text = argumentsText(call);
  if (isCustom) data["input"] = text;
  else writeArguments(call, text, data, writing);
  if (call.invalid !== undefined && !(call.invalid && call === writing.cut))
    reportInvalid(call, isCustom, text, writing);
  if (isLegacy) {
    const wire: JsonObject = { function_call: data };
    return finishPart(wire, call, CALL, writing, "function_call")["function_call"] as JsonObject;
  }
  const field = isCustom ? CUSTOM : "function";
  const id = wireCallId(call, names, context);
  const wire: JsonObject = {};
  if (id !== undefined) wire["id"] = id;
  if (isCustom || isFree(call, "type", writing)) wire["type"] = field;
  wire[field] = data;
  return finishPart(wire, call, CALL, writing, field);
}

function writeArguments(call: ToolCallPart, text: string, data: JsonObject, writing: Writing): void {
  const spelled = spelling(call, "arguments", writing);
  const isEmpty = isObject(call.input) && Object.keys(call.input).length === 0;
  if ((spelled === "absent" || spelled === "odd") && isEmpty) return;
  // Reading gives back every digit.
  const read = spelled === "object" ? readArguments(text).input : undefined;
  data["arguments"] = isObject(read) ? read : text;
}

/** Reports what a call or result cannot say about who runs its tool, and how it speaks. */
export function reportManner(
  { executor, format, tool }: Pick<ToolCallPart, "executor" | "format" | "tool">,
  isCustom: boolean,
  { context: { report } }: Writing,
): void {
  if (executor !== undefined) report.addLoss("tool-default", "executor");
  if (format !== undefined && !isCustom) report.addLoss(format === "json" ? "tool-default" : "field-unsaid", "format");
  if (tool !== undefined) report.addLoss("field-unsaid", "tool");
}

/** Unreadable arguments show that a call must not be executed; readable ones do not (B31). */
function reportInvalid({ invalid }: ToolCallPart, isCustom: boolean, text: string, { context }: Writing): void {
  const shows = !isCustom && readArguments(text).invalid === true;
  if (!shows || invalid !== true) context.report.addLoss(invalid === true ? "call-invalid" : "bookkeeping", "invalid");
}
