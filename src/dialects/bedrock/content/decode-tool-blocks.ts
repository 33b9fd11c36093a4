// Decodes Bedrock tool calls and results: of the client's tools, and of tools that Bedrock itself runs.
import type { JsonObject } from "../../../model/json/index.ts";
import { hasExactNumbers, stringifyJson } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { unwrapTextInput } from "../../kit/tools/text-tools.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { SERVER_CALL, SERVER_RESULT, SYSTEM_TOOL } from "../terms.ts";
import { storeRest } from "./cache-point.ts";
import type { BedrockDecodeState } from "./decode-state.ts";

export function decodeToolUse(wire: JsonObject, state: BedrockDecodeState): ToolCallPart | undefined {
  const { context, calls, names, providerCallIds } = state;
  const { toolUseId: id, name, type } = wire;
  if (typeof name !== "string") return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  if (wire["input"] === undefined) storeForm(part, context.dialect, "input", "none");
  else copyField(wire, "input", part);
  if (hasExactNumbers(part.input)) part.inputText = stringifyJson(part.input);
  const isProviderCall = type === SERVER_CALL;
  const hasId = typeof id === "string";
  if (isProviderCall) {
    part.executor = "provider";
    part.tool = SYSTEM_TOOL;
  } else if (names !== undefined) {
    part.toolName = restoreName(name, names.toolNames);
    unwrapTextInput(part, names);
  }
  if (hasId && isProviderCall) providerCallIds.add(id);
  // A later call of a client's tool may have the same id as a call that Bedrock ran. The id then belongs to the
  // client's call, so its result is not decoded as a result that Bedrock made.
  else if (hasId && providerCallIds.size > 0) providerCallIds.delete(id);
  calls.add(part, hasId ? restoreName(id, names?.toolCallIds) : undefined);
  const decoded = ["name", "input", hasId && "toolUseId", isProviderCall && "type"] as const;
  return storeRest(part, wire, context.dialect, ["toolUse"], ...decoded);
}

/** Decodes a result. Bedrock made the result if Bedrock ran the call, or if `type` is set and is not `tool_result`. */
export function decodeToolResult(wire: JsonObject, state: BedrockDecodeState): ToolResultPart | undefined {
  const { context, calls, providerCallIds } = state;
  const { toolUseId: id, status, type } = wire;
  if (typeof id !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: status === "error" };
  const hasProviderType = typeof type === "string" && type !== "tool_result";
  const hasProviderCall = providerCallIds.has(id);
  if (hasProviderType || hasProviderCall) {
    part.executor = "provider";
    part.tool = SYSTEM_TOOL;
  }
  if (status === "success") storeForm(part, context.dialect, "status", status);
  const hasContent = decodeContent(wire, part, state);
  calls.matchResult(part, id);
  const hasStatus = status === "success" || status === "error";
  // The encoder adds the type `SERVER_RESULT` to a result whose call Bedrock did not run, so it is not stored as
  // residue.
  const isTypeImplied = type === SERVER_RESULT && !hasProviderCall;
  const decoded = ["toolUseId", hasContent && "content", hasStatus && "status", isTypeImplied && "type"] as const;
  return storeRest(part, wire, context.dialect, ["toolResult"], ...decoded);
}

/**
 * Decodes the content of a result: a single text, or JSON in the first block, becomes the output; all other blocks
 * become content parts. Returns false if `content` is not a list.
 */
function decodeContent({ content }: JsonObject, part: ToolResultPart, state: BedrockDecodeState): boolean {
  const { pathTracker, dialect } = state.context;
  if (!Array.isArray(content)) {
    storeForm(part, dialect, "content", "none");
    return false;
  }
  const [first, ...others] = content;
  const key = isObject(first) && Object.keys(first).length === 1 ? Object.keys(first)[0] : undefined;
  if (isObject(first) && key === "text" && typeof first["text"] === "string" && others.length === 0) {
    part.output = first["text"];
    return true;
  }
  const isJsonString = isObject(first) && typeof first["json"] === "string";
  if (isObject(first) && key === "json" && (!isJsonString || others.length === 0)) {
    copyField(first, "json", part, "output");
    if (isJsonString) storeForm(part, dialect, "content", "json");
    if (others.length === 0) return true;
  }
  pathTracker.enter("toolResult");
  part.content = state.decodeBlocks(part.output === undefined ? content : others, "content", state);
  pathTracker.leave();
  return true;
}
