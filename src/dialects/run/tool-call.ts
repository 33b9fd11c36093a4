// A tool call both ways. The wire has the arguments twice: parsed (`arguments`), and as text (`rawArgsText`). A text
// that cannot be parsed stands beside `arguments: {}`; that is how the run shape says that a call is invalid.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, sameJson, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { RunEncodeContext } from "./losses.ts";
import { keepSilence, reportStale, respell } from "./silence.ts";

/** The form of a text that contradicts the arguments. */
const OTHER = "other";

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Reads the payload of a call whose fields have been checked. */
export function decodeCall(payload: JsonObject, dialect: string): ToolCallPart {
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: "", input: {} };
  copyField(payload, "toolCallId", call);
  copyField(payload, "toolName", call);
  const { arguments: given = null, rawArgsText: text } = payload;
  keepSilence(call, dialect, "arguments", payload["arguments"]);
  if (given !== null) copyField(payload, "arguments", call, "input");
  if (typeof text === "string") readText(call, given, text, dialect);
  else if (hasExactNumbers(call.input)) {
    // The digits need a text to survive where values are copied; the wire has none, which is noted.
    call.inputText = stringifyJson(call.input);
    keepSilence(call, dialect, "rawArgsText", text);
  } else if (text === null) storeForm(call, dialect, "rawArgsText", null);
  return call;
}

function readText(call: ToolCallPart, given: JsonValue, text: string, dialect: string): void {
  const read = readArguments(text);
  call.inputText = text;
  if (read.invalid === true) call.invalid = true;
  if (given === null || (read.invalid === true && isEmptyObject(given))) call.input = read.input;
  // The wire contradicts itself: the value is the input, the text is kept as it is.
  else if (read.invalid === true || !sameJson(read.input, given)) storeForm(call, dialect, "rawArgsText", OTHER);
}

/** The text that the arguments were read from, where it still stands for the input. */
function standingText({ input, inputText, invalid }: ToolCallPart, form: JsonValue | undefined): string | undefined {
  const ownText = invalid === true && typeof input === "string" ? input : undefined;
  // Null alone would be read as no arguments.
  const text = inputText ?? ownText ?? (input === null ? "null" : undefined);
  if (text === undefined || form === OTHER) return text;
  return argumentsText({ input, inputText: text }) === text ? text : undefined;
}

export function encodeCall(call: ToolCallPart, context: RunEncodeContext): JsonObject {
  const form = readForm(call, context.dialect)["rawArgsText"];
  const text = standingText(call, form);
  const read = text === undefined ? undefined : readArguments(text);
  const isUnreadable = read?.invalid === true;
  const payload: JsonObject = { toolCallId: call.toolCallId, toolName: call.toolName };
  // The text has every digit.
  const isExact = form !== OTHER && hasExactNumbers(read?.input);
  copyField(isExact ? { input: read?.input } : call, "input", payload, "arguments");
  // An unreadable text would make a call invalid that is not.
  const isSpelled =
    text !== undefined && (form === undefined || form === OTHER) && (!isUnreadable || call.invalid === true);
  if (isSpelled) {
    payload["rawArgsText"] = text;
    if (isUnreadable && call.input === text) payload["arguments"] = {};
  } else if (form === OTHER) reportStale(context, "rawArgsText");
  else respell(payload, "rawArgsText", true, call, context);
  // Null or nothing fits beside a text, or where there are no arguments.
  respell(payload, "arguments", isSpelled || isEmptyObject(payload["arguments"]), call, context);
  if (call.invalid === true && !(isSpelled && isUnreadable)) context.report.addLoss("call-invalid", "invalid");
  return payload;
}
