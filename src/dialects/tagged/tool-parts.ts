// Decodes and encodes tool calls and results of tagged messages. Arguments are an object and results are texts; other
// values are wrapped, written as text or dropped, with a loss.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { hasExactNumbers, parseJson, stringifyJson } from "../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import type { TaggedLossCode } from "./losses.ts";
import { reportTaggedFields } from "./losses.ts";
import { FieldReader, restoreRemaining, wasDataOmitted } from "./field-reader.ts";
import { toDataField, TAGGED_KINDS } from "./wire-names.ts";

/** The tool names of the calls that have been decoded or encoded so far, by call id. */
export class CallNames {
  readonly #names = new Map<string, string>();

  add({ toolCallId, toolName }: ToolCallPart): void {
    // A call with an empty id is not stored, because an empty id identifies no call.
    if (toolCallId !== "") this.#names.set(toolCallId, toolName);
  }

  findName(toolCallId: string): string {
    return this.#names.get(toolCallId) ?? "";
  }
}

export function decodeCall(data: JsonObject, names: CallNames, context: DecodeContext): ToolCallPart {
  const reader = new FieldReader(data, context);
  for (const field of ["id", "name", "arguments"]) reader.expectField(field);
  const toolCallId = reader.readString("id") ?? "";
  const toolName = reader.readString("name") ?? "";
  const part: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
  const args = reader.read("arguments");
  if (typeof args === "string") {
    const { reason: _, ...parsed } = parseArguments(args);
    Object.assign(part, parsed);
    storeForm(part, context.dialect, "arguments", "text");
  } else if (isObject(args)) {
    part.input = args;
    if (hasExactNumbers(args)) part.inputText = stringifyJson(args);
  } else if (args !== undefined) {
    reader.failWrongType("an object", "arguments", args);
  }
  reader.storeRemaining(part, toDataField(TAGGED_KINDS["tool-call"]));
  names.add(part);
  return part;
}

const CALL_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "extra",
  "toolCallId",
  "toolName",
  "input",
  "inputText",
  "invalid",
]);

export function encodeCall(part: ToolCallPart, names: CallNames, context: EncodeContext<TaggedLossCode>): JsonObject {
  names.add(part);
  reportTaggedFields(part, CALL_FIELDS, context);
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  if (part.toolCallId !== "" || !wasDataOmitted(form, "id")) data["id"] = part.toolCallId;
  if (part.toolName !== "" || !wasDataOmitted(form, "name")) data["name"] = part.toolName;
  const args = encodeArguments(part, form, context);
  if (!wasDataOmitted(form, "arguments") || !isObject(args) || Object.keys(args).length > 0) data["arguments"] = args;
  const readsAsInvalid = typeof args === "string" && parseArguments(args).invalid === true;
  if (part.invalid !== undefined && !readsAsInvalid) {
    context.report.addLoss(part.invalid ? "invalid-call-unsupported" : "metadata-dropped", "invalid");
  }
  const field = toDataField(TAGGED_KINDS["tool-call"]);
  return restoreRemaining({ kind: TAGGED_KINDS["tool-call"], [field]: data }, part, context, field);
}

/** Returns the arguments, with the exact digits of their text (B23). */
function encodeArguments(part: ToolCallPart, form: JsonObject, context: EncodeContext<TaggedLossCode>): JsonValue {
  // A missing input is encoded as empty arguments (B20).
  const call: ToolCallPart = part.input === undefined ? { ...part, input: {} } : part;
  if (form["arguments"] === "text") return formatArguments(call);
  const { input } = call;
  if (isObject(input)) {
    // The cast is safe, because parsing returns JSON; a blank text is parsed as {}.
    return call.inputText === undefined ? input : (parseArguments(formatArguments(call)).input as JsonValue);
  }
  // The decoder never unwraps `{ $value: … }`, because any object can be real arguments (B22).
  context.report.addLoss("arguments-wrapped", "input");
  return typeof input === "string" ? { $value: input } : parseJson(`{"$value":${formatArguments(call)}}`);
}

/** Decodes a TOOL_RESULT part; a result without a call id of its own gets the `tool_call_id` of its message. */
export function decodeResult(
  data: JsonObject,
  messageCallId: string | undefined,
  names: CallNames,
  context: DecodeContext,
): ToolResultPart {
  const reader = new FieldReader(data, context);
  for (const field of ["tool_call_id", "content", "is_error"]) reader.expectField(field);
  const toolCallId = reader.readString("tool_call_id") ?? messageCallId ?? "";
  const isError = reader.readBoolean("is_error") ?? false;
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName: names.findName(toolCallId), isError };
  const content = reader.read("content");
  if (typeof content === "string") part.output = content;
  else if (content !== undefined) {
    copyField(data, "content", part, "output");
    storeForm(part, context.dialect, "content", "json");
  }
  reader.storeRemaining(part, toDataField(TAGGED_KINDS["tool-result"]));
  return part;
}

const RESULT_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "extra",
  "toolCallId",
  "toolName",
  "isError",
  "output",
  "content",
]);

/** Reports the fields of a result that are not encoded. */
export function reportResult(part: ToolResultPart, names: CallNames, context: EncodeContext<TaggedLossCode>): void {
  reportTaggedFields(part, RESULT_FIELDS, context);
  if (part.toolName !== names.findName(part.toolCallId)) context.report.addLoss("result-tool-name-dropped", "toolName");
}

export function encodeResult(
  part: ToolResultPart,
  messageCallId: string | undefined,
  names: CallNames,
  context: EncodeContext<TaggedLossCode>,
): JsonObject {
  reportResult(part, names, context);
  const { toolCallId } = part;
  const form = readForm(part, context.dialect);
  const data: JsonObject = {};
  const isImplied = toolCallId === "" || toolCallId === messageCallId;
  if (!isImplied || !wasDataOmitted(form, "tool_call_id")) data["tool_call_id"] = toolCallId;
  encodeContent(part, form, data, context);
  if (part.isError || !wasDataOmitted(form, "is_error")) data["is_error"] = part.isError;
  const field = toDataField(TAGGED_KINDS["tool-result"]);
  return restoreRemaining({ kind: TAGGED_KINDS["tool-result"], [field]: data }, part, context, field);
}

function encodeContent(
  part: ToolResultPart,
  form: JsonObject,
  data: JsonObject,
  context: EncodeContext<TaggedLossCode>,
): void {
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

function outputTexts(part: ToolResultPart, context: EncodeContext<TaggedLossCode>): string[] {
  const { output } = part;
  if (output === undefined) return [];
  if (typeof output === "string") return [output];
  context.report.addLoss("output-as-text", "output");
  const holder: JsonObject = {};
  // The exact digits of a number are stored in the object that contains it, so the output is formatted within an
  // object.
  copyField(part, "output", holder, "");
  return [stringifyJson(holder).slice('{"":'.length, -1)];
}

const JOINED_TEXT: ReadonlySet<string> = new Set(["type", "text"]);

function contentTexts(part: ToolResultPart, context: EncodeContext<TaggedLossCode>): string[] {
  const texts = context.pathTracker.each("content", part.content ?? [], (contentPart) => {
    if (contentPart.type !== "text") {
      context.report.addLoss("result-part-dropped");
      return [];
    }
    context.report.addLoss("result-text-joined");
    reportTaggedFields(contentPart, JOINED_TEXT, context);
    return [contentPart.text];
  });
  return texts.flat();
}
