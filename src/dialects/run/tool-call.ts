// A tool call both ways. The wire has the arguments twice: parsed (`arguments`), and as text (`rawArgsText`). A text
// that cannot be parsed stands beside `arguments: {}`; that is how the run shape says that a call is invalid.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, sameJson, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import { copyField, isObject } from "../read.ts";
import { formOf, keepForm } from "../residue.ts";
import type { RunEncodeContext } from "./losses.ts";
import { staleForm } from "./residue.ts";

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Reads the payload of a call whose fields have been checked. */
export function decodeCall(payload: JsonObject, dialect: string): ToolCallPart {
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: "", input: {} };
  copyField(payload, "toolCallId", call);
  copyField(payload, "toolName", call);
  const { arguments: given, rawArgsText: text } = payload;
  if (given === undefined || given === null) keepForm(call, dialect, "arguments", given === null ? null : "absent");
  else copyField(payload, "arguments", call, "input");
  if (typeof text === "string") readText(call, given, text, dialect);
  else {
    if (text === null) keepForm(call, dialect, "rawArgsText", null);
    if (hasExactNumbers(call.input)) {
      // The digits need a text to survive where values are copied; the wire has none, which is noted.
      call.inputText = stringifyJson(call.input);
      if (text === undefined) keepForm(call, dialect, "rawArgsText", "absent");
    }
  }
  return call;
}

function readText(call: ToolCallPart, given: JsonValue | undefined, text: string, dialect: string): void {
  const read = readArguments(text);
  call.inputText = text;
  if (read.invalid === true) call.invalid = true;
  const isFromText = given === undefined || given === null || (read.invalid === true && isEmptyObject(given));
  if (isFromText) call.input = read.input;
  // The wire contradicts itself: the value is the input, the text is kept as it is.
  else if (read.invalid === true || !sameJson(read.input, given)) keepForm(call, dialect, "rawArgsText", "other");
}

/** The text that goes out as `rawArgsText`: the one that still stands for the input. */
function standingText(call: ToolCallPart, dialect: string): string | undefined {
  const { input, inputText } = call;
  if (inputText === undefined) return call.invalid === true && typeof input === "string" ? input : undefined;
  if (formOf(call, dialect)["rawArgsText"] === "other") return inputText;
  return argumentsText(call) === inputText ? inputText : undefined;
}

export function encodeCall(call: ToolCallPart, context: RunEncodeContext): JsonObject {
  const form = formOf(call, context.dialect);
  const text = standingText(call, context.dialect);
  const read = text === undefined ? undefined : readArguments(text);
  const payload: JsonObject = { toolCallId: call.toolCallId, toolName: call.toolName };
  // An unreadable text would make a call invalid that is not.
  const isSayable = read?.invalid !== true || call.invalid === true;
  const isSpelled = text !== undefined && isSayable && form["rawArgsText"] !== "absent" && form["rawArgsText"] !== null;
  const isUnreadable = isSpelled && read?.invalid === true;
  writeArguments(payload, call, { isUnreadable, exact: form["rawArgsText"] === "other" ? undefined : read?.input });
  if (form["arguments"] !== undefined) respell(payload, form["arguments"], isSpelled, context);
  if (isSpelled) payload["rawArgsText"] = text;
  else if (form["rawArgsText"] === null) payload["rawArgsText"] = null;
  if (form["rawArgsText"] === "other" && !isSpelled) staleForm(context, "rawArgsText");
  if (call.invalid === true && !isUnreadable) context.report.lose("call-invalid", "invalid");
  return payload;
}

interface TextOfCall {
  isUnreadable: boolean;
  /** The input as the text has it, with every digit. */
  exact: unknown;
}

function writeArguments(payload: JsonObject, call: ToolCallPart, { isUnreadable, exact }: TextOfCall): void {
  if (isUnreadable && (call.input === call.inputText || call.inputText === undefined)) payload["arguments"] = {};
  // A JSON value, because it was parsed just now.
  else if (hasExactNumbers(exact)) payload["arguments"] = exact as JsonValue;
  else copyField(call, "input", payload, "arguments");
}

/** Null or nothing in the place of `arguments`: fits beside a text, or where there are none. */
function respell(payload: JsonObject, spelled: JsonValue, isSpelled: boolean, context: RunEncodeContext): void {
  if (!isSpelled && !isEmptyObject(payload["arguments"])) staleForm(context, "arguments");
  else if (spelled === null) payload["arguments"] = null;
  else delete payload["arguments"];
}
