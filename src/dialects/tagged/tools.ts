// Tool calls and results. Arguments are an object, a result is a text; what the model says beyond that is wrapped,
// written as text or left out, and reported.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, parseJson, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { FieldReader, restoreRest, wasDataOmitted } from "./spelling.ts";
import { fieldOf, KINDS } from "./terms.ts";

/** The names of the calls so far, by id: what a result's tool is called. */
export class CallNames {
  readonly #names = new Map<string, string>();

  add({ toolCallId, toolName }: ToolCallPart): void {
    // An empty id pairs nothing.
    if (toolCallId !== "") this.#names.set(toolCallId, toolName);
  }

  of(toolCallId: string): string {
    return this.#names.get(toolCallId) ?? "";
  }
}

export function decodeCall(data: JsonObject, names: CallNames, context: DecodeContext): ToolCallPart {
  const reader = new FieldReader(data, context);
  for (const field of ["id", "name", "arguments"]) reader.expect(field);
  const toolCallId = reader.text("id") ?? "";
  const toolName = reader.text("name") ?? "";
  const part: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
  const given = reader.value("arguments");
  if (typeof given === "string") {
    const { reason: _, ...read } = readArguments(given);
    Object.assign(part, read);
    storeForm(part, context.dialect, "arguments", "text");
  } else if (isObject(given)) {
    part.input = given;
    if (hasExactNumbers(given)) part.inputText = stringifyJson(given);
  } else if (given !== undefined) {
    reader.wrongType("an object", "arguments", given);
  }
  reader.keepRest(part, fieldOf(KINDS["tool-call"]));
  names.add(part);
  return part;
}

const CALL_FIELDS = ["type", "extra", "toolCallId", "toolName", "input", "inputText", "invalid"];
const CALL: ReadonlySet<string> = new Set(CALL_FIELDS);

export function encodeCall(part: ToolCallPart, names: CallNames, context: EncodeContext<Code>): JsonObject {
  names.add(part);
  reportRest(part, CALL, context);
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  if (part.toolCallId !== "" || !wasDataOmitted(form, "id")) data["id"] = part.toolCallId;
  if (part.toolName !== "" || !wasDataOmitted(form, "name")) data["name"] = part.toolName;
  const given = encodeArguments(part, form, context);
  if (!wasDataOmitted(form, "arguments") || !isObject(given) || Object.keys(given).length > 0)
    data["arguments"] = given;
  const saysInvalid = typeof given === "string" && readArguments(given).invalid === true;
  if (part.invalid !== undefined && !saysInvalid) {
    context.report.addLoss(part.invalid ? "call-invalid" : "bookkeeping", "invalid");
  }
  const field = fieldOf(KINDS["tool-call"]);
  return restoreRest({ kind: KINDS["tool-call"], [field]: data }, part, context, field);
}

/** The arguments with every digit that the exact text still knows (B23). */
function encodeArguments(part: ToolCallPart, form: JsonObject, context: EncodeContext<Code>): JsonValue {
  // No input at all is no arguments (B20).
  const call: ToolCallPart = part.input === undefined ? { ...part, input: {} } : part;
  if (form["arguments"] === "text") return argumentsText(call);
  const { input } = call;
  if (isObject(input)) {
    // Reading gives back JSON; a blank text is {}.
    return call.inputText === undefined ? input : (readArguments(argumentsText(call)).input as JsonValue);
  }
  // Any object could be real arguments, so that this wrapper is never read back (B22).
  context.report.addLoss("arguments-wrapped", "input");
  return typeof input === "string" ? { $value: input } : parseJson(`{"$value":${argumentsText(call)}}`);
}

/** A result. In a TOOL message the id may stand on the message alone. */
export function decodeResult(
  data: JsonObject,
  messageCallId: string | undefined,
  names: CallNames,
  context: DecodeContext,
): ToolResultPart {
  const reader = new FieldReader(data, context);
  for (const field of ["tool_call_id", "content", "is_error"]) reader.expect(field);
  const toolCallId = reader.text("tool_call_id") ?? messageCallId ?? "";
  const isError = reader.flag("is_error") ?? false;
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName: names.of(toolCallId), isError };
  const content = reader.value("content");
  if (typeof content === "string") part.output = content;
  else if (content !== undefined) {
    copyField(data, "content", part, "output");
    storeForm(part, context.dialect, "content", "json");
  }
  reader.keepRest(part, fieldOf(KINDS["tool-result"]));
  return part;
}

const RESULT_FIELDS = ["type", "extra", "toolCallId", "toolName", "isError", "output", "content"];
const RESULT: ReadonlySet<string> = new Set(RESULT_FIELDS);

/** Reports what does not travel of the result in hand, however it is written. */
export function reportResult(part: ToolResultPart, names: CallNames, context: EncodeContext<Code>): void {
  reportRest(part, RESULT, context);
  if (part.toolName !== names.of(part.toolCallId)) context.report.addLoss("tool-name", "toolName");
}

export function encodeResult(
  part: ToolResultPart,
  messageCallId: string | undefined,
  names: CallNames,
  context: EncodeContext<Code>,
): JsonObject {
  reportResult(part, names, context);
  const { toolCallId } = part;
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  const isSaidElsewhere = toolCallId === "" || toolCallId === messageCallId;
  if (!isSaidElsewhere || !wasDataOmitted(form, "tool_call_id")) data["tool_call_id"] = toolCallId;
  encodeContent(part, form, data, context);
  if (part.isError || !wasDataOmitted(form, "is_error")) data["is_error"] = part.isError;
  const field = fieldOf(KINDS["tool-result"]);
  return restoreRest({ kind: KINDS["tool-result"], [field]: data }, part, context, field);
}

function encodeContent(part: ToolResultPart, form: JsonObject, data: JsonObject, context: EncodeContext<Code>): void {
  if (form["content"] === "json" && part.output !== undefined && part.content === undefined) {
    copyField(part, "output", data, "content");
    return;
  }
  const texts = [...outputTexts(part, context), ...contentTexts(part, context)];
  if (texts.length === 0) {
    if (wasDataOmitted(form, "content") && part.content === undefined) return;
    context.report.addLoss("result-empty", "output");
  }
  data["content"] = texts.join("\n");
}

function outputTexts(part: ToolResultPart, context: EncodeContext<Code>): string[] {
  const { output } = part;
  if (output === undefined) return [];
  if (typeof output === "string") return [output];
  context.report.addLoss("output-as-text", "output");
  const holder: JsonObject = {};
  // A bare number has its digits beside its container, so that it is written inside of one.
  copyField(part, "output", holder, "");
  return [stringifyJson(holder).slice('{"":'.length, -1)];
}

const JOINED_TEXT: ReadonlySet<string> = new Set(["type", "text"]);

function contentTexts(part: ToolResultPart, context: EncodeContext<Code>): string[] {
  const texts = context.pathTracker.each("content", part.content ?? [], (piece) => {
    if (piece.type !== "text") {
      context.report.addLoss("result-part-dropped");
      return [];
    }
    context.report.addLoss("result-text-joined");
    reportRest(piece, JOINED_TEXT, context);
    return [piece.text];
  });
  return texts.flat();
}
