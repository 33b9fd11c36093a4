// Encodes Anthropic tool calls and results. Those of tools that a provider ran are encoded only if the provider was
// Anthropic.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import * as toolBlocks from "../../blocks/tool-blocks.ts";
import { copyField } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import { canSendToolPart } from "../../kit/tools/approvals.ts";
import { formatToolOutput } from "../../kit/tools/tool-output-text.ts";
import { MCP_RESULT, PROVIDER_CALLS, PROVIDER_RESULTS } from "../terms.ts";
import { isErrorContent } from "./decode-tool-blocks.ts";
import type { AnthropicEncodeState } from "./encode-state.ts";
import { closeBlock } from "./encode-state.ts";

const PROVIDER_RESULT_FIELDS: ReadonlySet<string> = new Set([...toolBlocks.RESULT_FIELDS, "tool"]);

/**
 * Returns the block type of a call or result. Returns undefined and reports the loss if another provider ran the tool,
 * or if the part concerns an approval (B33).
 */
function findBlockType(
  part: ToolCallPart | ToolResultPart,
  providerTypes: ReadonlySet<unknown>,
  clientType: string,
  { context }: AnthropicEncodeState,
): string | undefined {
  const { tool, executor } = part;
  if (executor === "provider" && tool !== undefined && providerTypes.has(tool)) return tool;
  return canSendToolPart(part, context) ? clientType : undefined;
}

export function encodeToolCall(part: ToolCallPart, state: AnthropicEncodeState): JsonObject | undefined {
  const { context, names } = state;
  const type = findBlockType(part, PROVIDER_CALLS, "tool_use", state);
  if (type === undefined) return undefined;
  const isClientCall = part.executor !== "provider";
  state.calledTools.set(part.toolCallId, part.toolName);
  const wire: JsonObject = { type };
  const id = toolBlocks.encodeCallId(part, state);
  if (id !== undefined) wire["id"] = id;
  wire["name"] = isClientCall && names !== undefined ? names.encodeToolName(part.toolName) : part.toolName;
  toolBlocks.writeCallInput(part, wire, !isClientCall, context);
  toolBlocks.reportInvalidCall(part, state);
  reportUnsentSeals(part, context);
  return closeBlock(wire, part, isClientCall ? toolBlocks.CLIENT_CALL_FIELDS : toolBlocks.PROVIDER_CALL_FIELDS, state);
}

export function encodeToolResult(part: ToolResultPart, state: AnthropicEncodeState): JsonObject | undefined {
  const { context } = state;
  const type = findBlockType(part, PROVIDER_RESULTS, "tool_result", state);
  if (type === undefined) return undefined;
  const wire: JsonObject = { type };
  const id = toolBlocks.encodeCallId(part, state);
  if (id !== undefined) wire["tool_use_id"] = id;
  const { toolName } = part;
  if (toolName !== "" && state.calledTools.get(part.toolCallId) !== toolName)
    context.report.addLoss("result-tool-name-dropped", "toolName");
  const isClientResult = part.executor !== "provider";
  if (isClientResult) writeContent(part, wire, state);
  else if (part.output !== undefined) copyField(part, "output", wire, "content");
  writeErrorFlag(part, type, wire, state);
  reportUnsentSeals(part, context);
  return closeBlock(wire, part, isClientResult ? toolBlocks.CLIENT_RESULT_FIELDS : PROVIDER_RESULT_FIELDS, state);
}

function writeContent(part: ToolResultPart, wire: JsonObject, state: AnthropicEncodeState): void {
  const { output, content } = part;
  const { report } = state.context;
  if (output !== undefined && typeof output !== "string") report.addLoss("output-as-text", "output");
  const text = output === undefined ? undefined : formatToolOutput(part);
  if (content === undefined) {
    if (text !== undefined) wire["content"] = text;
    return;
  }
  const blocks = state.encodeParts(content, "content", "result", state);
  if (text !== undefined) {
    report.addLoss("output-in-content", "output");
    blocks.unshift({ type: "text", text });
  }
  wire["content"] = blocks;
}

function writeErrorFlag(part: ToolResultPart, type: string, wire: JsonObject, { context }: AnthropicEncodeState): void {
  const { isError } = part;
  const form = part.extra === undefined ? undefined : readForm(part, context.dialect)["is_error"];
  const isExplicit = type === MCP_RESULT ? form !== "none" : form === false;
  if (type !== MCP_RESULT && part.executor === "provider") {
    if (isError !== isErrorContent(part.output)) context.report.addLoss("error-flag-unsupported", "isError");
  } else if (isError || isExplicit) wire["is_error"] = isError;
}
