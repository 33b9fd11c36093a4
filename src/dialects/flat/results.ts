// Tool messages: one result each, known by `call_id`, else by `id`. A text is its output, a list its content.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { ToolResultPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOf, readObject, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import type { CallBook } from "./call-book.ts";
import type { Encoding } from "./calls.ts";
import { keepWireId, reportTool, wireIdOf } from "./calls.ts";
import { optionalString } from "./fields.ts";
import type { Hints } from "./hints.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT, GEMINI } from "./names.ts";
import { decodeContentPart, encodeNested } from "./parts.ts";
import { decodeProviderData, keepStale } from "./provider-data.ts";
import { decodeSignatures } from "./signatures.ts";
import type { FlatText } from "./types.ts";

export const TOOL_FIELDS = new Set(["role", "content", "id", "call_id", "name", "extra"]);

export function decodeToolMessage(wire: JsonObject, book: CallBook, context: DecodeContext): Message {
  const part: ToolResultPart = { type: "tool-result", toolCallId: "", toolName: "", isError: false };
  const message: Message = { role: "tool", parts: [part] };
  decodeIdentity(wire, part, message, book, context);
  decodeOutput(wire["content"], part, context);
  const lists = decodeProviderData(wire, message, [GEMINI]);
  keepStale(message, GEMINI, decodeSignatures(lists.gemini, message, context));
  keepFields(message, FLAT, restOf(wire, TOOL_FIELDS));
  return message;
}

/** Which call is answered, and the tool's name: as given, else from the call. */
function decodeIdentity(
  wire: JsonObject,
  part: ToolResultPart,
  message: Message,
  book: CallBook,
  context: DecodeContext,
): void {
  const callId = optionalString(wire, "call_id", part, context);
  const id = optionalString(wire, "id", message, context);
  const name = optionalString(wire, "name", part, context);
  const wireId = callId ?? id ?? "";
  const call = wireId === "" ? undefined : book.answer(wireId);
  const expected = call?.toolName ?? "";
  part.toolCallId = call?.toolCallId ?? wireId;
  part.toolName = name ?? expected;
  keepWireId(part, wireId);
  if (callId === "") keepForm(part, FLAT, "call_id", "empty");
  if (callId === undefined && id !== undefined) keepForm(part, FLAT, "call_id_field", "id");
  else if (id !== undefined) message.id = id;
  if (name === expected) keepForm(part, FLAT, "name", "given");
}

function decodeOutput(content: JsonValue | undefined, part: ToolResultPart, context: DecodeContext): void {
  if (typeof content === "string") {
    part.output = content;
  } else if (Array.isArray(content)) {
    part.content = context.trail.each("content", content, (item) => decodeContentPart(readObject(item, context)));
  } else if (content === undefined || content === null) {
    keepForm(part, FLAT, "content", content === null ? "null" : "absent");
  } else {
    context.fail("wrong-type", `Expected a string or a list of parts, found ${kindOf(content)}.`, "content");
  }
}

/** The tool message for a result, without what stands beside the result. `hasId`: the message's own id takes `id`. */
export function encodeResult(part: ToolResultPart, hints: Hints, hasId: boolean, encoding: Encoding): JsonObject {
  const { book, used, context } = encoding;
  const wire: JsonObject = { role: "tool" };
  const content = encodeOutput(part, hints, context);
  if (content !== undefined) wire["content"] = content;
  const hinted = wireIdOf(part, hints, used);
  const wireId = typeof hinted === "string" ? hinted : part.toolCallId;
  writeIdentity(wire, wireId, hasId, hints);
  const expected = (wireId === "" ? undefined : book.answer(wireId)?.toolName) ?? "";
  if (part.toolName !== expected || hints.says("name", "given")) wire["name"] = part.toolName;
  else if (hints.says("name", "null")) wire["name"] = null;
  if (part.isError) context.report.lose("error-flag", "isError");
  reportTool(part, context);
  return wire;
}

function writeIdentity(wire: JsonObject, wireId: string, hasId: boolean, hints: Hints): void {
  if (!hasId && hints.says("call_id_field", "id")) wire["id"] = wireId;
  else if (wireId !== "" || hints.says("call_id", "empty")) wire["call_id"] = wireId;
  if (!Object.hasOwn(wire, "call_id") && hints.says("call_id", "null")) wire["call_id"] = null;
}

function encodeOutput(part: ToolResultPart, hints: Hints, context: FlatContext): JsonValue | undefined {
  const { output, content } = part;
  if (output === undefined && content === undefined) {
    if (hints.says("content", "absent")) return undefined;
    if (hints.says("content", "null")) return null;
    context.report.lose("content-filled", "content");
    return "";
  }
  const text = typeof output === "string" ? output : stringifyJson(output ?? null);
  if (output !== undefined && typeof output !== "string") context.report.lose("output-as-text", "output");
  if (content === undefined) return text;
  const items = context.trail.each("content", content, (each) => encodeNested(each, context));
  const written = items.filter((item) => item !== undefined);
  if (output === undefined) return written;
  context.report.lose("output-in-content", "output");
  return [{ type: "text", text } satisfies FlatText, ...written];
}
