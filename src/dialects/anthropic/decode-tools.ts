// Calls and results as they are read: the client's own, and those of tools that the provider runs.
import { hasExactNumbers, stringifyJson } from "../../model/json.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { restoreName } from "../kit/names.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { restoreText } from "../kit/text-tools.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";
import { MCP_RESULT } from "./terms.ts";

export function decodeCall(block: JsonObject, { context, calls, names }: Reading): ToolCallPart | undefined {
  const { type, id, name } = block;
  if (typeof name !== "string" || typeof type !== "string") return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  if (block["input"] === undefined) storeForm(part, context.dialect, "input", "none");
  else copyField(block, "input", part);
  if (hasExactNumbers(part.input)) part.inputText = stringifyJson(part.input);
  if (type === "tool_use") {
    if (names !== undefined) {
      part.toolName = restoreName(name, names.toolNames);
      restoreText(part, names);
    }
  } else {
    part.executor = "provider";
    part.tool = type;
  }
  const isNamed = typeof id === "string";
  calls.add(part, isNamed ? restoreName(id, names?.toolCallIds) : undefined);
  return keepRest(part, block, context, "type", "name", "input", isNamed && "id");
}

/** A result of a client's tool. */
export function decodeResult(block: JsonObject, reading: Reading): ToolResultPart | undefined {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== "string") return undefined;
  const { context, calls } = reading;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: isError === true };
  if (typeof content === "string") part.output = content;
  else if (Array.isArray(content)) part.content = reading.blocks(content, "content", reading);
  if (isError === false) storeForm(part, context.dialect, "is_error", false);
  calls.answer(part, id);
  const hasContent = part.output !== undefined || part.content !== undefined;
  return keepRest(part, block, context, "type", "tool_use_id", hasContent && "content", isFlag(isError) && "is_error");
}

function isFlag(value: JsonValue | undefined): boolean {
  return typeof value === "boolean";
}

/** A result of what the provider ran: its content is one value, encrypted parts included. */
export function decodeProviderResult(block: JsonObject, { context, calls }: Reading): ToolResultPart | undefined {
  const { type, tool_use_id: id, content, is_error: said } = block;
  if (typeof id !== "string" || typeof type !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: isFailure(content) };
  part.executor = "provider";
  part.tool = type;
  if (content !== undefined) copyField(block, "content", part, "output");
  const isSaid = type === MCP_RESULT && isFlag(said);
  if (isSaid) part.isError = said === true;
  else if (type === MCP_RESULT) storeForm(part, context.dialect, "is_error", "none");
  calls.answer(part, id);
  return keepRest(part, block, context, "type", "tool_use_id", "content", isSaid && "is_error");
}

/** Whether the content of a provider's result is an error: its type says so. */
export function isFailure(content: unknown): boolean {
  return isObject(content) && typeof content["type"] === "string" && content["type"].endsWith("_error");
}
