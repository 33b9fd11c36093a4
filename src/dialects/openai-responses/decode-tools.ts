// Items that ask something of a tool, and items that answer. One that does both becomes a call and its result.
import { readArguments } from "../../model/arguments.ts";
import type { JsonObject } from "../../model/json.ts";
import { hasExactNumbers, stringifyJson } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { restoreName } from "../kit/names.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { decodeBlocks } from "./content.ts";
import { decodeMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { keepItem } from "./reading.ts";
import type { ToolRow } from "./tool-rows.ts";
import { CUSTOM, FUNCTION, isShaped } from "./tool-rows.ts";

/** The parts of an item that asks; undefined where it lacks what a call needs. */
export function decodeCallItem(item: JsonObject, row: ToolRow, reading: Reading): Part[] | undefined {
  const name = row.name ?? item["name"];
  const id = row.byId === true ? item["id"] : item["call_id"];
  // What the provider ran is known by its id alone.
  if (typeof name !== "string" || (row.byId === true && typeof id !== "string")) return undefined;
  const toolName = row.name === undefined ? restoreName(name, reading.names?.toolNames) : name;
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  const asked = readInput(call, item, row, reading);
  if (asked === undefined) return undefined;
  if (row === CUSTOM) call.format = "text";
  else if (row !== FUNCTION) call.tool = row.call;
  const isHosted = row.output === undefined || runsAtProvider(item, row);
  if (isHosted) call.executor = "provider";
  reading.calls.add(call, typeof id === "string" ? restoreName(id, reading.names?.toolCallIds) : undefined);
  reading.asked.set(call.toolCallId, row);
  if (isHosted && row.output !== undefined) reading.hosted.add(call.toolCallId);
  const known = row.name === undefined ? [asked, "name"] : [asked];
  if (typeof id === "string") known.push(row.byId === true ? "id" : "call_id");
  const answer = row.output === undefined ? readAnswer(call, item, row, known, reading.context.dialect) : undefined;
  keepItem(call, item, known, statusOfCall(call, item, answer), reading);
  return answer === undefined ? [call] : [call, answer];
}

/** Reads what is asked; which field said it, or undefined where it cannot be read. */
function readInput(call: ToolCallPart, item: JsonObject, row: ToolRow, { context }: Reading): string | undefined {
  // A computer may be asked for several things at once.
  const field = row.asks === "action" && Array.isArray(item["actions"]) ? "actions" : row.asks;
  const asked = item[field];
  const isText = typeof asked === "string";
  switch (row.how) {
    case "json":
      if (isText) {
        const { input, inputText, invalid } = readArguments(asked);
        call.input = input;
        if (inputText !== undefined) call.inputText = inputText;
        if (invalid !== undefined) call.invalid = invalid;
      } else if (asked === undefined) storeForm(call, context.dialect, "arguments", "absent");
      else if (isObject(asked)) {
        readValue(call, asked);
        storeForm(call, context.dialect, "arguments", "object");
      } else return undefined;
      return field;
    case "text":
      call.input = asked;
      return isText ? field : undefined;
    case "value":
      if (typeof asked !== "object" || asked === null || (field === "action" && Array.isArray(asked))) return undefined;
      readValue(call, asked);
      return field;
    case "field":
      if (asked === undefined || asked === null) return "type";
      readValue(call, { [field]: asked });
      return field;
  }
}

/** A value is taken as it is; a text keeps the digits that it would lose in a stored copy. */
function readValue(call: ToolCallPart, value: object): void {
  call.input = value;
  if (hasExactNumbers(value)) call.inputText = stringifyJson(value);
}

/** Whether the provider runs what other rows leave to the client: shells in its containers, searches for its tools. */
function runsAtProvider({ environment, execution }: JsonObject, row: ToolRow): boolean {
  if (row.call === "shell_call") return isObject(environment) && environment["type"] !== "local";
  return row.call === "tool_search_call" && execution === "server";
}

/** What the plain form says about how far a call got. A call that was cut off must not be run (B31). */
function statusOfCall(
  call: ToolCallPart,
  { id, status }: JsonObject,
  answer: ToolResultPart | undefined,
): string | undefined {
  if (answer !== undefined) return answer.isError ? "failed" : "completed";
  if (status === "incomplete" && call.invalid !== true && call.executor !== "provider") {
    call.invalid = true;
    return status;
  }
  return typeof id === "string" ? "completed" : undefined;
}

const UNFINISHED: ReadonlySet<unknown> = new Set(["in_progress", "searching", "interpreting", "generating", "calling"]);

/** What came back, where one item holds both; undefined where nothing has come back yet. */
function readAnswer(
  call: ToolCallPart,
  item: JsonObject,
  row: ToolRow,
  known: string[],
  dialect: string,
): ToolResultPart | undefined {
  const { toolCallId, toolName } = call;
  const { status, error, [row.answer]: said, output_format: format } = item;
  const hasError = row.call === "mcp_call" && error !== null && error !== undefined;
  const hasSaid = said !== null && said !== undefined;
  if (!hasSaid && !hasError && UNFINISHED.has(status)) return undefined;
  const isError = hasError || status === "failed";
  const result: ToolResultPart = {
    type: "tool-result",
    toolCallId,
    toolName,
    isError,
    executor: "provider",
    tool: row.call,
  };
  if (row.call === "image_generation_call") {
    if (typeof said !== "string") return result;
    known.push(row.answer);
    result.content = [{ type: "image", data: said }];
    const [image] = result.content;
    if (typeof format === "string" && image?.type === "image") {
      image.mimeType = `image/${format === "svg" ? "svg+xml" : format}`;
      known.push("output_format");
    }
    return result;
  }
  const field = hasError ? "error" : row.answer;
  // Plainly, what failed says so in its error.
  if (row.call === "mcp_call" && isError && !hasError) storeForm(result, dialect, "in", row.answer);
  if (!hasError && !hasSaid) return result;
  copyField(item, field, result, "output");
  known.push(field);
  return result;
}

/** The result of an item that answers; undefined where it lacks what a result needs. */
export function decodeOutputItem(item: JsonObject, row: ToolRow, reading: Reading): ToolResultPart | undefined {
  const { context } = reading;
  const result: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const known: string[] = [];
  const said = item[row.answer];
  if (row === FUNCTION || row === CUSTOM) {
    // Functions are the client's; what an answer says about their results is the provider's business.
    if (reading.isReply) return undefined;
    if (Array.isArray(said)) {
      context.pathTracker.enter(row.answer);
      result.content = decodeBlocks(said, context);
      context.pathTracker.leave();
    } else if (typeof said === "string") result.output = said;
    else return undefined;
  } else if (row.call === "computer_call") {
    const image =
      isObject(said) && said["type"] === "computer_screenshot" ? decodeMedia(said, "image", context) : undefined;
    if (image === undefined) return undefined;
    result.content = [image];
  } else if (typeof said === "string" && isShaped(row)) return undefined;
  else if (said !== undefined && said !== null) copyField(item, row.answer, result, "output");
  else if (row.call !== "apply_patch_call") return undefined;
  if (result.output !== undefined || result.content !== undefined) known.push(row.answer);
  let answers = row.answers;
  // Older clients name the shell call in the id.
  if (row.call === "local_shell_call" && item[answers] === undefined) answers = "id";
  const id = item[answers];
  if (typeof id === "string") known.push(answers);
  if (answers === "id") storeForm(result, context.dialect, "answers", "id");
  if (row === CUSTOM) result.format = "text";
  else if (row !== FUNCTION) result.tool = row.call;
  if (!answerCall(result, id, row, item, reading)) return undefined;
  // It answers as another tool than the one that was asked.
  if ((reading.asked.get(result.toolCallId) ?? row) !== row) storeForm(result, context.dialect, "row", row.call);
  const isHosted = reading.isReply || reading.hosted.has(result.toolCallId) || item["execution"] === "server";
  if (isHosted) result.executor = "provider";
  keepItem(result, item, known, statusOfOutput(result, item, row), reading);
  return result;
}

/** Ties a result to its call; false where it says that it answers none. */
function answerCall(result: ToolResultPart, id: unknown, row: ToolRow, item: JsonObject, reading: Reading): boolean {
  const { calls, context } = reading;
  if (typeof id === "string") calls.answer(result, id);
  else if (row.name !== undefined) {
    result.toolName = row.name;
    calls.answer(result, undefined);
  } else if (item["name"] === undefined) {
    // The call may lack its id, too (B17).
    calls.answer(result, "");
    if (result.toolCallId !== "") storeForm(result, context.dialect, "id", null);
  }
  return typeof id === "string" || result.toolCallId !== "";
}

function statusOfOutput(result: ToolResultPart, { id, status }: JsonObject, row: ToolRow): string | undefined {
  if (row.call !== "apply_patch_call") return typeof id === "string" ? "completed" : undefined;
  result.isError = status === "failed";
  return result.isError ? "failed" : "completed";
}
