// Tool results: a message each. Media cannot stand in one, and go out as the user's right after the results (B45).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import { isApproval } from "../kit/approvals.ts";
import { wireCallId } from "../kit/calls.ts";
import { kindOf } from "../kit/read.ts";
import { readForm, storeResidue, storeForm } from "../kit/residue.ts";
import { outputText } from "../kit/results.ts";
import { reportManner } from "./calls.ts";
import { decodeBlocks, encodeBlock } from "./content.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { Reading } from "./reading.ts";
import { isMedia, stoodAt } from "./media.ts";
import { keep } from "./reading.ts";
import type { Writing } from "./writing.ts";

/** A message with one result; `isLegacy` for the role `function`, which names the function and no call. */
export function decodeResult(wire: JsonObject, isLegacy: boolean, reading: Reading): Message {
  const { context, calls, custom } = reading;
  const { dialect } = context;
  const result: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const message: Message = { role: "tool", parts: [result] };
  let id: string | undefined;
  let rest: JsonObject | undefined;
  for (const key in wire) {
    const value = wire[key];
    if (key === "role") continue;
    if (key === "content") decodeOutput(value, result, reading);
    else if (key === "tool_call_id" && typeof value === "string" && !isLegacy) id = value;
    else if (key === "name" && typeof value === "string") result.toolName = value;
    else rest = keep(rest, wire, key);
  }
  const { toolName } = result;
  if (wire["content"] === undefined) storeForm(result, dialect, "content", "absent");
  calls.answer(result, id);
  // It happens to name the id that was made for a call of old.
  if (id !== undefined && reading.legacy.has(id)) storeForm(result, dialect, "id", id);
  if (isLegacy) storeForm(message, dialect, "legacy", true);
  if (wire["name"] === toolName && toolName !== "") storeForm(result, dialect, "name", true);
  else if (typeof wire["name"] === "string") rest = keep(rest, wire, "name");
  if (custom.has(result.toolCallId)) result.format = "text";
  storeResidue(message, dialect, rest);
  return message;
}

function decodeOutput(value: JsonValue | undefined, result: ToolResultPart, reading: Reading): void {
  const { context } = reading;
  if (typeof value === "string") result.output = value;
  else if (Array.isArray(value)) {
    result.content = decodeBlocks(value, reading);
    for (const part of result.content) {
      // Elsewhere media would have to move.
      if (isMedia(part)) storeForm(part, context.dialect, "at", "result");
    }
  } else if (value === null) storeForm(result, context.dialect, "content", null);
  else if (value !== undefined) {
    context.fail("wrong-type", `Expected a string or a list, found ${kindOf(value)}.`, "content");
  }
}

const RESULT = carrying("toolCallId", "toolName", "isError", "output", "content", "executor", "format", "tool");

/** A result as a message; undefined where its call was left out (B33). Media that must move are added to `moved`. */
export function encodeResult(
  result: ToolResultPart,
  isLegacy: boolean,
  moved: JsonObject[],
  writing: Writing,
): JsonObject | undefined {
  const { context, names, calls, dialect } = writing;
  const { report } = context;
  const call = calls.get(result.toolCallId);
  const isForeign = call?.isApproval ?? isApproval(result);
  if (result.executor === "provider" || isForeign) {
    report.addLoss(isForeign ? "approval-foreign" : "provider-tool");
    return undefined;
  }
  if (result.executor !== undefined || result.format !== undefined || result.tool !== undefined) {
    reportManner(result, call?.isCustom === true && result.format === "text", writing);
  }
  if (result.isError) report.addLoss("error-unsaid", "isError");
  const form = result.extra === undefined ? undefined : readForm(result, dialect);
  const saysName = form?.["name"] === true;
  // A result that did not come over this wire answers a call of old in kind.
  const isMade = call?.isLegacy === true && !saysName;
  const isFunction = isMade ? typeof form?.["id"] !== "string" : isLegacy && form?.["id"] === null;
  const id = isFunction ? undefined : wireCallId(result, names, context);
  const wire: JsonObject = { role: isFunction ? "function" : "tool" };
  if (id !== undefined) wire["tool_call_id"] = id;
  if (saysName || (isFunction && !isLegacy)) wire["name"] = names.toolName(result.toolName);
  else if (result.toolName !== "" && result.toolName !== call?.name) report.addLoss("tool-name", "toolName");
  const content = encodeOutput(result, form, moved, writing);
  if (content !== undefined) wire["content"] = content;
  return finishPart(wire, result, RESULT, writing);
}

function encodeOutput(
  result: ToolResultPart,
  form: JsonObject | undefined,
  moved: JsonObject[],
  writing: Writing,
): JsonValue | undefined {
  const { report, pathTracker: trail } = writing.context;
  const { output, content } = result;
  if (output !== undefined && typeof output !== "string") report.addLoss("output-as-text", "output");
  if (content === undefined) {
    if (output !== undefined) return outputText(result);
    if (form?.["content"] === "absent") return undefined;
    if (form?.["content"] === null) return null;
    report.addLoss("result-empty", "output");
    return "";
  }
  const blocks: JsonValue[] = [];
  if (output !== undefined) {
    report.addLoss("output-in-content", "output");
    blocks.push({ type: "text", text: outputText(result) });
  }
  trail.enter("content");
  for (const [at, piece] of content.entries()) {
    trail.enter(at);
    const block = encodeBlock(piece, writing);
    const isText = block?.["type"] === "text";
    if (block !== undefined && isMedia(piece) && !isText && stoodAt(piece, writing) !== "result") {
      report.addLoss("media-moved");
      moved.push(block);
    } else if (block !== undefined) blocks.push(block);
    trail.leave();
  }
  trail.leave();
  if (blocks.length > 0 || (content.length === 0 && !writing.context.repair)) return blocks;
  report.addLoss("result-empty", "output");
  return "";
}
