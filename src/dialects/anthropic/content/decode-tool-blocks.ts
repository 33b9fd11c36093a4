// Decodes Anthropic tool calls and results, both of tools that the client runs and of tools that the provider runs.
import type { JsonObject } from "../../../model/json/index.ts";
import { hasExactNumbers, stringifyJson } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { unwrapTextInput } from "../../kit/tools/text-tools.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { MCP_RESULT } from "../terms.ts";
import { storeRest } from "./cache-control.ts";
import type { AnthropicDecodeState } from "./decode-state.ts";

export function decodeToolUse(
  block: JsonObject,
  { context, calls, names }: AnthropicDecodeState,
): ToolCallPart | undefined {
  const { type, id, name } = block;
  if (typeof name !== "string" || typeof type !== "string") return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  if (block["input"] === undefined) storeForm(part, context.dialect, "input", "none");
  else copyField(block, "input", part);
  if (hasExactNumbers(part.input)) part.inputText = stringifyJson(part.input);
  if (type === "tool_use") {
    if (names !== undefined) {
      part.toolName = restoreName(name, names.toolNames);
      unwrapTextInput(part, names);
    }
  } else {
    part.executor = "provider";
    part.tool = type;
  }
  const hasId = typeof id === "string";
  calls.add(part, hasId ? restoreName(id, names?.toolCallIds) : undefined);
  return storeRest(part, block, context, "type", "name", "input", hasId && "id");
}

/** Decodes the result of a tool that the client ran. */
export function decodeToolResult(block: JsonObject, state: AnthropicDecodeState): ToolResultPart | undefined {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== "string") return undefined;
  const { context, calls } = state;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: isError === true };
  if (typeof content === "string") part.output = content;
  else if (Array.isArray(content)) part.content = state.decodeBlocks(content, "content", state);
  if (isError === false) storeForm(part, context.dialect, "is_error", false);
  calls.matchResult(part, id);
  const hasContent = part.output !== undefined || part.content !== undefined;
  const hasFlag = typeof isError === "boolean";
  return storeRest(part, block, context, "type", "tool_use_id", hasContent && "content", hasFlag && "is_error");
}

/**
 * Decodes the result of a tool that the provider ran. The content, including encrypted fields, becomes one JSON value.
 */
export function decodeProviderResult(
  block: JsonObject,
  { context, calls }: AnthropicDecodeState,
): ToolResultPart | undefined {
  const { type, tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== "string" || typeof type !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: isErrorContent(content) };
  part.executor = "provider";
  part.tool = type;
  if (content !== undefined) copyField(block, "content", part, "output");
  const hasFlag = type === MCP_RESULT && typeof isError === "boolean";
  if (hasFlag) part.isError = isError;
  else if (type === MCP_RESULT) storeForm(part, context.dialect, "is_error", "none");
  calls.matchResult(part, id);
  return storeRest(part, block, context, "type", "tool_use_id", "content", hasFlag && "is_error");
}

/** True if the content of a result is an error object of the provider, such as `web_search_tool_result_error`. */
export function isErrorContent(content: unknown): boolean {
  return isObject(content) && typeof content["type"] === "string" && content["type"].endsWith("_error");
}
