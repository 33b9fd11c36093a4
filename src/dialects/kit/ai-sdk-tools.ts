// Tool calls in the AI SDK's shapes: input that is any value, and who runs a tool.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { markOf, markShared } from "./ai-sdk-options.ts";
import { hash } from "./names.ts";
import { copyField, isObject } from "./read.ts";
import { readForm, storeForm } from "./residue.ts";

/** Takes over the input of a call from a field of the wire; where there is none, it means no arguments (B20). */
export function readInput(call: ToolCallPart, wire: JsonObject, field: string, dialect: string): void {
  if (wire[field] === undefined) {
    storeForm(call, dialect, "input", "absent");
    return;
  }
  copyField(wire, field, call, "input");
  if (hasExactNumbers(call.input)) call.inputText = stringifyJson(call.input);
}

/** The input of a call as a field of the wire, with every digit that its text still knows (B23). */
export function writeInput(call: ToolCallPart, wire: JsonObject, field: string, { dialect }: EncodeContext): void {
  const parsed = parsedInput(call);
  if (parsed !== undefined) {
    wire[field] = parsed;
    return;
  }
  const { input, inputText, invalid } = call;
  const isAbsent = input === undefined || (isObject(input) && Object.keys(input).length === 0);
  if (isAbsent && readForm(call, dialect)["input"] === "absent") return;
  if (input === undefined) wire[field] = {};
  else if (inputText !== undefined && invalid !== true && typeof input === "object") {
    // Reading gives back JSON.
    wire[field] = readArguments(argumentsText(call)).input as JsonValue;
  } else copyField(call, "input", wire, field);
}

/**
 * The SDK hands on what a tool's schema made of the arguments, defaults and transformations included. Where a stream has
 * both, the model's own words are the input; the other is kept for the SDK's readers, as long as the input stays.
 */
export function keepParsedInput(call: Pick<ToolCallPart, "extra">, said: string, parsed: JsonValue): void {
  markShared(call, "parsed", { of: hash(said), input: parsed });
}

function parsedInput(call: ToolCallPart): JsonValue | undefined {
  const parsed = markOf(call, "parsed");
  return isObject(parsed) && parsed["of"] === hash(argumentsText(call)) ? parsed["input"] : undefined;
}

/** The wire's id of a call: as it once was, else the model's. */
export function writeCallId(part: ToolCallPart | ToolResultPart, wire: JsonObject, { dialect }: EncodeContext): void {
  const form = part.extra === undefined ? undefined : readForm(part, dialect)["id"];
  if (form !== null) wire["toolCallId"] = typeof form === "string" ? form : part.toolCallId;
}

/** Reports what a call or result says about its tool that neither shape has a field for. */
export function reportTool(
  { executor, format, tool }: ToolCallPart | ToolResultPart,
  { report }: EncodeContext<"tool-default" | "field-unsaid">,
): void {
  if (executor === "client") report.addLoss("tool-default", "executor");
  if (format !== undefined) report.addLoss(format === "json" ? "tool-default" : "field-unsaid", "format");
  if (tool !== undefined) report.addLoss("field-unsaid", "tool");
}

/** A call where the wire says in its own way that the input is a text. */
export function withoutFormat(call: ToolCallPart): ToolCallPart {
  const { format: _, ...rest } = call;
  return rest;
}
