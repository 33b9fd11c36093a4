// Decodes and encodes tool calls: functions with JSON arguments, custom tools with free text, and the deprecated
// `function_call`.
import { formatArguments, parseArguments } from "../../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { hasExactNumbers, stringifyJson } from "../../../model/json/index.ts";
import type { Part, ToolCallPart } from "../../../model/parts.ts";
import { isApprovalPart } from "../../kit/tools/approvals.ts";
import { toWireCallId } from "../../kit/tools/tool-call-ids.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject, readObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue } from "../encode-state.ts";

export const CUSTOM_TYPE = "custom";

/** Decodes the calls of `tool_calls` and appends them to `parts`. */
export function decodeCalls(list: readonly JsonValue[], parts: Part[], state: ChatDecodeState): void {
  const { context } = state;
  context.pathTracker.enter("tool_calls");
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    parts.push(decodeCall(readObject(list[index], context), state));
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
}

/** Decodes one call of `tool_calls`. A call of an unknown type or without a name becomes an opaque part. */
export function decodeCall(wire: JsonObject, state: ChatDecodeState): Part {
  const { context } = state;
  const { type, id } = wire;
  const isCustom = type === CUSTOM_TYPE;
  const field = isCustom ? CUSTOM_TYPE : "function";
  const data = wire[field];
  const call =
    isCustom || type === undefined || type === field ? decodeNameAndArguments(data, field, state) : undefined;
  if (call === undefined || !isObject(data)) {
    const opaque = toOpaquePart(wire, context);
    storeForm(opaque, context.dialect, "in", "tool_calls");
    return opaque;
  }
  const wireId = typeof id === "string" ? restoreName(id, state.renames?.toolCallIds) : undefined;
  state.calls.add(call, wireId);
  if (isCustom) state.customCallIds.add(call.toolCallId);
  if (type === undefined) storeForm(call, context.dialect, "absent", ["type"]);
  storeUnknownFields(call, wire, typeof id === "string" ? ["id", "type", field] : ["type", field], context);
  return call;
}

/** Decodes the deprecated `function_call` field: one call without an id. Returns undefined if the call has no name. */
export function decodeFunctionCall(data: JsonValue, state: ChatDecodeState): ToolCallPart | undefined {
  const call = decodeNameAndArguments(data, "function_call", state);
  if (call === undefined) return undefined;
  state.calls.add(call, undefined);
  state.legacyCallIds.add(call.toolCallId);
  storeForm(call, state.context.dialect, "in", "function_call");
  return call;
}

/**
 * Decodes name and arguments. Returns undefined if the name is missing, or if a custom call has no text as its input.
 */
function decodeNameAndArguments(
  data: JsonValue | undefined,
  field: string,
  state: ChatDecodeState,
): ToolCallPart | undefined {
  if (!isObject(data) || typeof data["name"] !== "string") return undefined;
  const { dialect } = state.context;
  const toolName = restoreName(data["name"], state.renames?.toolNames);
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const argumentsField = field === CUSTOM_TYPE ? "input" : "arguments";
  const value = data[argumentsField];
  if (field === CUSTOM_TYPE) {
    if (typeof value !== "string") return undefined;
    call.input = value;
    call.format = "text";
  } else if (typeof value === "string") {
    const { input, inputText, invalid } = parseArguments(value);
    call.input = input;
    if (inputText !== undefined) call.inputText = inputText;
    if (invalid !== undefined) call.invalid = invalid;
  } else if (isObject(value)) {
    call.input = value;
    if (hasExactNumbers(value)) call.inputText = stringifyJson(value);
    storeForm(call, dialect, "arguments", "object");
  } else {
    // A call without readable arguments is still a call (B20).
    storeForm(call, dialect, "arguments", value === undefined ? "absent" : "odd");
  }
  const isRead = typeof value === "string" || isObject(value);
  storeUnknownFields(call, data, isRead ? ["name", argumentsField] : ["name"], state.context, field);
  return call;
}

const SUPPORTED_CALL = supportedFields(
  "toolCallId",
  "toolName",
  "input",
  "inputText",
  "invalid",
  "executor",
  "format",
  "tool",
);

/**
 * Encodes a call for `tool_calls` or `function_call`. Returns undefined and reports a loss for calls that the client
 * must not run: calls of provider tools and approval requests (B33).
 */
export function encodeCall(call: ToolCallPart, isLegacy: boolean, state: ChatEncodeState): JsonObject | undefined {
  const { context, names, calls } = state;
  if (call.executor === "provider") {
    context.report.addLoss("provider-tool-unsupported");
    return undefined;
  }
  if (isApprovalPart(call)) {
    context.report.addLoss("approval-not-portable");
    calls.set(call.toolCallId, { name: call.toolName, isCustom: false, isLegacy, isApproval: true });
    return undefined;
  }
  const isCustom = call.format === "text" && !isLegacy;
  calls.set(call.toolCallId, { name: call.toolName, isCustom, isLegacy });
  reportToolFields(call, isCustom, state);
  const data: JsonObject = { name: names.encodeToolName(call.toolName) };
  const text = formatArguments(call);
  if (isCustom) data["input"] = text;
  else writeArguments(call, text, data, state);
  if (call.invalid !== undefined && !(call.invalid && call === state.cutOffCall))
    reportInvalid(call, isCustom, text, state);
  if (isLegacy) {
    const wire: JsonObject = { function_call: data };
    return finishPart(wire, call, SUPPORTED_CALL, state, "function_call")["function_call"] as JsonObject;
  }
  const field = isCustom ? CUSTOM_TYPE : "function";
  const id = toWireCallId(call, names, context);
  const wire: JsonObject = {};
  if (id !== undefined) wire["id"] = id;
  if (isCustom || canFillField(call, "type", state)) wire["type"] = field;
  wire[field] = data;
  return finishPart(wire, call, SUPPORTED_CALL, state, field);
}

function writeArguments(call: ToolCallPart, text: string, data: JsonObject, state: ChatEncodeState): void {
  const form = readFormValue(call, "arguments", state);
  const isEmpty = isObject(call.input) && Object.keys(call.input).length === 0;
  if ((form === "absent" || form === "odd") && isEmpty) return;
  // The input is parsed from the exact text, because that preserves every digit of its numbers.
  const parsed = form === "object" ? parseArguments(text).input : undefined;
  data["arguments"] = isObject(parsed) ? parsed : text;
}

/** Reports the executor, format and tool of a call or result, for which Chat has no fields. */
export function reportToolFields(
  { executor, format, tool }: Pick<ToolCallPart, "executor" | "format" | "tool">,
  isCustom: boolean,
  { context: { report } }: ChatEncodeState,
): void {
  if (executor !== undefined) report.addLoss("tool-default-omitted", "executor");
  if (format !== undefined && !isCustom)
    report.addLoss(format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
  if (tool !== undefined) report.addLoss("field-unsupported", "tool");
}

/**
 * Reports the `invalid` mark as a loss, unless the arguments cannot be parsed: a decoder then sets the mark again
 * (B31).
 */
function reportInvalid({ invalid }: ToolCallPart, isCustom: boolean, text: string, { context }: ChatEncodeState): void {
  const isUnreadable = !isCustom && parseArguments(text).invalid === true;
  if (!isUnreadable || invalid !== true)
    context.report.addLoss(invalid === true ? "invalid-call-unsupported" : "metadata-dropped", "invalid");
}
