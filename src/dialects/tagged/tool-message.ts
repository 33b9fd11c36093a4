// Decodes and encodes TOOL messages: their `tool_call_id`, and bare results. A bare result has its call id on the
// message and its output as the content of the message (a string, a text part or parts), without a TOOL_RESULT part. A
// form stores that the result was bare.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part, PartType, ToolResultPart } from "../../model/parts.ts";
import { wasOmitted } from "./field-reader.ts";
import { TAGGED_KINDS } from "./wire-names.ts";

/**
 * Returns the `tool_call_id` that the encoder writes by default: the call id of the only result in a TOOL message;
 * undefined for all other messages.
 */
export function plainCallId({ role, parts }: Message): string | undefined {
  if (role !== "tool") return undefined;
  const results = parts.filter((part) => part.type === "tool-result" && part.executor !== "provider");
  const [only] = results;
  return results.length === 1 && only?.type === "tool-result" ? only.toolCallId : undefined;
}

/**
 * The spelling of a bare result on the wire. "string": the content of the message is the output. "text": the only TEXT
 * part is the output. "parts": the parts are the content of the result.
 */
export type ToolContentForm = "string" | "text" | "parts";

const OUTPUT_PART_TYPES: ReadonlySet<PartType> = new Set<PartType>(["text", "image", "audio", "file"]);

function areOutputParts(parts: readonly Part[]): boolean {
  return parts.every(({ type }) => OUTPUT_PART_TYPES.has(type));
}

/** Returns the output in the content of a TOOL message; undefined if the content has parts that cannot be output. */
export function readBareOutput(
  content: JsonValue | undefined,
  parts: Part[],
): { form?: ToolContentForm; output: Pick<ToolResultPart, "output" | "content"> } | undefined {
  if (content === undefined || content === null) return { output: {} };
  const [only] = parts;
  const isText = parts.length === 1 && only?.type === "text" && only.extra === undefined;
  if (typeof content === "string") return isText ? { form: "string", output: { output: only.text } } : undefined;
  if (isText) return { form: "text", output: { output: only.text } };
  return areOutputParts(parts) ? { form: "parts", output: { content: parts } } : undefined;
}

/**
 * Returns the result of a message that was decoded from a bare result and can still be encoded as one; undefined
 * otherwise.
 */
export function findBareResult(message: Message, form: JsonObject, dialect: string): ToolResultPart | undefined {
  const [result] = message.parts;
  if (message.role !== "tool" || message.parts.length !== 1 || result?.type !== "tool-result") return undefined;
  // A bare result has no call id of its own: the wire must have had `tool_call_id` on the message, and no other id may
  // be stored for that field. A bare result has no fields for an error, an executor or residue either.
  if (wasOmitted(form, "tool_call_id") || Object.hasOwn(message.extra?.[dialect] ?? {}, "tool_call_id"))
    return undefined;
  if (result.isError || result.executor === "provider" || result.extra?.[dialect] !== undefined) return undefined;
  return fitsContentForm(result, form) ? result : undefined;
}

function fitsContentForm({ output, content }: ToolResultPart, form: JsonObject): boolean {
  switch (form["content"]) {
    case "string":
    case "text":
      return typeof output === "string" && content === undefined;
    case "parts":
      return output === undefined && content !== undefined && areOutputParts(content);
    default:
      return wasOmitted(form, "content") && output === undefined && content === undefined;
  }
}

/** Returns the content of a bare result; undefined if the wire had no content. */
export function writeBareOutput(
  { output }: ToolResultPart,
  form: JsonObject,
  encodedParts: readonly JsonObject[],
): JsonValue | undefined {
  if (form["content"] === "parts") return [...encodedParts];
  if (typeof output !== "string") return undefined;
  return form["content"] === "string" ? output : [{ kind: TAGGED_KINDS.text, text: output }];
}
