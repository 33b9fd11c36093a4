// TOOL messages: what their `tool_call_id` says, and those that say their result without a TOOL_RESULT part, the id on
// the message and the output as a string, as text, or as parts. That is a result like any other, with a note of its form.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part, PartType, ToolResultPart } from "../../model/parts.ts";
import { wasOmitted } from "./spelling.ts";
import { KINDS } from "./terms.ts";

/** What `tool_call_id` says in the plain form: the call of the only result in a TOOL message. */
export function plainCallId({ role, parts }: Message): string | undefined {
  if (role !== "tool") return undefined;
  const results = parts.filter((part) => part.type === "tool-result" && part.executor !== "provider");
  const [only] = results;
  return results.length === 1 && only?.type === "tool-result" ? only.toolCallId : undefined;
}

/** string: the content is the output; text: one TEXT part is the output; parts: the parts are the result's content. */
export type ContentForm = "string" | "text" | "parts";

const PIECES: ReadonlySet<PartType> = new Set<PartType>(["text", "image", "audio", "file"]);

function arePieces(parts: readonly Part[]): boolean {
  return parts.every(({ type }) => PIECES.has(type));
}

/** The output that the content of a TOOL message stands for; undefined where it holds more than output. */
export function readBareOutput(
  content: JsonValue | undefined,
  parts: Part[],
): { form?: ContentForm; output: Pick<ToolResultPart, "output" | "content"> } | undefined {
  if (content === undefined || content === null) return { output: {} };
  const [only] = parts;
  const isText = parts.length === 1 && only?.type === "text" && only.extra === undefined;
  if (typeof content === "string") return isText ? { form: "string", output: { output: only.text } } : undefined;
  if (isText) return { form: "text", output: { output: only.text } };
  return arePieces(parts) ? { form: "parts", output: { content: parts } } : undefined;
}

/** The result of a message that was written without TOOL_RESULT and can be again. */
export function bareResultOf(message: Message, form: JsonObject, dialect: string): ToolResultPart | undefined {
  const [result] = message.parts;
  if (message.role !== "tool" || message.parts.length !== 1 || result?.type !== "tool-result") return undefined;
  // The id has its place on the message, and nothing but the output has one in the content.
  if (wasOmitted(form, "tool_call_id") || Object.hasOwn(message.extra?.[dialect] ?? {}, "tool_call_id"))
    return undefined;
  if (result.isError || result.executor === "provider" || result.extra?.[dialect] !== undefined) return undefined;
  return fits(result, form) ? result : undefined;
}

function fits({ output, content }: ToolResultPart, form: JsonObject): boolean {
  switch (form["content"]) {
    case "string":
    case "text":
      return typeof output === "string" && content === undefined;
    case "parts":
      return output === undefined && content !== undefined && arePieces(content);
    default:
      return wasOmitted(form, "content") && output === undefined && content === undefined;
  }
}

/** The content of such a message; undefined where it had none. `pieces` are its parts, encoded. */
export function writeBareOutput(
  { output }: ToolResultPart,
  form: JsonObject,
  pieces: readonly JsonObject[],
): JsonValue | undefined {
  if (form["content"] === "parts") return [...pieces];
  if (typeof output !== "string") return undefined;
  return form["content"] === "string" ? output : [{ kind: KINDS.text, text: output }];
}
