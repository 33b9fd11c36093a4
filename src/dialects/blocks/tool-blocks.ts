// Encodes data of tools, tool calls and tool results that is the same in both block dialects: ids, arguments, input
// schemas.
import { formatArguments, parseArguments } from "../../model/tool-arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { FunctionTool } from "../../model/request.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm } from "../kit/residue/residue.ts";
import { FREE_FORM_SCHEMA, WRAPPER_FIELD } from "../kit/tools/text-tools.ts";
import { toWireCallId } from "../kit/tools/tool-call-ids.ts";
import type { BlockEncodeState } from "./encode-state.ts";
import type { BlockLoss } from "./losses.ts";

const COMMON_FIELDS = ["type", "toolCallId", "toolName", "executor", "extra", "cache", "seals"];
/** Fields of a tool call that both block dialects support. */
const CALL_FIELDS: readonly string[] = [...COMMON_FIELDS, "input", "inputText", "invalid"];
export const CLIENT_CALL_FIELDS: ReadonlySet<string> = new Set([...CALL_FIELDS, "format"]);
export const PROVIDER_CALL_FIELDS: ReadonlySet<string> = new Set([...CALL_FIELDS, "tool"]);
/** Fields of a tool result that both block dialects support. */
export const RESULT_FIELDS: readonly string[] = [...COMMON_FIELDS, "isError", "output"];
export const CLIENT_RESULT_FIELDS: ReadonlySet<string> = new Set([...RESULT_FIELDS, "content", "format"]);

/**
 * Returns the call id for the wire; undefined if the decoded block had no id. Ids of provider tools are never renamed.
 */
export function encodeCallId(
  part: ToolCallPart | ToolResultPart,
  { names, context }: BlockEncodeState,
): string | undefined {
  if (names !== undefined && part.executor !== "provider") return toWireCallId(part, names, context);
  const form = part.extra === undefined ? undefined : readForm(part, context.dialect)["id"];
  return form === null ? undefined : typeof form === "string" ? form : part.toolCallId;
}

/**
 * Matches argument text with a number of at least 16 digits or with an exponent, which a double may not represent
 * exactly. Only then is `inputText` more exact than `input`.
 */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;

/**
 * Writes the arguments of a call as an object. Arguments of a provider's call (`isProviderCall`) are written unchanged.
 */
export function writeCallInput(
  part: ToolCallPart,
  wire: JsonObject,
  isProviderCall: boolean,
  context: EncodeContext<BlockLoss>,
): void {
  const { input, inputText } = part;
  if (isObject(input) || input === undefined) {
    const isExact = inputText !== undefined && LONG_NUMBER.test(inputText);
    // Parsed arguments are always JSON, so the cast is safe. Missing arguments become an empty object (B20).
    const value = isExact ? (parseArguments(formatArguments(part)).input as JsonValue) : (input ?? {});
    const hadNoInput = part.extra !== undefined && readForm(part, context.dialect)["input"] === "none";
    if (!hadNoInput || !isObject(value) || Object.keys(value).length > 0) wire["input"] = value;
  } else if (context.repair && !isProviderCall) {
    // The wrapping is a loss: the decoder does not unwrap an object with the key `WRAPPER_FIELD`, because such an
    // object can also be real arguments (B22).
    context.report.addLoss("arguments-wrapped", "input");
    const wrapped: JsonObject = {};
    copyField(part, "input", wrapped, WRAPPER_FIELD);
    wire["input"] = wrapped;
  } else copyField(part, "input", wire);
}

/** Reports the `invalid` flag as a loss, unless the finish reason already marks the call as cut off. */
export function reportInvalidCall(part: ToolCallPart, { context, cutOffCall }: BlockEncodeState): void {
  if (part.invalid === undefined || (part.invalid && cutOffCall === part)) return;
  context.report.addLoss(part.invalid ? "invalid-call-unsupported" : "metadata-dropped", "invalid");
}

type InputSchema = NonNullable<FunctionTool["inputSchema"]>;

/** Returns an input schema with an object at its root, which both providers require. */
export function encodeInputSchema(
  { inputSchema, format }: FunctionTool,
  { report, repair }: EncodeContext<BlockLoss>,
  isAccepted: (schema: InputSchema) => boolean,
  convert: (schema: InputSchema) => { schema: InputSchema; change: string },
): InputSchema {
  if (inputSchema === undefined) {
    report.addLoss("schema-synthesized", "inputSchema");
    return format === "text" ? FREE_FORM_SCHEMA : { type: "object" };
  }
  if (!repair || isAccepted(inputSchema)) return inputSchema;
  const { schema, change } = convert(inputSchema);
  report.addLoss("schema-changed", "inputSchema", change);
  return schema;
}

/** Fields of a provider tool that both block dialects support. */
export const PROVIDER_TOOL_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "dialect",
  "name",
  "value",
  "cache",
  "extra",
]);
