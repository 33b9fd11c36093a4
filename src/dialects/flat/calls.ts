// Tool calls. A call is known by `call_id`, else by `id`; plain is `id`.
import { argumentsText, readArguments } from "../../model/arguments.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { hasExactNumbers, parseJson, sameJson, stringifyJson } from "../../model/json.ts";
import type { OpaquePart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { isObject, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import type { CallBook } from "./call-book.ts";
import type { Hints } from "./hints.ts";
import { restoreOrReport } from "./hints.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT } from "./names.ts";
import { placedOpaque } from "./opaque.ts";
import type { FlatToolCall } from "./types.ts";

/** What an encoder knows beside the message in hand. */
export interface Encoding {
  context: FlatContext;
  book: CallBook;
  /** Ids that are written as they are, because somebody in the list has no note of another spelling. */
  used: ReadonlySet<string>;
}

function isId(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === "string";
}

/** The call that a wire object describes; without a name it is none, and is kept as it is (B43). */
export function decodeCall(
  wire: JsonObject,
  message: number,
  index: number,
  book: CallBook,
): ToolCallPart | OpaquePart {
  const { name, arguments: args, id, call_id: callId } = wire;
  const readable = args === undefined || args === null || typeof args === "string" || isObject(args);
  if (typeof name !== "string" || !readable || !isId(id) || !isId(callId)) return placedOpaque(wire, "tool_calls");
  const field = typeof callId === "string" ? "call_id" : "id";
  const wireId = wire[field];
  const toolCallId = book.claim(wireId, message, index);
  const part: ToolCallPart = { type: "tool-call", toolCallId, toolName: name, input: {} };
  decodeArguments(args, part);
  if (field === "call_id") keepForm(part, FLAT, "id_field", field);
  keepWireId(part, wireId);
  if (typeof wireId === "string") book.note(wireId, message, { toolCallId, toolName: name });
  keepFields(part, FLAT, restOf(wire, new Set(["name", "arguments", field])));
  return part;
}

/** Text is the plain form; an object, null and nothing are others. */
function decodeArguments(args: string | JsonObject | null | undefined, part: ToolCallPart): void {
  if (args === undefined || args === null) {
    keepForm(part, FLAT, "arguments", args === null ? "null" : "absent");
    return;
  }
  if (typeof args !== "string") {
    keepForm(part, FLAT, "arguments", "object");
    part.input = args;
    if (hasExactNumbers(args)) part.inputText = stringifyJson(args);
    return;
  }
  const read = readArguments(args);
  part.input = read.input;
  if (read.inputText !== undefined) part.inputText = read.inputText;
  if (read.invalid === true) part.invalid = true;
}

/** Notes the id on the wire where it is not the canonical one; the hint holds for that canonical id only. */
export function keepWireId(part: ToolCallPart | ToolResultPart, wireId: JsonValue | undefined): void {
  if (wireId === part.toolCallId) return;
  keepForm(part, FLAT, "id", wireId === undefined ? { as: part.toolCallId } : { as: part.toolCallId, wire: wireId });
}

/** The noted wire id, while the part still has the id that the note was made for. */
export function wireIdHint(part: ToolCallPart | ToolResultPart, hints: Hints): JsonObject | undefined {
  const hint = hints.get("id");
  return isObject(hint) && hint["as"] === part.toolCallId ? hint : undefined;
}

/** Which id to write: the one on the wire, if all who use the id can follow. */
export function wireIdOf(
  part: ToolCallPart | ToolResultPart,
  hints: Hints,
  used: ReadonlySet<string>,
): JsonValue | undefined {
  const hint = wireIdHint(part, hints);
  if (hint === undefined || used.has(part.toolCallId)) return part.toolCallId;
  hints.follow("id");
  return hint["wire"];
}

export function encodeCall(part: ToolCallPart, hints: Hints, message: number, encoding: Encoding): JsonObject {
  const { book, used, context } = encoding;
  const wire: JsonObject = { name: part.toolName, arguments: argumentsText(part) } satisfies FlatToolCall;
  spellArguments(wire, part, hints);
  const wireId = wireIdOf(part, hints, used);
  if (typeof wireId === "string") book.note(wireId, message, part);
  if (wireId !== undefined) wire[hints.says("id_field", "call_id") ? "call_id" : "id"] = wireId;
  reportTool(part, context);
  if (part.invalid !== undefined && part.invalid !== (readArguments(argumentsText(part)).invalid === true)) {
    context.report.lose("call-invalid", "invalid");
  }
  restoreOrReport(wire, part, FLAT, context);
  return wire;
}

/** Every tool here is a function that the client runs and that speaks JSON. */
export function reportTool(part: ToolCallPart | ToolResultPart, context: FlatContext): void {
  if (part.executor !== undefined) context.report.lose("tool-default", "executor");
  if (part.format !== undefined) context.report.lose(part.format === "text" ? "free-form" : "tool-default", "format");
  if (part.tool !== undefined) context.report.lose("tool-kind", "tool");
}

function spellArguments(wire: JsonObject, part: ToolCallPart, hints: Hints): void {
  if (isObject(part.input) && hints.says("arguments", "object")) {
    wire["arguments"] = part.inputText === undefined ? part.input : parseJson(argumentsText(part));
  } else if (part.inputText === undefined && sameJson(part.input, {})) {
    if (hints.says("arguments", "absent")) delete wire["arguments"];
    else if (hints.says("arguments", "null")) wire["arguments"] = null;
  }
}
