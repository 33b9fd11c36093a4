// Calls and results as they are read: the client's own, and those of tools that the provider runs.
import type { JsonObject } from "../../model/json.ts";
import { hasExactNumbers, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { restoreName } from "../kit/names.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { restoreText } from "../kit/text-tools.ts";
import { keepRest } from "./fields.ts";
import type { Reading } from "./reading.ts";
import { SERVER_CALL, SERVER_RESULT, SYSTEM_TOOL } from "./terms.ts";

export function decodeCall(wire: JsonObject, reading: Reading): ToolCallPart | undefined {
  const { context, calls, names, served } = reading;
  const { toolUseId: id, name, type } = wire;
  if (typeof name !== "string") return undefined;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName: name, input: {} };
  if (wire["input"] === undefined) storeForm(part, context.dialect, "input", "none");
  else copyField(wire, "input", part);
  if (hasExactNumbers(part.input)) part.inputText = stringifyJson(part.input);
  const isServed = type === SERVER_CALL;
  const isNamed = typeof id === "string";
  if (isServed) {
    part.executor = "provider";
    part.tool = SYSTEM_TOOL;
  } else if (names !== undefined) {
    part.toolName = restoreName(name, names.toolNames);
    restoreText(part, names);
  }
  if (isNamed && isServed) served.add(id);
  // An id that is used again is another call's now.
  else if (isNamed && served.size > 0) served.delete(id);
  calls.add(part, isNamed ? restoreName(id, names?.toolCallIds) : undefined);
  const taken = ["name", "input", isNamed && "toolUseId", isServed && "type"] as const;
  return keepRest(part, wire, context.dialect, ["toolUse"], ...taken);
}

/** A result is the provider's where its call was, or where it says what kind of result it is. */
export function decodeResult(wire: JsonObject, reading: Reading): ToolResultPart | undefined {
  const { context, calls, served } = reading;
  const { toolUseId: id, status, type } = wire;
  if (typeof id !== "string") return undefined;
  const part: ToolResultPart = { type: "tool-result", toolCallId: id, toolName: "", isError: status === "error" };
  const isMarked = typeof type === "string" && type !== "tool_result";
  if (isMarked || served.has(id)) {
    part.executor = "provider";
    part.tool = SYSTEM_TOOL;
  }
  if (status === "success") storeForm(part, context.dialect, "status", status);
  const hasContent = readContent(wire, part, reading);
  calls.answer(part, id);
  const isKnown = status === "success" || status === "error";
  // Where the call tells it, that it says so, too, is kept.
  const isPlain = type === SERVER_RESULT && !served.has(id);
  const taken = ["toolUseId", hasContent && "content", isKnown && "status", isPlain && "type"] as const;
  return keepRest(part, wire, context.dialect, ["toolResult"], ...taken);
}

/** One text is the output, and so is JSON in front; everything else are parts. */
function readContent({ content }: JsonObject, part: ToolResultPart, reading: Reading): boolean {
  const { pathTracker: trail, dialect } = reading.context;
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
  const isText = isObject(first) && typeof first["json"] === "string";
  if (isObject(first) && key === "json" && (!isText || others.length === 0)) {
    copyField(first, "json", part, "output");
    if (isText) storeForm(part, dialect, "content", "json");
    if (others.length === 0) return true;
  }
  trail.enter("toolResult");
  part.content = reading.blocks(part.output === undefined ? content : others, "content", reading);
  trail.leave();
  return true;
}
