// What a tool result says, as text.
import { stringifyJson } from "../../model/json.ts";
import type { ToolResultPart } from "../../model/parts.ts";

/** The output as text: a string as it is, any other value as JSON, "" where there is none. */
export function outputText({ output }: Pick<ToolResultPart, "output">): string {
  if (output === undefined) return "";
  return typeof output === "string" ? output : stringifyJson(output);
}
