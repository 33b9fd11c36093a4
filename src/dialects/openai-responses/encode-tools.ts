// Calls and results as items. Each tool has an item of its own; what does not fit into one is a function's.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { assignObject } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { wireCallId } from "../kit/calls.ts";
import { copyField, isObject } from "../kit/read.ts";
import { outputText } from "../kit/results.ts";
import { encodeBlock } from "./content.ts";
import { isShowable } from "./media.ts";
import type { ToolRow } from "./tool-rows.ts";
import { CUSTOM, FUNCTION, isShaped, rowOfCall } from "./tool-rows.ts";
import type { InputText } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, finishItem, itemId, reportPart, spelled } from "./writing.ts";

/** The item that a call or result is written as; undefined where it has none. */
function rowOf(part: ToolCallPart | ToolResultPart): ToolRow | undefined {
  if (part.tool !== undefined) return rowOfCall(part.tool);
  if (part.executor === "provider") return undefined;
  return part.format === "text" ? CUSTOM : FUNCTION;
}

/** Whether what is asked can stand where the item wants it. */
function fits({ input, executor, toolCallId }: ToolCallPart, row: ToolRow, writing: Writing): boolean {
  // A call needs its answer, and a computer answers with a picture.
  if (row.call === COMPUTER && writing.context.repair && !shownCalls(writing).has(toolCallId)) return false;
  if (row.output === undefined && executor !== "provider") return false;
  if (row.how === "value") return typeof input === "object" && input !== null;
  if (row.how === "field") return isObject(input) && Object.keys(input).every((key) => key === row.asks);
  return true;
}

/** Whether a call goes out as an item of its own kind, with its id. */
export function keepsItem(call: ToolCallPart, writing: Writing): boolean {
  const row = rowOf(call);
  return row === undefined || fits(call, row, writing);
}

const COMPUTER = "computer_call";

/** The calls whose results begin with a picture that can be shown. */
function shownCalls(writing: Writing): ReadonlySet<string> {
  if (writing.shown !== undefined) return writing.shown;
  const shown = new Set<string>();
  for (const { message } of writing.turns) {
    for (const part of message.parts) {
      if (part.type !== "tool-result") continue;
      const [image] = part.content ?? [];
      if (image?.type === "image" && isShowable(image, writing)) shown.add(part.toolCallId);
    }
  }
  writing.shown = shown;
  return shown;
}

/** What becomes of a call that does not fit its own item: a plain one, unless the provider runs it. */
function otherRow({ executor, format }: ToolCallPart): ToolRow | undefined {
  if (executor === "provider") return undefined;
  return format === "text" ? CUSTOM : FUNCTION;
}

/** The item that a call becomes; undefined where it is left out. */
export function rowFor(call: ToolCallPart, writing: Writing): ToolRow | undefined {
  const own = rowOf(call);
  return own !== undefined && fits(call, own, writing) ? own : otherRow(call);
}

const CALL = ["toolCallId", "toolName", "input", "inputText", "invalid", "executor", "format"];
const PLAIN_CALL = carrying(...CALL);
const TOOL_CALL = carrying(...CALL, "tool");

/** The item of a call, with the answer in it where there is one item for both; undefined where it is left out. */
export function encodeCall(
  call: ToolCallPart,
  answer: ToolResultPart | undefined,
  writing: Writing,
): JsonObject | undefined {
  const { context } = writing;
  const own = rowOf(call);
  const isFitting = own !== undefined && fits(call, own, writing);
  const row = isFitting ? own : otherRow(call);
  if (row === undefined) {
    context.report.addLoss("provider-tool");
    return undefined;
  }
  writing.calls.set(call.toolCallId, { name: call.toolName, row });
  const item: JsonObject = { type: row.call };
  const id = writeIds(item, call, row, own === undefined || isFitting, writing);
  reportPart(call, isFitting ? TOOL_CALL : PLAIN_CALL, writing, id);
  reportDefaults(call, row, writing);
  if (row.name === undefined) item["name"] = hasOwnName(row) ? call.toolName : writing.names.toolName(call.toolName);
  else if (row.name !== call.toolName) context.report.addLoss("field-unsaid", "toolName");
  // What the end of the answer said need not be said by the call.
  const isImplied = writing.cut === call && spelled(call, context)["cut"] === "ending";
  const isCut = writeInput(item, call, row, writing) && !isImplied;
  if (answer !== undefined) writeAnswer(item, answer, row, context);
  if (answer !== undefined) writing.answers.set(answer, call);
  if (isCut) item["status"] = "incomplete";
  const isPlain = isCut || (answer?.isError !== true && item["id"] === undefined);
  const plain = isPlain ? undefined : answer?.isError === true ? "failed" : "completed";
  return finishItem(item, call, plain, writing);
}

/** The names of tools on other servers are not the client's to change. */
function hasOwnName({ call }: ToolRow): boolean {
  return call.startsWith("mcp_");
}

/** Writes the call's id and the item's; which seal went out with it. */
function writeIds(
  item: JsonObject,
  call: ToolCallPart,
  row: ToolRow,
  isOwn: boolean,
  writing: Writing,
): "id" | undefined {
  const callId = callIdOf(call, row, writing);
  if (callId !== undefined) item[row.byId === true ? "id" : "call_id"] = callId;
  if (row.byId === true) return undefined;
  // The id of one kind of item is none for another.
  if (!isOwn && writing.seed === undefined) return undefined;
  const id = itemId(call, row === FUNCTION ? "fc" : "ctc", writing);
  if (id !== undefined) item["id"] = id;
  return id === undefined ? undefined : "id";
}

/** The id of a call; one that the provider gave is not the client's to change. */
function callIdOf(part: ToolCallPart | ToolResultPart, row: ToolRow, { names, context }: Writing): string | undefined {
  if (row.byId !== true) return wireCallId(part, names, context);
  const { id } = spelled(part, context);
  return id === null ? undefined : typeof id === "string" ? id : part.toolCallId;
}

/** What goes unsaid: functions are the client's, and speak JSON. */
function reportDefaults(
  { executor, format, invalid }: ToolCallPart | (ToolResultPart & { invalid?: never }),
  row: ToolRow,
  { context }: Writing,
): void {
  if (executor === "client") context.report.addLoss("tool-default", "executor");
  if (format !== undefined && (format === "text") !== (row === CUSTOM))
    context.report.addLoss("field-unsaid", "format");
  else if (format === "json") context.report.addLoss("tool-default", "format");
  if (invalid === false) context.report.addLoss("tool-default", "invalid");
}

/** Writes what is asked; whether only a status can say that it was cut off. */
function writeInput(item: JsonObject, call: ToolCallPart, row: ToolRow, { context }: Writing): boolean {
  const { input } = call;
  const form = spelled(call, context)["arguments"];
  let isUnreadable = false;
  if (row.how === "json") {
    if (form === "absent" && isEmpty(input)) return call.invalid === true;
    if (form === "object" && isObject(input)) item[row.asks] = exactInput(call);
    else {
      const text = argumentsText(call);
      item[row.asks] = text;
      isUnreadable = call.invalid === true && readArguments(text).invalid === true;
    }
  } else if (row.how === "text") item[row.asks] = typeof input === "string" ? input : argumentsText(call);
  else if (row.how === "field") assignObject(item, exactInput(call));
  else item[Array.isArray(input) && row.asks === "action" ? "actions" : row.asks] = exactInput(call);
  return call.invalid === true && !isUnreadable;
}

function isEmpty(input: unknown): boolean {
  return input === undefined || (isObject(input) && Object.keys(input).length === 0);
}

/** The input with every digit that the exact text still knows (B23). */
function exactInput(call: ToolCallPart): JsonObject {
  // It is known to be an object or a list, and reading gives back JSON.
  return (call.inputText === undefined ? call.input : readArguments(argumentsText(call)).input) as JsonObject;
}

const ANSWER = carrying("toolCallId", "toolName", "isError", "output", "executor", "tool");
const IMAGE_ANSWER = carrying("toolCallId", "toolName", "isError", "content", "executor", "tool");
const IMAGE = carrying("data", "mimeType");

function writeAnswer(item: JsonObject, answer: ToolResultPart, row: ToolRow, context: Writing["context"]): void {
  const [image] = answer.content ?? [];
  if (row.call === "image_generation_call") {
    if (image?.type !== "image" || image.data === undefined) return;
    item[row.answer] = image.data;
    if (image.mimeType !== undefined) item["output_format"] = image.mimeType.replace(/^image\/|\+xml$/g, "");
  } else if (answer.output !== undefined) {
    const isError = answer.isError && row.call === "mcp_call" && spelled(answer, context)["in"] === undefined;
    copyField(answer, "output", item, isError ? "error" : row.answer);
  }
}

/** Reports what an answer that stands in its call's item cannot say; whether it is one. The trail stands at the result. */
export function reportAnswer(answer: ToolResultPart, writing: Writing): boolean {
  const { context, answers } = writing;
  const call = answers.get(answer);
  if (call === undefined) return false;
  if (call.toolName !== answer.toolName) context.report.addLoss("tool-name", "toolName");
  const isImage = call.tool === "image_generation_call";
  reportPart(answer, isImage ? IMAGE_ANSWER : ANSWER, writing);
  if (isImage) {
    context.pathTracker.each("content", answer.content ?? [], (part, at) => {
      if (at > 0 || part.type !== "image" || part.data === undefined) context.report.addLoss("part-unsayable");
      else reportPart(part, IMAGE, writing);
    });
  }
  return true;
}

const RESULT = ["toolCallId", "toolName", "isError", "output", "content", "executor", "format"];
const PLAIN_RESULT = carrying(...RESULT);
const TOOL_RESULT = carrying(...RESULT, "tool");

/** The item of a result; undefined where it is left out. Of one that a repair made, nothing needs to be reported. */
export function encodeResult(result: ToolResultPart, isMade: boolean, writing: Writing): JsonObject | undefined {
  const { context, calls } = writing;
  const call = calls.get(result.toolCallId);
  const form = spelled(result, context)["row"];
  const own = (form === undefined ? call?.row : rowOfCall(form)) ?? rowOf(result);
  // The answer to a call that holds its answer has no item of its own.
  if (result.executor === "provider" && own?.output === undefined) {
    context.report.addLoss("provider-tool");
    return undefined;
  }
  const row = own?.output === undefined ? FUNCTION : own;
  const item: JsonObject = { type: row.output ?? "" };
  if (!writeOutput(item, result, row, isMade, writing)) {
    context.report.addLoss("part-unsayable");
    return undefined;
  }
  const seal = writeAnswerIds(item, result, row, writing);
  const saysTool = isMade || (result.tool ?? row.call) === row.call;
  reportPart(result, saysTool ? TOOL_RESULT : PLAIN_RESULT, writing, seal);
  reportDefaults(result, row, writing);
  if (result.toolName !== (call?.name ?? "")) context.report.addLoss("tool-name", "toolName");
  const isPatch = row.call === "apply_patch_call";
  if (result.isError && !isPatch && !isMade) context.report.addLoss("error-unsaid", "isError");
  const plain = isPatch && result.isError ? "failed" : "completed";
  return finishItem(item, result, isPatch || item["id"] !== undefined ? plain : undefined, writing);
}

/** Writes the id of the call and the item's own; which seal went out with it. */
function writeAnswerIds(item: JsonObject, result: ToolResultPart, row: ToolRow, writing: Writing): "id" | undefined {
  const { context } = writing;
  const isById = spelled(result, context)["answers"] === "id";
  const id = callIdOf(result, row, writing);
  if (id !== undefined) item[isById ? "id" : row.answers] = id;
  const own = isById ? undefined : itemId(result, undefined, writing);
  if (own !== undefined) item["id"] = own;
  return own === undefined ? undefined : "id";
}

/** Writes what came back; whether the item can hold it. */
function writeOutput(
  item: JsonObject,
  result: ToolResultPart,
  row: ToolRow,
  isMade: boolean,
  writing: Writing,
): boolean {
  const { context } = writing;
  if (row === FUNCTION || row === CUSTOM) {
    item[row.answer] = encodeContent(result, writing);
    return true;
  }
  if (row.call === COMPUTER) return writeScreenshot(item, result, row, writing);
  if (result.content !== undefined) context.report.addLoss("field-unsaid", "content");
  const { output } = result;
  if (typeof output === "string" && isShaped(row)) {
    if (!isMade) context.report.addLoss("output-shaped", "output");
    Object.assign(item, shaped(output, result.isError, row));
  } else if (output !== undefined) copyField(result, "output", item, row.answer);
  return true;
}

/** A text in the shape of a tool's answers. */
function shaped(text: string, isError: boolean, { call }: ToolRow): JsonObject {
  if (call === "tool_search_call") return { tools: [] };
  if (call === "mcp_approval_request") return { approve: false, reason: text };
  const [stdout, stderr] = isError ? ["", text] : [text, ""];
  return { output: [{ stdout, stderr, outcome: { type: "exit", exit_code: isError ? 1 : 0 } }] };
}

function writeScreenshot(
  item: JsonObject,
  { content = [], output }: ToolResultPart,
  row: ToolRow,
  writing: Writing,
): boolean {
  const { context } = writing;
  const [image] = content;
  if (image?.type !== "image") return false;
  if (output !== undefined) context.report.addLoss("field-unsaid", "output");
  const blocks = encodeBlocks(content.slice(0, 1), writing);
  for (let at = 1; at < content.length; at++) context.report.addLoss("part-unsayable", ["content", at]);
  const [block] = blocks;
  if (block === undefined) return false;
  block["type"] = "computer_screenshot";
  item[row.answer] = block;
  return true;
}

function encodeBlocks(content: readonly Part[], writing: Writing): JsonObject[] {
  const blocks = writing.context.pathTracker.each("content", content, (part) => encodeBlock(part, writing));
  return blocks.filter((block) => block !== undefined);
}

/** A text, or blocks where there is more than a text. */
function encodeContent(result: ToolResultPart, writing: Writing): JsonValue {
  const { context } = writing;
  const { output, content } = result;
  if (output !== undefined && typeof output !== "string") context.report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (output === undefined) context.report.addLoss("result-empty", "output");
    return outputText(result);
  }
  const blocks = encodeBlocks(content, writing);
  if (output === undefined) {
    if (blocks.length > 0 || (content.length === 0 && !context.repair)) return blocks;
    context.report.addLoss("result-empty", "output");
    return "";
  }
  context.report.addLoss("output-in-content", "output");
  return [{ type: "input_text", text: outputText(result) } satisfies InputText, ...blocks];
}
