// Encodes tool calls and results as items of their tool. Calls and results that do not fit the item type of their tool
// become function items.
import { formatArguments, parseArguments } from "../../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { assignObject } from "../../../model/json/index.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { toWireCallId } from "../../kit/tools/tool-call-ids.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { formatToolOutput } from "../../kit/tools/tool-output-text.ts";
import { encodeBlock } from "./input-blocks.ts";
import { hasImageSource } from "./media.ts";
import type { ToolItemType } from "./tool-item-types.ts";
import { CUSTOM_TYPE, FUNCTION_TYPE, hasStructuredOutput, findByCallType } from "./tool-item-types.ts";
import type { InputText } from "../types.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import { supportedFields, finishItem, encodeItemId, reportPart, readOwnForm } from "../encode-state.ts";

/** Returns the item type of a call's or result's tool; undefined for tools that Responses does not have. */
function findToolType(part: ToolCallPart | ToolResultPart): ToolItemType | undefined {
  if (part.tool !== undefined) return findByCallType(part.tool);
  if (part.executor === "provider") return undefined;
  return part.format === "text" ? CUSTOM_TYPE : FUNCTION_TYPE;
}

/** True if an item of the type can express the call. */
function fitsItem(
  { input, executor, toolCallId }: ToolCallPart,
  toolType: ToolItemType,
  state: ResponsesEncodeState,
): boolean {
  // The API requires that the result of a computer call is a screenshot.
  if (toolType.callType === COMPUTER_CALL && state.context.repair && !findCallsWithScreenshot(state).has(toolCallId))
    return false;
  if (toolType.outputType === undefined && executor !== "provider") return false;
  if (toolType.inputForm === "value") return typeof input === "object" && input !== null;
  if (toolType.inputForm === "field")
    return isObject(input) && Object.keys(input).every((key) => key === toolType.inputField);
  return true;
}

/** True if a call is encoded as an item of its own type, so that the call's item id is valid. */
export function hasOwnItem(call: ToolCallPart, state: ResponsesEncodeState): boolean {
  const toolType = findToolType(call);
  return toolType === undefined || fitsItem(call, toolType, state);
}

const COMPUTER_CALL = "computer_call";

/** Returns the ids of the calls whose results start with an image that can be encoded. */
function findCallsWithScreenshot(state: ResponsesEncodeState): ReadonlySet<string> {
  if (state.callsWithScreenshot !== undefined) return state.callsWithScreenshot;
  const calls = new Set<string>();
  for (const { message } of state.turns) {
    for (const part of message.parts) {
      if (part.type !== "tool-result") continue;
      const [image] = part.content ?? [];
      if (image?.type === "image" && hasImageSource(image, state)) calls.add(part.toolCallId);
    }
  }
  state.callsWithScreenshot = calls;
  return calls;
}

/**
 * Returns the function or custom type, for a call that does not fit its own type; undefined if the provider runs the
 * call.
 */
function findPlainType({ executor, format }: ToolCallPart): ToolItemType | undefined {
  if (executor === "provider") return undefined;
  return format === "text" ? CUSTOM_TYPE : FUNCTION_TYPE;
}

/** Returns the item type of a call; undefined if the call is dropped, because only the provider could run it. */
export function chooseToolType(call: ToolCallPart, state: ResponsesEncodeState): ToolItemType | undefined {
  const ownType = findToolType(call);
  return ownType !== undefined && fitsItem(call, ownType, state) ? ownType : findPlainType(call);
}

const CALL_FIELDS = ["toolCallId", "toolName", "input", "inputText", "invalid", "executor", "format"];
const SUPPORTED_PLAIN_CALL = supportedFields(...CALL_FIELDS);
const SUPPORTED_TOOL_CALL = supportedFields(...CALL_FIELDS, "tool");

/**
 * Encodes a call, and its result if one item contains both. Returns undefined and reports a loss if the call is
 * dropped.
 */
export function encodeCall(
  call: ToolCallPart,
  result: ToolResultPart | undefined,
  state: ResponsesEncodeState,
): JsonObject | undefined {
  const { context } = state;
  const ownType = findToolType(call);
  const isFitting = ownType !== undefined && fitsItem(call, ownType, state);
  const toolType = isFitting ? ownType : findPlainType(call);
  if (toolType === undefined) {
    context.report.addLoss("provider-tool-unsupported");
    return undefined;
  }
  state.calls.set(call.toolCallId, { name: call.toolName, itemType: toolType });
  const item: JsonObject = { type: toolType.callType };
  const id = encodeCallIds(item, call, toolType, ownType === undefined || isFitting, state);
  reportPart(call, isFitting ? SUPPORTED_TOOL_CALL : SUPPORTED_PLAIN_CALL, state, id);
  reportDefaults(call, toolType, state);
  if (toolType.toolName === undefined)
    item["name"] = isMcpItem(toolType) ? call.toolName : state.names.encodeToolName(call.toolName);
  else if (toolType.toolName !== call.toolName) context.report.addLoss("field-unsupported", "toolName");
  // The status of the response already states that the call was cut off, so the item does not repeat it.
  const isImplied = state.cutOffCall === call && readOwnForm(call, context)["cut"] === "ending";
  const isCut = encodeInput(item, call, toolType, state) && !isImplied;
  if (result !== undefined) encodeInlineResult(item, result, toolType, context);
  if (result !== undefined) state.callsByResult.set(result, call);
  if (isCut) item["status"] = "incomplete";
  const isPlain = isCut || (result?.isError !== true && item["id"] === undefined);
  const plain = isPlain ? undefined : result?.isError === true ? "failed" : "completed";
  return finishItem(item, call, plain, state);
}

/** True for items of MCP servers. Their tool names must not be changed, because the server knows them. */
function isMcpItem({ callType }: ToolItemType): boolean {
  return callType.startsWith("mcp_");
}

/**
 * Encodes the call id and the item id. Returns the kind of seal that contains the item id; undefined if the item has no
 * item id or if the item id is the call id.
 */
function encodeCallIds(
  item: JsonObject,
  call: ToolCallPart,
  toolType: ToolItemType,
  isOwn: boolean,
  state: ResponsesEncodeState,
): "id" | undefined {
  const callId = encodeCallId(call, toolType, state);
  if (callId !== undefined) item[toolType.hasItemIdAsCallId === true ? "id" : "call_id"] = callId;
  if (toolType.hasItemIdAsCallId === true) return undefined;
  // An item id is valid only for an item of its original type. A call whose type has changed therefore has no item id,
  // except in a response (`idSeed` is set), where every item gets a new id.
  if (!isOwn && state.idSeed === undefined) return undefined;
  const id = encodeItemId(call, toolType === FUNCTION_TYPE ? "fc" : "ctc", state);
  if (id !== undefined) item["id"] = id;
  return id === undefined ? undefined : "id";
}

/** Encodes a call id. If the item id is the call id, the provider assigned it, so it is not renamed. */
function encodeCallId(
  part: ToolCallPart | ToolResultPart,
  toolType: ToolItemType,
  { names, context }: ResponsesEncodeState,
): string | undefined {
  if (toolType.hasItemIdAsCallId !== true) return toWireCallId(part, names, context);
  const { id } = readOwnForm(part, context);
  return id === null ? undefined : typeof id === "string" ? id : part.toolCallId;
}

/** Reports the executor, format and `invalid` flag of a part if its item does not contain them. */
function reportDefaults(
  { executor, format, invalid }: ToolCallPart | (ToolResultPart & { invalid?: never }),
  toolType: ToolItemType,
  { context }: ResponsesEncodeState,
): void {
  if (executor === "client") context.report.addLoss("tool-default-omitted", "executor");
  if (format !== undefined && (format === "text") !== (toolType === CUSTOM_TYPE))
    context.report.addLoss("field-unsupported", "format");
  else if (format === "json") context.report.addLoss("tool-default-omitted", "format");
  if (invalid === false) context.report.addLoss("tool-default-omitted", "invalid");
}

/**
 * Encodes the input of a call. Returns true if the call was cut off although its encoded input is readable, so that
 * only the item's status can express it.
 */
function encodeInput(
  item: JsonObject,
  call: ToolCallPart,
  toolType: ToolItemType,
  { context }: ResponsesEncodeState,
): boolean {
  const { input } = call;
  const form = readOwnForm(call, context)["arguments"];
  let isUnreadable = false;
  if (toolType.inputForm === "json") {
    if (form === "absent" && isEmpty(input)) return call.invalid === true;
    if (form === "object" && isObject(input)) item[toolType.inputField] = exactInput(call);
    else {
      const text = formatArguments(call);
      item[toolType.inputField] = text;
      isUnreadable = call.invalid === true && parseArguments(text).invalid === true;
    }
  } else if (toolType.inputForm === "text")
    item[toolType.inputField] = typeof input === "string" ? input : formatArguments(call);
  else if (toolType.inputForm === "field") assignObject(item, exactInput(call));
  else
    item[Array.isArray(input) && toolType.inputField === "action" ? "actions" : toolType.inputField] = exactInput(call);
  return call.invalid === true && !isUnreadable;
}

function isEmpty(input: unknown): boolean {
  return input === undefined || (isObject(input) && Object.keys(input).length === 0);
}

/** Returns the input with all digits of its exact text (B23). */
function exactInput(call: ToolCallPart): JsonObject {
  // The cast is safe, because the caller has checked that the input is an object or a list.
  return (call.inputText === undefined ? call.input : parseArguments(formatArguments(call)).input) as JsonObject;
}

const SUPPORTED_INLINE_RESULT = supportedFields("toolCallId", "toolName", "isError", "output", "executor", "tool");
const SUPPORTED_INLINE_IMAGE = supportedFields("toolCallId", "toolName", "isError", "content", "executor", "tool");
const SUPPORTED_IMAGE = supportedFields("data", "mimeType");

function encodeInlineResult(
  item: JsonObject,
  result: ToolResultPart,
  toolType: ToolItemType,
  context: ResponsesEncodeState["context"],
): void {
  const [image] = result.content ?? [];
  if (toolType.callType === "image_generation_call") {
    if (image?.type !== "image" || image.data === undefined) return;
    item[toolType.outputField] = image.data;
    if (image.mimeType !== undefined) item["output_format"] = image.mimeType.replace(/^image\/|\+xml$/g, "");
  } else if (result.output !== undefined) {
    const isError =
      result.isError && toolType.callType === "mcp_call" && readOwnForm(result, context)["in"] === undefined;
    copyField(result, "output", item, isError ? "error" : toolType.outputField);
  }
}

/**
 * Reports the unsupported fields of a result that is encoded in the item of its call. Returns false if the result needs
 * an item of its own. The path tracker must be at the result.
 */
export function reportInlineResult(result: ToolResultPart, state: ResponsesEncodeState): boolean {
  const { context, callsByResult } = state;
  const call = callsByResult.get(result);
  if (call === undefined) return false;
  if (call.toolName !== result.toolName) context.report.addLoss("result-tool-name-dropped", "toolName");
  const isImage = call.tool === "image_generation_call";
  reportPart(result, isImage ? SUPPORTED_INLINE_IMAGE : SUPPORTED_INLINE_RESULT, state);
  if (isImage) {
    context.pathTracker.each("content", result.content ?? [], (part, at) => {
      if (at > 0 || part.type !== "image" || part.data === undefined) context.report.addLoss("part-unsupported");
      else reportPart(part, SUPPORTED_IMAGE, state);
    });
  }
  return true;
}

const RESULT_FIELDS = ["toolCallId", "toolName", "isError", "output", "content", "executor", "format"];
const SUPPORTED_PLAIN_RESULT = supportedFields(...RESULT_FIELDS);
const SUPPORTED_TOOL_RESULT = supportedFields(...RESULT_FIELDS, "tool");

/**
 * Encodes a result. Returns undefined and reports a loss if the result is dropped. If a repair synthesized the result
 * for a call without a result, its error flag and its wrapped output are not reported as losses.
 */
export function encodeResult(
  result: ToolResultPart,
  isSynthesized: boolean,
  state: ResponsesEncodeState,
): JsonObject | undefined {
  const { context, calls } = state;
  const call = calls.get(result.toolCallId);
  const form = readOwnForm(result, context)["row"];
  const ownType = (form === undefined ? call?.itemType : findByCallType(form)) ?? findToolType(result);
  // A result whose tool type has no output item can only be encoded in the item of its call, which is missing.
  if (result.executor === "provider" && ownType?.outputType === undefined) {
    context.report.addLoss("provider-tool-unsupported");
    return undefined;
  }
  const toolType = ownType?.outputType === undefined ? FUNCTION_TYPE : ownType;
  const item: JsonObject = { type: toolType.outputType ?? "" };
  if (!encodeOutput(item, result, toolType, isSynthesized, state)) {
    context.report.addLoss("part-unsupported");
    return undefined;
  }
  const seal = encodeResultIds(item, result, toolType, state);
  const hasSameTool = isSynthesized || (result.tool ?? toolType.callType) === toolType.callType;
  reportPart(result, hasSameTool ? SUPPORTED_TOOL_RESULT : SUPPORTED_PLAIN_RESULT, state, seal);
  reportDefaults(result, toolType, state);
  if (result.toolName !== (call?.name ?? "")) context.report.addLoss("result-tool-name-dropped", "toolName");
  const isPatch = toolType.callType === "apply_patch_call";
  if (result.isError && !isPatch && !isSynthesized) context.report.addLoss("error-flag-unsupported", "isError");
  const plain = isPatch && result.isError ? "failed" : "completed";
  return finishItem(item, result, isPatch || item["id"] !== undefined ? plain : undefined, state);
}

/**
 * Encodes the call id and the item id. Returns the kind of seal that contains the item id; undefined if the item has no
 * item id or if the field `id` contains the call id.
 */
function encodeResultIds(
  item: JsonObject,
  result: ToolResultPart,
  toolType: ToolItemType,
  state: ResponsesEncodeState,
): "id" | undefined {
  const { context } = state;
  const isById = readOwnForm(result, context)["answers"] === "id";
  const id = encodeCallId(result, toolType, state);
  if (id !== undefined) item[isById ? "id" : toolType.callIdField] = id;
  const itemId = isById ? undefined : encodeItemId(result, undefined, state);
  if (itemId !== undefined) item["id"] = itemId;
  return itemId === undefined ? undefined : "id";
}

/** Encodes the output of a result. Returns false if the item type cannot express the output. */
function encodeOutput(
  item: JsonObject,
  result: ToolResultPart,
  toolType: ToolItemType,
  isSynthesized: boolean,
  state: ResponsesEncodeState,
): boolean {
  const { context } = state;
  if (toolType === FUNCTION_TYPE || toolType === CUSTOM_TYPE) {
    item[toolType.outputField] = encodeContent(result, state);
    return true;
  }
  if (toolType.callType === COMPUTER_CALL) return encodeScreenshot(item, result, toolType, state);
  if (result.content !== undefined) context.report.addLoss("field-unsupported", "content");
  const { output } = result;
  if (typeof output === "string" && hasStructuredOutput(toolType)) {
    if (!isSynthesized) context.report.addLoss("output-wrapped", "output");
    Object.assign(item, toStructuredOutput(output, result.isError, toolType));
  } else if (output !== undefined) copyField(result, "output", item, toolType.outputField);
  return true;
}

/** Converts a text to the structured output of a tool. */
function toStructuredOutput(text: string, isError: boolean, { callType }: ToolItemType): JsonObject {
  if (callType === "tool_search_call") return { tools: [] };
  if (callType === "mcp_approval_request") return { approve: false, reason: text };
  const [stdout, stderr] = isError ? ["", text] : [text, ""];
  return { output: [{ stdout, stderr, outcome: { type: "exit", exit_code: isError ? 1 : 0 } }] };
}

function encodeScreenshot(
  item: JsonObject,
  { content = [], output }: ToolResultPart,
  toolType: ToolItemType,
  state: ResponsesEncodeState,
): boolean {
  const { context } = state;
  const [image] = content;
  if (image?.type !== "image") return false;
  if (output !== undefined) context.report.addLoss("field-unsupported", "output");
  const blocks = encodeBlocks(content.slice(0, 1), state);
  for (let at = 1; at < content.length; at++) context.report.addLoss("part-unsupported", ["content", at]);
  const [block] = blocks;
  if (block === undefined) return false;
  block["type"] = "computer_screenshot";
  item[toolType.outputField] = block;
  return true;
}

function encodeBlocks(content: readonly Part[], state: ResponsesEncodeState): JsonObject[] {
  const blocks = state.context.pathTracker.each("content", content, (part) => encodeBlock(part, state));
  return blocks.filter((block) => block !== undefined);
}

/** Encodes the output as a string, or as a list of blocks if the result has content. */
function encodeContent(result: ToolResultPart, state: ResponsesEncodeState): JsonValue {
  const { context } = state;
  const { output, content } = result;
  if (output !== undefined && typeof output !== "string") context.report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (output === undefined) context.report.addLoss("result-empty", "output");
    return formatToolOutput(result);
  }
  const blocks = encodeBlocks(content, state);
  if (output === undefined) {
    if (blocks.length > 0 || (content.length === 0 && !context.repair)) return blocks;
    context.report.addLoss("result-empty", "output");
    return "";
  }
  context.report.addLoss("output-in-content", "output");
  return [{ type: "input_text", text: formatToolOutput(result) } satisfies InputText, ...blocks];
}
