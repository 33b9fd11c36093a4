// Decodes and encodes tool results, one wire message each. Chat's results have no media, so media move into a user
// message after the results (B45).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import { isMediaPart } from "../../../model/media-part.ts";
import type { ToolResultPart } from "../../../model/parts.ts";
import { isApprovalPart } from "../../kit/tools/approvals.ts";
import { toWireCallId } from "../../kit/tools/tool-call-ids.ts";
import { describeKind } from "../../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { formatToolOutput } from "../../kit/tools/tool-output-text.ts";
import { reportToolFields } from "./tool-calls.ts";
import { decodeBlocks, encodeBlock } from "./content-blocks.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { readMediaOrigin } from "./media.ts";
import { collectField } from "../decode-state.ts";
import type { ChatEncodeState } from "../encode-state.ts";

/**
 * Decodes a tool message. `isLegacy` is true for the role `function`, which has a function name instead of a call id.
 */
export function decodeResult(wire: JsonObject, isLegacy: boolean, state: ChatDecodeState): Message {
  const { context, calls, customCallIds } = state;
  const { dialect } = context;
  const result: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const message: Message = { role: "tool", parts: [result] };
  let id: string | undefined;
  let rest: JsonObject | undefined;
  for (const key in wire) {
    const value = wire[key];
    if (key === "role") continue;
    if (key === "content") decodeOutput(value, result, state);
    else if (key === "tool_call_id" && typeof value === "string" && !isLegacy) id = value;
    else if (key === "name" && typeof value === "string") result.toolName = value;
    else rest = collectField(rest, wire, key);
  }
  const { toolName } = result;
  if (wire["content"] === undefined) storeForm(result, dialect, "content", "absent");
  calls.matchResult(result, id);
  // The client sent the id that Koine had made for a `function_call`, which has no id on the wire. The form makes the
  // encoder write this id again instead of the name of the function.
  if (id !== undefined && state.legacyCallIds.has(id)) storeForm(result, dialect, "id", id);
  if (isLegacy) storeForm(message, dialect, "legacy", true);
  if (wire["name"] === toolName && toolName !== "") storeForm(result, dialect, "name", true);
  else if (typeof wire["name"] === "string") rest = collectField(rest, wire, "name");
  if (customCallIds.has(result.toolCallId)) result.format = "text";
  storeResidue(message, dialect, rest);
  return message;
}

function decodeOutput(value: JsonValue | undefined, result: ToolResultPart, state: ChatDecodeState): void {
  const { context } = state;
  if (typeof value === "string") result.output = value;
  else if (Array.isArray(value)) {
    result.content = decodeBlocks(value, state);
    for (const part of result.content) {
      // By default, media move out of a result; the form `at` makes the encoder write this part into the result again.
      if (isMediaPart(part)) storeForm(part, context.dialect, "at", "result");
    }
  } else if (value === null) storeForm(result, context.dialect, "content", null);
  else if (value !== undefined) {
    context.fail("wrong-type", `Expected a string or a list, found ${describeKind(value)}.`, "content");
  }
}

const SUPPORTED_RESULT = supportedFields(
  "toolCallId",
  "toolName",
  "isError",
  "output",
  "content",
  "executor",
  "format",
  "tool",
);

/**
 * Encodes a result as a message and adds its media to `movedMedia`. Returns undefined and reports a loss for results of
 * provider tools and approvals, whose calls are dropped, too (B33).
 */
export function encodeResult(
  result: ToolResultPart,
  isLegacy: boolean,
  movedMedia: JsonObject[],
  state: ChatEncodeState,
): JsonObject | undefined {
  const { context, names, calls, dialect } = state;
  const { report } = context;
  const call = calls.get(result.toolCallId);
  const isApprovalResult = call?.isApproval ?? isApprovalPart(result);
  if (result.executor === "provider" || isApprovalResult) {
    report.addLoss(isApprovalResult ? "approval-not-portable" : "provider-tool-unsupported");
    return undefined;
  }
  if (result.executor !== undefined || result.format !== undefined || result.tool !== undefined) {
    reportToolFields(result, call?.isCustom === true && result.format === "text", state);
  }
  if (result.isError) report.addLoss("error-flag-unsupported", "isError");
  const form = result.extra === undefined ? undefined : readForm(result, dialect);
  const hasName = form?.["name"] === true;
  // A result that was decoded from Chat keeps its role. A result from another dialect gets the role `function` if it
  // answers a `function_call`.
  const answersLegacyCall = call?.isLegacy === true && !hasName;
  const isFunctionRole = answersLegacyCall ? typeof form?.["id"] !== "string" : isLegacy && form?.["id"] === null;
  const id = isFunctionRole ? undefined : toWireCallId(result, names, context);
  const wire: JsonObject = { role: isFunctionRole ? "function" : "tool" };
  if (id !== undefined) wire["tool_call_id"] = id;
  if (hasName || (isFunctionRole && !isLegacy)) wire["name"] = names.encodeToolName(result.toolName);
  else if (result.toolName !== "" && result.toolName !== call?.name)
    report.addLoss("result-tool-name-dropped", "toolName");
  const content = encodeOutput(result, form, movedMedia, state);
  if (content !== undefined) wire["content"] = content;
  return finishPart(wire, result, SUPPORTED_RESULT, state);
}

function encodeOutput(
  result: ToolResultPart,
  form: JsonObject | undefined,
  movedMedia: JsonObject[],
  state: ChatEncodeState,
): JsonValue | undefined {
  const { report, pathTracker } = state.context;
  const { output, content } = result;
  if (output !== undefined && typeof output !== "string") report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (output !== undefined) return formatToolOutput(result);
    if (form?.["content"] === "absent") return undefined;
    if (form?.["content"] === null) return null;
    report.addLoss("result-empty", "output");
    return "";
  }
  const blocks: JsonValue[] = [];
  if (output !== undefined) {
    report.addLoss("output-in-content", "output");
    blocks.push({ type: "text", text: formatToolOutput(result) });
  }
  pathTracker.enter("content");
  for (const [at, part] of content.entries()) {
    pathTracker.enter(at);
    const block = encodeBlock(part, state);
    const isText = block?.["type"] === "text";
    if (block !== undefined && isMediaPart(part) && !isText && readMediaOrigin(part, state) !== "result") {
      report.addLoss("media-moved");
      movedMedia.push(block);
    } else if (block !== undefined) blocks.push(block);
    pathTracker.leave();
  }
  pathTracker.leave();
  if (blocks.length > 0 || (content.length === 0 && !state.context.repair)) return blocks;
  report.addLoss("result-empty", "output");
  return "";
}
