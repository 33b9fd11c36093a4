// Decodes and encodes tool calls of the run dialect. The wire has the arguments twice: parsed (`arguments`) and as text
// (`rawArgsText`). A text that cannot be parsed, together with `arguments: {}`, marks an invalid call.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { hasExactNumbers, sameJson, stringifyJson } from "../../model/json/index.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import type { RunEncodeContext } from "./losses.ts";
import { storeEmptyField, reportStaleForm, restoreEmptyField } from "./empty-fields.ts";

/** The form value of a `rawArgsText` that contradicts `arguments`. */
const CONTRADICTORY = "other";

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Decodes the payload of a call, whose fields have been checked. */
export function decodeCall(payload: JsonObject, dialect: string): ToolCallPart {
  const call: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: "", input: {} };
  copyField(payload, "toolCallId", call);
  copyField(payload, "toolName", call);
  const { arguments: args = null, rawArgsText: text } = payload;
  storeEmptyField(call, dialect, "arguments", payload["arguments"]);
  if (args !== null) copyField(payload, "arguments", call, "input");
  if (typeof text === "string") decodeArgumentsText(call, args, text, dialect);
  else if (hasExactNumbers(call.input)) {
    // Copies of a call preserve exact digits only in `inputText`, so the text is created here. A form stores that the
    // wire had no `rawArgsText`.
    call.inputText = stringifyJson(call.input);
    storeEmptyField(call, dialect, "rawArgsText", text);
  } else if (text === null) storeForm(call, dialect, "rawArgsText", null);
  return call;
}

function decodeArgumentsText(call: ToolCallPart, args: JsonValue, text: string, dialect: string): void {
  const parsed = parseArguments(text);
  call.inputText = text;
  if (parsed.invalid === true) call.invalid = true;
  if (args === null || (parsed.invalid === true && isEmptyObject(args))) call.input = parsed.input;
  // If `arguments` and `rawArgsText` contradict each other, `arguments` becomes the input, and a form stores the
  // contradiction.
  else if (parsed.invalid === true || !sameJson(parsed.input, args))
    storeForm(call, dialect, "rawArgsText", CONTRADICTORY);
}

/** Returns the text of the arguments; undefined if there is none or if it no longer corresponds to the input. */
function findCurrentText({ input, inputText, invalid }: ToolCallPart, form: JsonValue | undefined): string | undefined {
  const ownText = invalid === true && typeof input === "string" ? input : undefined;
  // A null input needs a text, because a decoder reads `arguments: null` without a text as a call without arguments.
  const text = inputText ?? ownText ?? (input === null ? "null" : undefined);
  if (text === undefined || form === CONTRADICTORY) return text;
  return formatArguments({ input, inputText: text }) === text ? text : undefined;
}

export function encodeCall(call: ToolCallPart, context: RunEncodeContext): JsonObject {
  const form = readForm(call, context.dialect)["rawArgsText"];
  const text = findCurrentText(call, form);
  const parsed = text === undefined ? undefined : parseArguments(text);
  const isUnreadable = parsed?.invalid === true;
  const payload: JsonObject = { toolCallId: call.toolCallId, toolName: call.toolName };
  // The arguments are taken from the text if only the text has their exact digits.
  const isExact = form !== CONTRADICTORY && hasExactNumbers(parsed?.input);
  copyField(isExact ? { input: parsed?.input } : call, "input", payload, "arguments");
  // A text is not written if a form stores that the wire had none. A text that cannot be parsed is written only for an
  // invalid call, because a decoder marks every call with such a text as invalid.
  const isSpelled =
    text !== undefined && (form === undefined || form === CONTRADICTORY) && (!isUnreadable || call.invalid === true);
  if (isSpelled) {
    payload["rawArgsText"] = text;
    if (isUnreadable && call.input === text) payload["arguments"] = {};
  } else if (form === CONTRADICTORY) reportStaleForm(context, "rawArgsText");
  else restoreEmptyField(payload, "rawArgsText", true, call, context);
  // The form of a null or absent `arguments` still fits if the arguments are in the written text, or if there are none.
  restoreEmptyField(payload, "arguments", isSpelled || isEmptyObject(payload["arguments"]), call, context);
  if (call.invalid === true && !(isSpelled && isUnreadable))
    context.report.addLoss("invalid-call-unsupported", "invalid");
  return payload;
}
