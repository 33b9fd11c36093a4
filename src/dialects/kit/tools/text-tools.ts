// Wraps the input of free-form tools, which is a text, for dialects that require an object as input. The tool is
// declared with an object schema that has one field, and the text is read from that field in the reply (B32).
import type { ToolCallPart } from "../../../model/parts.ts";
import type { Tool } from "../../../model/request.ts";
import type { Renames } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";

/** The only field of the object that the input text of a free-form tool is wrapped in. */
export const WRAPPER_FIELD = "value";
export const FREE_FORM_SCHEMA = {
  type: "object",
  properties: { [WRAPPER_FIELD]: { type: "string" } },
  required: [WRAPPER_FIELD],
};

/** Returns the renames with `textTools` set to the names of the tools that are declared with `FREE_FORM_SCHEMA`. */
export function withTextTools(renames: Renames | undefined, tools: readonly Tool[] = []): Renames | undefined {
  const textTools = tools.flatMap((tool) =>
    tool.type === "function" && tool.format === "text" && tool.inputSchema === undefined ? [tool.name] : [],
  );
  return textTools.length === 0 ? renames : { ...renames, textTools };
}

/** Replaces the object that is the input of a call by the text in it, if the tool is in `renames.textTools`. */
export function unwrapTextInput(part: ToolCallPart, renames: Renames | undefined): void {
  const { input, toolName } = part;
  if (renames?.textTools?.includes(toolName) !== true || !isObject(input)) return;
  const { [WRAPPER_FIELD]: text, ...others } = input;
  if (typeof text !== "string" || Object.keys(others).length > 0) return;
  part.input = text;
  part.format = "text";
}
