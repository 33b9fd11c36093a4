// Decodes and encodes calls of functions, which the client runs, and of tools that Google runs (code execution,
// searches). Calls that Google ran are sent back only to Gemini, and never as function calls (B33).
import { formatArguments, parseArguments } from "../../../model/tool-arguments.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { copyObject, hasExactNumbers, parseJson, stringifyJson } from "../../../model/json/index.ts";
import type { ToolCallPart } from "../../../model/parts.ts";
import { toWireCallId } from "../../kit/tools/tool-call-ids.ts";
import { canSendToolPart } from "../../kit/tools/approvals.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { unwrapTextInput, WRAPPER_FIELD } from "../../kit/tools/text-tools.ts";
import type { GeminiDecodeState } from "./decode-state.ts";
import { storeUnknownFields } from "./decode-state.ts";
import type { GeminiEncodeState } from "./encode-state.ts";

/** The tool name of calls that run code at Google. */
export const CODE_EXECUTION = "codeExecution";
const ID_KEY: ReadonlySet<string> = new Set(["id"]);

/** Decodes a call; returns undefined if its name is missing. */
export function decodeToolCall(data: JsonObject, key: string, state: GeminiDecodeState): ToolCallPart | undefined {
  const { dialect } = state.context;
  const isCode = key === "executableCode";
  const isFunction = key === "functionCall";
  const nameField = isFunction ? "name" : "toolType";
  const name = isCode ? CODE_EXECUTION : data[nameField];
  if (typeof name !== "string") return undefined;
  const toolName = isFunction ? restoreName(name, state.renames?.toolNames) : name;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  if (!isFunction) Object.assign(part, { executor: "provider", tool: key });
  const id = typeof data["id"] === "string" ? data["id"] : undefined;
  const args = isCode ? (id === undefined ? data : (unknownFields(data, ID_KEY) ?? {})) : data["args"];
  if (isObject(args)) {
    part.input = args;
    if (hasExactNumbers(args)) part.inputText = stringifyJson(args);
  } else if (args === undefined) storeForm(part, dialect, "args", null);
  if (isFunction) unwrapTextInput(part, state.renames);
  state.callIds.add(part, id);
  if (!isCode) {
    const decodedKeys = [nameField, ...(id === undefined ? [] : ["id"]), ...(isObject(args) ? ["args"] : [])];
    storeUnknownFields(part, data, decodedKeys, dialect, key);
  }
  return part;
}

const CALL_FIELDS = ["type", "extra", "seals", "toolCallId", "toolName", "input", "inputText", "invalid"];
const FUNCTION_CALL_FIELDS: ReadonlySet<string> = new Set([...CALL_FIELDS, "executor", "format"]);
const HOSTED_CALL_FIELDS: ReadonlySet<string> = new Set([...CALL_FIELDS, "executor", "tool"]);

/** Returns the wire field of a call that Google ran; undefined for other calls. */
function findHostedField({ executor, tool }: ToolCallPart): string | undefined {
  return executor === "provider" && (tool === "executableCode" || tool === "toolCall") ? tool : undefined;
}

/** Returns the wire field and its value; undefined if the call is dropped, which is reported. */
export function encodeToolCall(
  part: ToolCallPart,
  state: GeminiEncodeState,
): [key: string, data: JsonObject] | undefined {
  const { context, renameTable, encodedCalls, cutOffCall } = state;
  const hostedField = findHostedField(part);
  if (hostedField === undefined && !canSendToolPart(part, context)) return undefined;
  const supported = hostedField === undefined ? FUNCTION_CALL_FIELDS : HOSTED_CALL_FIELDS;
  reportUnsupportedFields(part, supported, context, "field-unsupported", { cache: "metadata-dropped" });
  if (part.invalid !== undefined && !(part.invalid && part === cutOffCall)) {
    context.report.addLoss(part.invalid ? "invalid-call-unsupported" : "metadata-dropped", "invalid");
  }
  const id = toWireCallId(part, renameTable, context);
  const name = hostedField === undefined ? renameTable.encodeToolName(part.toolName) : part.toolName;
  encodedCalls.set(part.toolCallId, { name: part.toolName, id });
  const args = encodeArguments(part, state);
  const data: JsonObject = hostedField === "executableCode" ? copyObject(args) : {};
  if (id !== undefined) data["id"] = id;
  if (hostedField !== "executableCode") {
    data[hostedField === undefined ? "name" : "toolType"] = name;
    if (!omitsArguments(part, args, context.dialect, hostedField ?? "functionCall")) data["args"] = args;
  }
  return [hostedField ?? "functionCall", data];
}

/**
 * True if `args` is not written: the call has no arguments, and its decoded wire object had no `args`, or an `args`
 * that is not an object and is restored from residue.
 */
function omitsArguments(part: ToolCallPart, args: JsonObject, dialect: string, key: string): boolean {
  for (const _ in args) return false;
  if (part.extra === undefined) return false;
  const residue = part.extra[dialect]?.[key];
  return readForm(part, dialect)["args"] === null || (isObject(residue) && Object.hasOwn(residue, "args"));
}

/**
 * Returns the arguments as an object: with the exact digits of `inputText` if the call has it (B23), and wrapped if the
 * input is not an object (B22).
 */
function encodeArguments(part: ToolCallPart, { context }: GeminiEncodeState): JsonObject {
  // A missing input means no arguments (B20).
  const call: ToolCallPart = part.input === undefined ? { ...part, input: {} } : part;
  const { input } = call;
  if (isObject(input)) {
    if (call.inputText === undefined) return input;
    const exactInput: unknown = parseArguments(formatArguments(call)).input;
    return isObject(exactInput) ? exactInput : input;
  }
  // Gemini requires an object, so the input is wrapped. The decoder never removes the wrapper, because any object could
  // be the real arguments (B22).
  context.report.addLoss("arguments-wrapped", "input");
  // Unparsed arguments and free text stay a string, even if they look like JSON.
  if (typeof input === "string") return { [WRAPPER_FIELD]: input };
  return parseJson(`{"${WRAPPER_FIELD}":${formatArguments(call)}}`) as JsonObject;
}
