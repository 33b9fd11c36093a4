// Free-form tools where arguments must be an object: their text is put into one, and taken out of the reply (B32).
import type { ToolCallPart } from "../../model/parts.ts";
import type { Tool } from "../../model/request.ts";
import type { Renames } from "../dialect.ts";
import { isObject } from "./read.ts";

/** The field that holds what is no object. */
export const WRAPPED = "value";
export const FREE_FORM = {
  type: "object",
  properties: { [WRAPPED]: { type: "string" } },
  required: [WRAPPED],
};

/** The names, with the tools that are described by `FREE_FORM`. */
export function withTextTools(names: Renames | undefined, tools: readonly Tool[] = []): Renames | undefined {
  const textTools = tools.flatMap((tool) =>
    tool.type === "function" && tool.format === "text" && tool.inputSchema === undefined ? [tool.name] : [],
  );
  return textTools.length === 0 ? names : { ...names, textTools };
}

/** Takes the text out of a call that a reply makes of such a tool. */
export function restoreText(part: ToolCallPart, names: Renames | undefined): void {
  const { input, toolName } = part;
  if (names?.textTools?.includes(toolName) !== true || !isObject(input)) return;
  const { [WRAPPED]: text, ...others } = input;
  if (typeof text !== "string" || Object.keys(others).length > 0) return;
  part.input = text;
  part.format = "text";
}
