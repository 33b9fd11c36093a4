// Free-form tools on wires that require an object as arguments: their text is wrapped in an object, and unwrapped in the
// reply (B32).
import type { ToolCallPart } from "../../../model/parts.ts";
import type { Tool } from "../../../model/request.ts";
import type { Renames } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";

/** The field that holds a wrapped value. */
export const WRAPPER_FIELD = "value";
export const FREE_FORM_SCHEMA = {
  type: "object",
  properties: { [WRAPPER_FIELD]: { type: "string" } },
  required: [WRAPPER_FIELD],
};

/** Returns the renames with the names of the tools that are declared with `FREE_FORM_SCHEMA`. */
export function withTextTools(renames: Renames | undefined, tools: readonly Tool[] = []): Renames | undefined {
  const textTools = tools.flatMap((tool) =>
    tool.type === "function" && tool.format === "text" && tool.inputSchema === undefined ? [tool.name] : [],
  );
  return textTools.length === 0 ? renames : { ...renames, textTools };
}

/** Replaces the wrapped input of a call of such a tool by its text. */
export function unwrapTextInput(part: ToolCallPart, renames: Renames | undefined): void {
  const { input, toolName } = part;
  if (renames?.textTools?.includes(toolName) !== true || !isObject(input)) return;
  const { [WRAPPER_FIELD]: text, ...others } = input;
  if (typeof text !== "string" || Object.keys(others).length > 0) return;
  part.input = text;
  part.format = "text";
}
