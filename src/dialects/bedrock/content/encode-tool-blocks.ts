// Encodes Bedrock tool calls and results: of the client's tools, and of tools that Bedrock itself ran.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import * as toolBlocks from "../../blocks/tool-blocks.ts";
import { copyField, isObject } from "../../kit/fields/read-wire.ts";
import { readForm } from "../../kit/residue/residue.ts";
import { reportUnsentSeals } from "../../kit/seals/seals.ts";
import { canSendToolPart } from "../../kit/tools/approvals.ts";
import { formatToolOutput } from "../../kit/tools/tool-output-text.ts";
import { SERVER_CALL, SERVER_RESULT, SYSTEM_TOOL } from "../terms.ts";
import type { BedrockEncodeState } from "./encode-state.ts";
import { closeBlock } from "./encode-state.ts";

const PROVIDER_RESULT_FIELDS: ReadonlySet<string> = new Set([...toolBlocks.RESULT_FIELDS, "content", "tool"]);

/** True if Bedrock itself ran the tool. Calls and results of other providers' tools are not sent (B33). */
function isSystemTool({ executor, tool }: ToolCallPart | ToolResultPart): boolean {
  return executor === "provider" && tool === SYSTEM_TOOL;
}

export function encodeToolCall(part: ToolCallPart, state: BedrockEncodeState): JsonObject | undefined {
  const { context, names, calls } = state;
  const isProviderCall = isSystemTool(part);
  if (!isProviderCall && !canSendToolPart(part, context)) return undefined;
  const { toolName } = part;
  const wire: JsonObject = {};
  const id = toolBlocks.encodeCallId(part, state);
  if (id !== undefined) wire["toolUseId"] = id;
  const wireName = !isProviderCall && names !== undefined ? names.encodeToolName(toolName) : toolName;
  wire["name"] = wireName;
  calls.set(part.toolCallId, { toolName, wireName, isProviderCall });
  toolBlocks.writeCallInput(part, wire, isProviderCall, context);
  if (isProviderCall) wire["type"] = SERVER_CALL;
  toolBlocks.reportInvalidCall(part, state);
  reportUnsentSeals(part, context);
  return closeBlock(
    { toolUse: wire },
    part,
    isProviderCall ? toolBlocks.PROVIDER_CALL_FIELDS : toolBlocks.CLIENT_CALL_FIELDS,
    state,
  );
}

export function encodeToolResult(part: ToolResultPart, state: BedrockEncodeState): JsonObject | undefined {
  const { context, calls } = state;
  const isProviderResult = isSystemTool(part);
  if (!isProviderResult && !canSendToolPart(part, context)) return undefined;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const call = calls.get(part.toolCallId);
  const { toolName, isError } = part;
  if (toolName !== "" && call?.toolName !== toolName) context.report.addLoss("result-tool-name-dropped", "toolName");
  const wire: JsonObject = {};
  const id = toolBlocks.encodeCallId(part, state);
  if (id !== undefined) wire["toolUseId"] = id;
  const content = encodeContent(part, form, state);
  if (content !== undefined) wire["content"] = content;
  if (isError) wire["status"] = "error";
  else if (form["status"] === "success") wire["status"] = "success";
  const residue = part.extra?.[context.dialect]?.["toolResult"];
  const hasStoredType = isObject(residue) && residue["type"] !== undefined;
  if (isProviderResult && call?.isProviderCall !== true && !hasStoredType) wire["type"] = SERVER_RESULT;
  reportUnsentSeals(part, context);
  return closeBlock(
    { toolResult: wire },
    part,
    isProviderResult ? PROVIDER_RESULT_FIELDS : toolBlocks.CLIENT_RESULT_FIELDS,
    state,
  );
}

const BLANK = /^\s*$/;

/** Encodes the content of a result; undefined if the result was decoded from a block without content. */
function encodeContent(part: ToolResultPart, form: JsonObject, state: BedrockEncodeState): JsonObject[] | undefined {
  const { report } = state.context;
  const { output, content } = part;
  const blocks = content === undefined ? [] : state.encodeParts(content, "content", "result", state);
  if (output === undefined) {
    if (content === undefined) {
      if (form["content"] === "none") return undefined;
      report.addLoss("result-empty", "output");
    }
    const [only] = blocks;
    const isOnlyText = blocks.length === 1 && Object.keys(only ?? {}).join() === "text";
    if (isOnlyText) report.addLoss("text-as-output", "content");
    return blocks;
  }
  if (content !== undefined && (typeof output === "string" || content.length === 0)) {
    report.addLoss("output-in-content", "output");
  }
  const first = encodeOutput(part, form, state);
  return first === undefined ? blocks : [first, ...blocks];
}

/**
 * Encodes the output as the first content block. Bedrock requires that JSON is an object and that no text is blank; a
 * blank text is dropped with a loss.
 */
function encodeOutput(part: ToolResultPart, form: JsonObject, { context }: BedrockEncodeState): JsonObject | undefined {
  const { output } = part;
  const { report, repair } = context;
  const isJson = typeof output === "string" ? form["content"] === "json" : isObject(output) || !repair;
  if (isJson) {
    const block: JsonObject = {};
    copyField(part, "output", block, "json");
    return block;
  }
  if (typeof output !== "string") report.addLoss("output-as-text", "output");
  const text = formatToolOutput(part);
  if (!repair || !BLANK.test(text)) return { text };
  report.addLoss("text-blank", "output");
  return undefined;
}
