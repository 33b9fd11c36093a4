// Decodes items of tool calls and of tool outputs. An item of a hosted tool, which the provider runs, contains both and
// becomes two parts.
import { parseArguments } from "../../../model/tool-arguments.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { hasExactNumbers, stringifyJson } from "../../../model/json/index.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { decodeBlocks } from "./input-blocks.ts";
import { decodeMedia } from "./media.ts";
import type { ResponsesDecodeState } from "../decode-state.ts";
import { storeItemFields } from "../decode-state.ts";
import type { ToolItemType } from "./tool-item-types.ts";
import { CUSTOM_TYPE, FUNCTION_TYPE, hasStructuredOutput } from "./tool-item-types.ts";

/**
 * Decodes a call item, and the result if the item contains it. Returns undefined if the item lacks the fields of a
 * call.
 */
export function decodeCallItem(
  item: JsonObject,
  toolType: ToolItemType,
  state: ResponsesDecodeState,
): Part[] | undefined {
  const name = toolType.toolName ?? item["name"];
  const id = toolType.hasItemIdAsCallId === true ? item["id"] : item["call_id"];
  // If the tool type uses the item id as the call id, an item without an id is not a call.
  if (typeof name !== "string" || (toolType.hasItemIdAsCallId === true && typeof id !== "string")) return undefined;
  const toolName = toolType.toolName === undefined ? restoreName(name, state.renames?.toolNames) : name;
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const inputField = decodeInput(call, item, toolType, state);
  if (inputField === undefined) return undefined;
  if (toolType === CUSTOM_TYPE) call.format = "text";
  else if (toolType !== FUNCTION_TYPE) call.tool = toolType.callType;
  const isHosted = toolType.outputType === undefined || runsAtProvider(item, toolType);
  if (isHosted) call.executor = "provider";
  state.calls.add(call, typeof id === "string" ? restoreName(id, state.renames?.toolCallIds) : undefined);
  state.toolTypesByCallId.set(call.toolCallId, toolType);
  if (isHosted && toolType.outputType !== undefined) state.hostedCallIds.add(call.toolCallId);
  const known = toolType.toolName === undefined ? [inputField, "name"] : [inputField];
  if (typeof id === "string") known.push(toolType.hasItemIdAsCallId === true ? "id" : "call_id");
  const result =
    toolType.outputType === undefined
      ? decodeInlineResult(call, item, toolType, known, state.context.dialect)
      : undefined;
  storeItemFields(call, item, known, readCallStatus(call, item, result), state);
  return result === undefined ? [call] : [call, result];
}

/**
 * Decodes the input of a call and returns the field that contains it; undefined if the input has an unexpected type.
 */
function decodeInput(
  call: ToolCallPart,
  item: JsonObject,
  toolType: ToolItemType,
  { context }: ResponsesDecodeState,
): string | undefined {
  // A computer call can have a list of actions instead of one action.
  const field = toolType.inputField === "action" && Array.isArray(item["actions"]) ? "actions" : toolType.inputField;
  const value = item[field];
  const isText = typeof value === "string";
  switch (toolType.inputForm) {
    case "json":
      if (isText) {
        const { input, inputText, invalid } = parseArguments(value);
        call.input = input;
        if (inputText !== undefined) call.inputText = inputText;
        if (invalid !== undefined) call.invalid = invalid;
      } else if (value === undefined) storeForm(call, context.dialect, "arguments", "absent");
      else if (isObject(value)) {
        setInputValue(call, value);
        storeForm(call, context.dialect, "arguments", "object");
      } else return undefined;
      return field;
    case "text":
      call.input = value;
      return isText ? field : undefined;
    case "value":
      if (typeof value !== "object" || value === null || (field === "action" && Array.isArray(value))) return undefined;
      setInputValue(call, value);
      return field;
    case "field":
      if (value === undefined || value === null) return "type";
      setInputValue(call, { [field]: value });
      return field;
  }
}

/** Sets the input value, and its exact text if a number has more digits than a double can represent. */
function setInputValue(call: ToolCallPart, value: object): void {
  call.input = value;
  if (hasExactNumbers(value)) call.inputText = stringifyJson(value);
}

/**
 * True if the provider runs the call of a tool that a client can also run: a shell outside the client's local
 * environment, or a tool search on the server.
 */
function runsAtProvider({ environment, execution }: JsonObject, toolType: ToolItemType): boolean {
  if (toolType.callType === "shell_call") return isObject(environment) && environment["type"] !== "local";
  return toolType.callType === "tool_search_call" && execution === "server";
}

/**
 * Returns the default status of a call, which is not stored; undefined if every status is stored. Marks a call that was
 * cut off as invalid (B31).
 */
function readCallStatus(
  call: ToolCallPart,
  { id, status }: JsonObject,
  result: ToolResultPart | undefined,
): string | undefined {
  if (result !== undefined) return result.isError ? "failed" : "completed";
  if (status === "incomplete" && call.invalid !== true && call.executor !== "provider") {
    call.invalid = true;
    return status;
  }
  return typeof id === "string" ? "completed" : undefined;
}

const UNFINISHED: ReadonlySet<unknown> = new Set(["in_progress", "searching", "interpreting", "generating", "calling"]);

/** Decodes the output of a hosted call. Returns undefined if the call is still running and has no output. */
function decodeInlineResult(
  call: ToolCallPart,
  item: JsonObject,
  toolType: ToolItemType,
  known: string[],
  dialect: string,
): ToolResultPart | undefined {
  const { toolCallId, toolName } = call;
  const { status, error, [toolType.outputField]: output, output_format: format } = item;
  const hasError = toolType.callType === "mcp_call" && error !== null && error !== undefined;
  const hasOutput = output !== null && output !== undefined;
  if (!hasOutput && !hasError && UNFINISHED.has(status)) return undefined;
  const isError = hasError || status === "failed";
  const result: ToolResultPart = {
    type: "tool-result",
    toolCallId,
    toolName,
    isError,
    executor: "provider",
    tool: toolType.callType,
  };
  if (toolType.callType === "image_generation_call") {
    if (typeof output !== "string") return result;
    known.push(toolType.outputField);
    result.content = [{ type: "image", data: output }];
    const [image] = result.content;
    if (typeof format === "string" && image?.type === "image") {
      image.mimeType = `image/${format === "svg" ? "svg+xml" : format}`;
      known.push("output_format");
    }
    return result;
  }
  const field = hasError ? "error" : toolType.outputField;
  // By default, the message of a failed MCP call is encoded as `error`; the form makes the encoder write it into the
  // output field.
  if (toolType.callType === "mcp_call" && isError && !hasError) storeForm(result, dialect, "in", toolType.outputField);
  if (!hasError && !hasOutput) return result;
  copyField(item, field, result, "output");
  known.push(field);
  return result;
}

/** Decodes an output item. Returns undefined if the item lacks the fields of a result or belongs to no call. */
export function decodeOutputItem(
  item: JsonObject,
  toolType: ToolItemType,
  state: ResponsesDecodeState,
): ToolResultPart | undefined {
  const { context } = state;
  const result: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const known: string[] = [];
  const output = item[toolType.outputField];
  if (toolType === FUNCTION_TYPE || toolType === CUSTOM_TYPE) {
    // In a response, function outputs do not come from the client, so they become opaque parts.
    if (state.isResponse) return undefined;
    if (Array.isArray(output)) {
      context.pathTracker.enter(toolType.outputField);
      result.content = decodeBlocks(output, context);
      context.pathTracker.leave();
    } else if (typeof output === "string") result.output = output;
    else return undefined;
  } else if (toolType.callType === "computer_call") {
    const image =
      isObject(output) && output["type"] === "computer_screenshot" ? decodeMedia(output, "image", context) : undefined;
    if (image === undefined) return undefined;
    result.content = [image];
  } else if (typeof output === "string" && hasStructuredOutput(toolType)) return undefined;
  else if (output !== undefined && output !== null) copyField(item, toolType.outputField, result, "output");
  else if (toolType.callType !== "apply_patch_call") return undefined;
  if (result.output !== undefined || result.content !== undefined) known.push(toolType.outputField);
  let callIdField = toolType.callIdField;
  // Older clients send the id of the shell call as the item's id.
  if (toolType.callType === "local_shell_call" && item[callIdField] === undefined) callIdField = "id";
  const id = item[callIdField];
  if (typeof id === "string") known.push(callIdField);
  if (callIdField === "id") storeForm(result, context.dialect, "answers", "id");
  if (toolType === CUSTOM_TYPE) result.format = "text";
  else if (toolType !== FUNCTION_TYPE) result.tool = toolType.callType;
  if (!matchCall(result, id, toolType, item, state)) return undefined;
  // The output item has the type of another tool than its call; the form makes the encoder write this type again.
  if ((state.toolTypesByCallId.get(result.toolCallId) ?? toolType) !== toolType)
    storeForm(result, context.dialect, "row", toolType.callType);
  const isHosted = state.isResponse || state.hostedCallIds.has(result.toolCallId) || item["execution"] === "server";
  if (isHosted) result.executor = "provider";
  storeItemFields(result, item, known, readOutputStatus(result, item, toolType), state);
  return result;
}

/** Assigns a result to its call. Returns false if no call is found for the result. */
function matchCall(
  result: ToolResultPart,
  id: unknown,
  toolType: ToolItemType,
  item: JsonObject,
  state: ResponsesDecodeState,
): boolean {
  const { calls, context } = state;
  if (typeof id === "string") calls.matchResult(result, id);
  else if (toolType.toolName !== undefined) {
    result.toolName = toolType.toolName;
    calls.matchResult(result, undefined);
  } else if (item["name"] === undefined) {
    // A result without a call id belongs to the first unanswered call whose id is empty (B17).
    calls.matchResult(result, "");
    if (result.toolCallId !== "") storeForm(result, context.dialect, "id", null);
  }
  return typeof id === "string" || result.toolCallId !== "";
}

function readOutputStatus(
  result: ToolResultPart,
  { id, status }: JsonObject,
  toolType: ToolItemType,
): string | undefined {
  if (toolType.callType !== "apply_patch_call") return typeof id === "string" ? "completed" : undefined;
  result.isError = status === "failed";
  return result.isError ? "failed" : "completed";
}
