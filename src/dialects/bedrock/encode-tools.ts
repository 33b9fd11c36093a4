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
import { SERVER_CALL, SERVER_RESULT, SYSTEM_TOOL } from "./terms.ts";
import type { Writing } from "./writing.ts";
import { closeBlock } from "./writing.ts";

const COMMON = ["type", "toolCallId", "toolName", "executor", "extra", "cache", "seals"];
const CALL = [...COMMON, "input", "inputText", "invalid"];
const CLIENT_CALL: ReadonlySet<string> = new Set([...CALL, "format"]);
const SERVED_CALL: ReadonlySet<string> = new Set([...CALL, "tool"]);
const RESULT = [...COMMON, "isError", "output", "content"];
const CLIENT_RESULT: ReadonlySet<string> = new Set([...RESULT, "format"]);
const SERVED_RESULT: ReadonlySet<string> = new Set([...RESULT, "tool"]);

/** Whether the provider ran it, and is this one (B33). */
function isServed({ executor, tool }: ToolCallPart | ToolResultPart): boolean {
  return executor === "provider" && tool === SYSTEM_TOOL;
}

function wireId(part: ToolCallPart | ToolResultPart, { names, context }: Writing): string | undefined {
  if (names !== undefined && part.executor !== "provider") return wireCallId(part, names, context);
  const form = part.extra === undefined ? undefined : readForm(part, context.dialect)["id"];
  return form === null ? undefined : typeof form === "string" ? form : part.toolCallId;
}

export function encodeCall(part: ToolCallPart, writing: Writing): JsonObject | undefined {
  const { context, names, calls } = writing;
  const served = isServed(part);
  if (!served && !isAskedOfClient(part, context)) return undefined;
  const name = part.toolName;
  const wire: JsonObject = {};
  const id = wireId(part, writing);
  if (id !== undefined) wire["toolUseId"] = id;
  const written = !served && names !== undefined ? names.toolName(name) : name;
  wire["name"] = written;
  calls.set(part.toolCallId, { name, written, isServed: served });
  writeInput(part, wire, served, writing);
  if (served) wire["type"] = SERVER_CALL;
  const isImplied = part.invalid === true && writing.cut === part;
  if (part.invalid !== undefined && !isImplied) {
    context.report.addLoss(part.invalid ? "call-invalid" : "bookkeeping", "invalid");
  }
  reportSeals(part, context);
  return closeBlock({ toolUse: wire }, part, served ? SERVED_CALL : CLIENT_CALL, writing);
}

/** Numbers that a double may not hold: only then does the exact text know more than the value. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;

function writeInput(part: ToolCallPart, wire: JsonObject, served: boolean, { context }: Writing): void {
  const { input, inputText } = part;
  if (isObject(input) || input === undefined) {
    const isExact = inputText !== undefined && LONG_NUMBER.test(inputText);
    // Reading gives back JSON; no arguments are an empty object (B20).
    const value = isExact ? (readArguments(argumentsText(part)).input as JsonValue) : (input ?? {});
    const wasUnsaid = part.extra !== undefined && readForm(part, context.dialect)["input"] === "none";
    if (!wasUnsaid || !isObject(value) || Object.keys(value).length > 0) wire["input"] = value;
  } else if (context.repair && !served) {
    // Any object could be real arguments, so that this one is never read back (B22).
    context.report.addLoss("arguments-wrapped", "input");
    const wrapped: JsonObject = {};
    copyField(part, "input", wrapped, WRAPPED);
    wire["input"] = wrapped;
  } else copyField(part, "input", wire);
}

export function encodeResult(part: ToolResultPart, writing: Writing): JsonObject | undefined {
  const { context, calls } = writing;
  const served = isServed(part);
  if (!served && !isAskedOfClient(part, context)) return undefined;
  const form = part.extra === undefined ? {} : readForm(part, context.dialect);
  const call = calls.get(part.toolCallId);
  const { toolName, isError } = part;
  if (toolName !== "" && call?.name !== toolName) context.report.addLoss("tool-name", "toolName");
  const wire: JsonObject = {};
  const id = wireId(part, writing);
  if (id !== undefined) wire["toolUseId"] = id;
  const content = encodeContent(part, form, writing);
  if (content !== undefined) wire["content"] = content;
  if (isError) wire["status"] = "error";
  else if (form["status"] === "success") wire["status"] = "success";
  const kept = part.extra?.[context.dialect]?.["toolResult"];
  const isMarked = isObject(kept) && kept["type"] !== undefined;
  if (served && call?.isServed !== true && !isMarked) wire["type"] = SERVER_RESULT;
  reportSeals(part, context);
  return closeBlock({ toolResult: wire }, part, served ? SERVED_RESULT : CLIENT_RESULT, writing);
}

const BLANK = /^\s*$/;

/** What a result says: a text, JSON, parts; undefined where it said nothing at all. */
function encodeContent(part: ToolResultPart, form: JsonObject, writing: Writing): JsonObject[] | undefined {
  const { report } = writing.context;
  const { output, content } = part;
  const blocks = content === undefined ? [] : writing.blocks(content, "content", "result", writing);
  if (output === undefined) {
    if (content === undefined) {
      if (form["content"] === "none") return undefined;
      report.addLoss("result-empty", "output");
    }
    const [only] = blocks;
    const isOutput = blocks.length === 1 && Object.keys(only ?? {}).join() === "text";
    if (isOutput) report.addLoss("text-as-output", "content");
    return blocks;
  }
  if (content !== undefined && (typeof output === "string" || content.length === 0)) {
    report.addLoss("output-in-content", "output");
  }
  const first = encodeOutput(part, form, writing);
  return first === undefined ? blocks : [first, ...blocks];
}

/** JSON must be an object, and no text may be blank. */
function encodeOutput(part: ToolResultPart, form: JsonObject, { context }: Writing): JsonObject | undefined {
  const { output } = part;
  const { report, repair } = context;
  const isJson = typeof output === "string" ? form["content"] === "json" : isObject(output) || !repair;
  if (isJson) {
    const block: JsonObject = {};
    copyField(part, "output", block, "json");
    return block;
  }
  if (typeof output !== "string") report.addLoss("output-as-text", "output");
  const text = outputText(part);
  if (!repair || !BLANK.test(text)) return { text };
  report.addLoss("text-blank", "output");
  return undefined;
}
