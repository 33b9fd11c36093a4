// Calls and results on their way out: the client's own, and the provider's where they are this dialect's.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { isAskedOfClient } from "../kit/approvals.ts";
import { wireCallId } from "../kit/calls.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { outputText } from "../kit/results.ts";
import { reportSeals } from "../kit/seals.ts";
import { WRAPPED } from "../kit/text-tools.ts";
import { isFailure } from "./decode-tools.ts";
import { MCP_RESULT, PROVIDER_CALLS, PROVIDER_RESULTS } from "./terms.ts";
import type { Writing } from "./writing.ts";
import { closeBlock } from "./writing.ts";

const COMMON = ["type", "toolCallId", "toolName", "executor", "extra", "cache", "seals"];
const CALL = [...COMMON, "input", "inputText", "invalid"];
const CLIENT_CALL: ReadonlySet<string> = new Set([...CALL, "format"]);
const PROVIDER_CALL: ReadonlySet<string> = new Set([...CALL, "tool"]);
const RESULT = [...COMMON, "isError", "output"];
const CLIENT_RESULT: ReadonlySet<string> = new Set([...RESULT, "content", "format"]);
const PROVIDER_RESULT: ReadonlySet<string> = new Set([...RESULT, "tool"]);

/** What the provider ran is sent only where it is this dialect's own (B33); its ids are never changed. */
function wireType(
  part: ToolCallPart | ToolResultPart,
  own: ReadonlySet<unknown>,
  plain: string,
  { context }: Writing,
): string | undefined {
  const { tool, executor } = part;
  if (executor === "provider" && tool !== undefined && own.has(tool)) return tool;
  return isAskedOfClient(part, context) ? plain : undefined;
}

function wireId(part: ToolCallPart | ToolResultPart, { names, context }: Writing): string | undefined {
  if (names !== undefined && part.executor !== "provider") return wireCallId(part, names, context);
  const form = part.extra === undefined ? undefined : readForm(part, context.dialect)["id"];
  return form === null ? undefined : typeof form === "string" ? form : part.toolCallId;
}

export function encodeCall(part: ToolCallPart, writing: Writing): JsonObject | undefined {
  const { context, names } = writing;
  const type = wireType(part, PROVIDER_CALLS, "tool_use", writing);
  if (type === undefined) return undefined;
  const isClient = part.executor !== "provider";
  writing.calls.set(part.toolCallId, part.toolName);
  const wire: JsonObject = { type };
  const id = wireId(part, writing);
  if (id !== undefined) wire["id"] = id;
  wire["name"] = isClient && names !== undefined ? names.toolName(part.toolName) : part.toolName;
  writeInput(part, wire, writing);
  const isImplied = part.invalid === true && writing.cut === part;
  if (part.invalid !== undefined && !isImplied) {
    context.report.addLoss(part.invalid ? "call-invalid" : "bookkeeping", "invalid");
  }
  reportSeals(part, context);
  return closeBlock(wire, part, isClient ? CLIENT_CALL : PROVIDER_CALL, writing);
}

/** Numbers that a double may not hold: only then does the exact text know more than the value. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;

function writeInput(part: ToolCallPart, wire: JsonObject, { context }: Writing): void {
  const { input, inputText } = part;
  if (isObject(input) || input === undefined) {
    const isExact = inputText !== undefined && LONG_NUMBER.test(inputText);
    // Reading gives back JSON; no arguments are an empty object (B20).
    const value = isExact ? (readArguments(argumentsText(part)).input as JsonValue) : (input ?? {});
    const wasUnsaid = part.extra !== undefined && readForm(part, context.dialect)["input"] === "none";
    if (!wasUnsaid || !isObject(value) || Object.keys(value).length > 0) wire["input"] = value;
  } else if (context.repair && part.executor !== "provider") {
    // Any object could be real arguments, so that this one is never read back (B22).
    context.report.addLoss("arguments-wrapped", "input");
    const wrapped: JsonObject = {};
    copyField(part, "input", wrapped, WRAPPED);
    wire["input"] = wrapped;
  } else {
    copyField(part, "input", wire);
  }
}

export function encodeResult(part: ToolResultPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const type = wireType(part, PROVIDER_RESULTS, "tool_result", writing);
  if (type === undefined) return undefined;
  const wire: JsonObject = { type };
  const id = wireId(part, writing);
  if (id !== undefined) wire["tool_use_id"] = id;
  const { toolName } = part;
  if (toolName !== "" && writing.calls.get(part.toolCallId) !== toolName)
    context.report.addLoss("tool-name", "toolName");
  const isClient = part.executor !== "provider";
  if (isClient) writeContent(part, wire, writing);
  else if (part.output !== undefined) copyField(part, "output", wire, "content");
  writeError(part, type, wire, writing);
  reportSeals(part, context);
  return closeBlock(wire, part, isClient ? CLIENT_RESULT : PROVIDER_RESULT, writing);
}

function writeContent(part: ToolResultPart, wire: JsonObject, writing: Writing): void {
  const { output, content } = part;
  const { report } = writing.context;
  if (output !== undefined && typeof output !== "string") report.addLoss("output-as-text", "output");
  const text = output === undefined ? undefined : outputText(part);
  if (content === undefined) {
    if (text !== undefined) wire["content"] = text;
    return;
  }
  const blocks = writing.blocks(content, "content", "result", writing);
  if (text !== undefined) {
    report.addLoss("output-in-content", "output");
    blocks.unshift({ type: "text", text });
  }
  wire["content"] = blocks;
}

function writeError(part: ToolResultPart, type: string, wire: JsonObject, { context }: Writing): void {
  const { isError } = part;
  const form = part.extra === undefined ? undefined : readForm(part, context.dialect)["is_error"];
  const isPlain = type === MCP_RESULT ? form !== "none" : form === false;
  if (type !== MCP_RESULT && part.executor === "provider") {
    if (isError !== isFailure(part.output)) context.report.addLoss("error-unsaid", "isError");
  } else if (isError || isPlain) wire["is_error"] = isError;
}
