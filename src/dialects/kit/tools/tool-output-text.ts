// Formats the output of a tool result as text.
import type { JsonObject } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import type { ToolResultPart } from "../../../model/parts.ts";
import { copyField } from "../fields/read-wire.ts";

/** Returns the output of a tool result as text: a string unchanged, any other value as JSON, and "" for no output. */
export function formatToolOutput(result: Pick<ToolResultPart, "output">): string {
  const { output } = result;
  if (output === undefined) return "";
  if (typeof output === "string") return output;
  if (typeof output !== "number") return stringifyJson(output);
  // The exact digits of a number are stored with the object that contains it, so the number is formatted in an object.
  const holder: JsonObject = {};
  copyField(result, "output", holder);
  return stringifyJson(holder).slice('{"output":'.length, -1);
}
