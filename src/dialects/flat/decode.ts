// From flat messages to canonical ones. Parts come in the order reasoning, content, refusal, tool calls.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import { ROLES } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, readList, readMessageList, readObject, readString, restOf } from "../read.ts";
import { keepFields, keepForm } from "../residue.ts";
import { CallBook } from "./call-book.ts";
import { decodeCall } from "./calls.ts";
import { optionalString } from "./fields.ts";
import { ANTHROPIC, FLAT, GEMINI } from "./names.ts";
import { decodeContentPart, decodeRefusalPart } from "./parts.ts";
import { decodeProviderData, keepStale } from "./provider-data.ts";
import { decodeToolMessage } from "./results.ts";
import { decodeSignatures } from "./signatures.ts";
import { readSlot } from "./spelling.ts";
import { decodeReasoning } from "./thinking.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  const book = new CallBook(wireIds(list));
  return context.trail.each(key, list, (each, index) => decodeMessage(readObject(each, context), index, book, context));
}

/** Every id in the list, so that none of them is made up again. */
function wireIds(list: readonly JsonValue[]): string[] {
  return list.filter(isObject).flatMap((message) => {
    const calls = message["tool_calls"];
    const holders = [message, ...(Array.isArray(calls) ? calls.filter(isObject) : [])];
    return holders.flatMap(({ id, call_id: callId }) => [id, callId]).filter((id) => typeof id === "string");
  });
}

function decodeMessage(wire: JsonObject, index: number, book: CallBook, context: DecodeContext): Message {
  const role = readString(wire, "role", context);
  return role === "tool" ? decodeToolMessage(wire, book, context) : decodeTurn(role, wire, index, book, context);
}

export function isRole(role: unknown): role is Role {
  return ROLES.some((each) => each === role);
}

/** `call_id` has a meaning on tool messages only. */
export const TURN_FIELDS = new Set(["role", "content", "reasoning", "refusal", "tool_calls", "id", "name", "extra"]);

function decodeTurn(role: string, wire: JsonObject, index: number, book: CallBook, context: DecodeContext): Message {
  const message: Message = { role: isRole(role) ? role : "user", parts: [] };
  if (!isRole(role)) keepForm(message, FLAT, "role", role);
  const id = optionalString(wire, "id", message, context);
  if (id !== undefined) message.id = id;
  const name = optionalString(wire, "name", message, context);
  if (name !== undefined) message.name = name;
  const lists = decodeProviderData(wire, message, [ANTHROPIC, GEMINI]);
  const reasoning = decodeReasoning(wire, lists.anthropic, message, context);
  message.parts = [
    ...reasoning.parts,
    ...readSlot(wire, "content", message, context).map(decodeContentPart),
    ...readSlot(wire, "refusal", message, context).map(decodeRefusalPart),
    ...decodeCalls(wire, message, index, book, context),
  ];
  keepStale(message, ANTHROPIC, reasoning.stale);
  keepStale(message, GEMINI, decodeSignatures(lists.gemini, message, context));
  keepFields(message, FLAT, restOf(wire, TURN_FIELDS));
  return message;
}

function decodeCalls(
  wire: JsonObject,
  message: Message,
  index: number,
  book: CallBook,
  context: DecodeContext,
): Part[] {
  const calls = wire["tool_calls"];
  if (calls === undefined) return [];
  if (calls === null) {
    keepForm(message, FLAT, "tool_calls", "null");
    return [];
  }
  const list = readList(calls, context, "tool_calls");
  if (list.length === 0) keepForm(message, FLAT, "tool_calls", "list");
  return context.trail.each("tool_calls", list, (call, position) =>
    decodeCall(readObject(call, context), index, position, book),
  );
}
