// Decodes and encodes tool calls of the AI SDK: input of any JSON type, call ids, and unsupported fields.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { hasExactNumbers, stringifyJson } from "../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { readSharedForm, storeSharedForm } from "./provider-options.ts";
import { shortHash } from "../kit/tools/tool-renames.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";

/** Decodes the input of a call from a wire field; a missing field means that the call has no arguments (B20). */
export function decodeInput(call: ToolCallPart, wire: JsonObject, field: string, dialect: string): void {
  if (wire[field] === undefined) {
    storeForm(call, dialect, "input", "absent");
    return;
  }
  copyField(wire, field, call, "input");
  if (hasExactNumbers(call.input)) call.inputText = stringifyJson(call.input);
}

/** Encodes the input of a call into a wire field, with the exact digits of `inputText` if the call has it (B23). */
export function encodeInput(call: ToolCallPart, wire: JsonObject, field: string, { dialect }: EncodeContext): void {
  const parsed = readParsedInput(call);
  if (parsed !== undefined) {
    wire[field] = parsed;
    return;
  }
  const { input, inputText, invalid } = call;
  const isAbsent = input === undefined || (isObject(input) && Object.keys(input).length === 0);
  if (isAbsent && readForm(call, dialect)["input"] === "absent") return;
  if (input === undefined) wire[field] = {};
  else if (inputText !== undefined && invalid !== true && typeof input === "object") {
    // The input is an object or list, so parseArguments returns JSON and the cast is safe.
    wire[field] = parseArguments(formatArguments(call)).input as JsonValue;
  } else copyField(call, "input", wire, field);
}

/**
 * Stores the input that the SDK parsed, with the defaults and transformations of the tool's schema. The canonical input
 * is the model's own text; the parsed input is restored for AI SDK clients as long as that text is unchanged.
 */
export function storeParsedInput(call: Pick<ToolCallPart, "extra">, argumentsText: string, parsed: JsonValue): void {
  storeSharedForm(call, "parsed", { of: shortHash(argumentsText), input: parsed });
}

/** Returns the stored parsed input; undefined if there is none or if the arguments have changed since. */
function readParsedInput(call: ToolCallPart): JsonValue | undefined {
  const parsed = readSharedForm(call, "parsed");
  return isObject(parsed) && parsed["of"] === shortHash(formatArguments(call)) ? parsed["input"] : undefined;
}

/**
 * Writes the call id: the stored wire id if the decoder changed it, else the canonical id. No id is written if the wire
 * had none.
 */
export function encodeCallId(part: ToolCallPart | ToolResultPart, wire: JsonObject, { dialect }: EncodeContext): void {
  const form = part.extra === undefined ? undefined : readForm(part, dialect)["id"];
  if (form !== null) wire["toolCallId"] = typeof form === "string" ? form : part.toolCallId;
}

/** Reports the fields of a call or result that neither AI SDK format has. */
export function reportToolFields(
  { executor, format, tool }: ToolCallPart | ToolResultPart,
  { report }: EncodeContext<"tool-default-omitted" | "field-unsupported">,
): void {
  if (executor === "client") report.addLoss("tool-default-omitted", "executor");
  if (format !== undefined) report.addLoss(format === "json" ? "tool-default-omitted" : "field-unsupported", "format");
  if (tool !== undefined) report.addLoss("field-unsupported", "tool");
}

/**
 * Returns the call without `format`, so that `reportToolFields` reports no loss where the wire marks text input in
 * another way.
 */
export function withoutFormat(call: ToolCallPart): ToolCallPart {
  const { format: _, ...rest } = call;
  return rest;
}
