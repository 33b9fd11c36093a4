// What a tool result says, as text.
import type { JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import { copyField } from "./read.ts";

/** The output as text: a string as it is, any other value as JSON, "" where there is none. */
export function outputText(result: Pick<ToolResultPart, "output">): string {
  const { output } = result;
  if (output === undefined) return "";
  if (typeof output === "string") return output;
  if (typeof output !== "number") return stringifyJson(output);
  // A bare number has its digits beside its container, so that it is written inside of one.
  const holder: JsonObject = {};
  copyField(result, "output", holder);
  return stringifyJson(holder).slice('{"output":'.length, -1);
}
