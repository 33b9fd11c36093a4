// Calls: of functions, which the client runs, and of what Google runs itself (code, searches), which are replayed to it
// and never become a client's (B33).
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject } from "../../model/json.ts";
import { copyObject, hasExactNumbers, parseJson, stringifyJson } from "../../model/json.ts";
import type { ToolCallPart } from "../../model/parts.ts";
import { wireCallId } from "../kit/calls.ts";
import { isAskedOfClient } from "../kit/approvals.ts";
import { restoreName } from "../kit/names.ts";
import { isObject, unknownFields } from "../kit/read.ts";
import { readForm, storeForm, reportUnsupportedFields } from "../kit/residue.ts";
import { restoreText, WRAPPED } from "../kit/text-tools.ts";
import type { Reading } from "./reading.ts";
import { keepRest } from "./reading.ts";
import type { Writing } from "./writing.ts";

/** What the code that Google runs is a tool of. */
export const CODE = "codeExecution";
const ID: ReadonlySet<string> = new Set(["id"]);

/** A call; undefined where it lacks its name. */
export function decodeCall(data: JsonObject, key: string, reading: Reading): ToolCallPart | undefined {
  const { dialect } = reading.context;
  const isCode = key === "executableCode";
  const isFunction = key === "functionCall";
  const nameField = isFunction ? "name" : "toolType";
  const name = isCode ? CODE : data[nameField];
  if (typeof name !== "string") return undefined;
  const toolName = isFunction ? restoreName(name, reading.names?.toolNames) : name;
  const part: ToolCallPart = { type: "tool-call", toolCallId: "", toolName, input: {} };
  if (!isFunction) Object.assign(part, { executor: "provider", tool: key });
  const id = typeof data["id"] === "string" ? data["id"] : undefined;
  const args = isCode ? (id === undefined ? data : (unknownFields(data, ID) ?? {})) : data["args"];
  if (isObject(args)) {
    part.input = args;
    if (hasExactNumbers(args)) part.inputText = stringifyJson(args);
  } else if (args === undefined) storeForm(part, dialect, "args", null);
  if (isFunction) restoreText(part, reading.names);
  reading.book.add(part, id);
  if (!isCode) {
    const taken = [nameField, ...(id === undefined ? [] : ["id"]), ...(isObject(args) ? ["args"] : [])];
    keepRest(part, data, taken, dialect, key);
  }
  return part;
}

const CALL_FIELDS = ["type", "extra", "seals", "toolCallId", "toolName", "input", "inputText", "invalid"];
const CALL: ReadonlySet<string> = new Set([...CALL_FIELDS, "executor", "format"]);
const OWN_CALL: ReadonlySet<string> = new Set([...CALL_FIELDS, "executor", "tool"]);

/** The field that a call of Google's own stands in; undefined for every other. */
function ownField({ executor, tool }: ToolCallPart): string | undefined {
  return executor === "provider" && (tool === "executableCode" || tool === "toolCall") ? tool : undefined;
}

/** The field and what stands in it; undefined where the call is left out. */
export function encodeCall(part: ToolCallPart, writing: Writing): [key: string, data: JsonObject] | undefined {
  const { context, names, calls, cut } = writing;
  const own = ownField(part);
  if (own === undefined && !isAskedOfClient(part, context)) return undefined;
  reportUnsupportedFields(part, own === undefined ? CALL : OWN_CALL, context, "field-unsaid", { cache: "bookkeeping" });
  if (part.invalid !== undefined && !(part.invalid && part === cut)) {
    context.report.addLoss(part.invalid ? "call-invalid" : "bookkeeping", "invalid");
  }
  const id = wireCallId(part, names, context);
  const name = own === undefined ? names.toolName(part.toolName) : part.toolName;
  calls.set(part.toolCallId, { name: part.toolName, id });
  const args = encodeArguments(part, writing);
  const data: JsonObject = own === "executableCode" ? copyObject(args) : {};
  if (id !== undefined) data["id"] = id;
  if (own !== "executableCode") {
    data[own === undefined ? "name" : "toolType"] = name;
    if (!hasNoArguments(part, args, context.dialect, own ?? "functionCall")) data["args"] = args;
  }
  return [own ?? "functionCall", data];
}

/** Whether the wire had none, or nothing readable, and there are none now. */
function hasNoArguments(part: ToolCallPart, args: JsonObject, dialect: string, key: string): boolean {
  for (const _ in args) return false;
  if (part.extra === undefined) return false;
  const kept = part.extra[dialect]?.[key];
  return readForm(part, dialect)["args"] === null || (isObject(kept) && Object.hasOwn(kept, "args"));
}

/** The arguments with every digit that the exact text still knows (B23). */
function encodeArguments(part: ToolCallPart, { context }: Writing): JsonObject {
  // No input at all is no arguments (B20).
  const call: ToolCallPart = part.input === undefined ? { ...part, input: {} } : part;
  const { input } = call;
  if (isObject(input)) {
    if (call.inputText === undefined) return input;
    const read: unknown = readArguments(argumentsText(call)).input;
    return isObject(read) ? read : input;
  }
  // Any object could be real arguments, so that this wrapper is never read back (B22).
  context.report.addLoss("arguments-wrapped", "input");
  // Text that nobody could read, or that is free text: not to be taken for JSON.
  if (typeof input === "string") return { [WRAPPED]: input };
  return parseJson(`{"${WRAPPED}":${argumentsText(call)}}`) as JsonObject;
}
