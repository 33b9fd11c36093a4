// Decodes items into messages. Each user, system or developer item is a message; consecutive assistant items (text,
// reasoning, calls) form one message, and so do consecutive tool outputs.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message, Role } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { decodeObjectList } from "../../kit/fields/decode-list.ts";
import { copyField, isObject, describeKind, readList, readObject } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { decodeBlocks } from "./input-blocks.ts";
import { decodeCallItem, decodeOutputItem } from "./decode-tool-items.ts";
import { decodeOutputBlock } from "./output-blocks.ts";
import type { ResponsesDecodeState } from "../decode-state.ts";
import { decodeItemId, createDecodeState } from "../decode-state.ts";
import { decodeReasoning } from "./reasoning.ts";
import { findByCallType, findByOutputType } from "./tool-item-types.ts";

const FRAGMENT_FIELDS: ReadonlySet<string> = new Set(["instructions", "input"]);

/** Decodes a bare list of items, or an object that has only `input` and `instructions`. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  if (Array.isArray(wire)) return decodeHistory(wire as JsonValue[], createDecodeState(context));
  const { input, instructions } = isObject(wire) ? wire : {};
  if (!isObject(wire) || input === undefined) {
    context.fail("wrong-type", `Expected a list of items or { "input": … }, found ${describeKind(wire)}.`);
  }
  // The result, a list of messages, has no place for request parameters, so they are rejected instead of dropped.
  const other = Object.keys(wire).find((key) => !FRAGMENT_FIELDS.has(key));
  if (other !== undefined) context.fail("wrong-type", "Only messages are accepted here; remove this field.", other);
  if (instructions !== undefined && typeof instructions !== "string") {
    context.fail("wrong-type", `Expected a string, found ${describeKind(instructions)}.`, "instructions");
  }
  return [...decodeInstructions(instructions), ...decodeInput(input, context)];
}

export function decodeInstructions(instructions: string | undefined): Message[] {
  return instructions === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: instructions }] }];
}

/** Decodes the input. A string becomes one user message. */
export function decodeInput(input: JsonValue, context: DecodeContext): Message[] {
  if (typeof input === "string") {
    const message: Message = { role: "user", parts: [{ type: "text", text: input }] };
    storeForm(message, context.dialect, "input", "string");
    return [message];
  }
  const list = readList(input, context, "input");
  context.pathTracker.enter("input");
  const messages = decodeHistory(list, createDecodeState(context));
  context.pathTracker.leave();
  return messages;
}

const ROLES: Readonly<Record<string, Role>> = { user: "user", system: "system", developer: "developer" };

/** Decodes a list of items. The path tracker must be at the list. */
function decodeHistory(list: readonly JsonValue[], state: ResponsesDecodeState): Message[] {
  const { context } = state;
  const messages: Message[] = [];
  let last: Message | undefined;
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    const item = readObject(list[at], context);
    const { type, role } = item;
    const isMessage = (type === undefined || type === "message") && typeof role === "string";
    if (isMessage && role !== "assistant") {
      const isLeading = last === undefined || last.role === "system";
      last = decodeMessage(item, role, context);
      // By default, leading system text is encoded as `instructions`; the form makes the encoder write it into `input`.
      if (isLeading && last.role === "system") storeForm(last, context.dialect, "in", "input");
      messages.push(last);
    } else {
      const previous: Message | undefined = last;
      const parts = previous?.role === "assistant" ? previous.parts : [];
      const decoded = isMessage ? decodeAssistantItem(item, parts, state) : decodeItem(item, state);
      const [first] = decoded;
      const decodedRole = first?.type === "tool-result" && first.executor !== "provider" ? "tool" : "assistant";
      if (previous?.role === decodedRole) for (const part of decoded) previous.parts.push(part);
      else messages.push((last = { role: decodedRole, parts: decoded }));
    }
    context.pathTracker.leave();
  }
  return messages;
}

/** Decodes a user, system or developer message. A message of an unknown role becomes a user message. */
function decodeMessage(item: JsonObject, wireRole: string, context: DecodeContext): Message {
  const { dialect } = context;
  const role = Object.hasOwn(ROLES, wireRole) ? ROLES[wireRole] : undefined;
  const { content } = item;
  const message: Message = { role: role ?? "user", parts: [] };
  if (typeof content === "string") message.parts.push({ type: "text", text: content });
  else {
    const list = readList(content, context, "content");
    context.pathTracker.enter("content");
    message.parts = decodeBlocks(list, context);
    context.pathTracker.leave();
    const [only] = message.parts;
    if (message.parts.length === 1 && only?.type === "text" && only.extra === undefined) {
      storeForm(message, dialect, "content", "list");
    }
  }
  if (role === undefined) storeForm(message, dialect, "role", wireRole);
  let rest: JsonObject | undefined;
  for (const key in item) {
    if (key === "role" || key === "content" || item[key] === undefined) continue;
    if (key === "type") storeForm(message, dialect, "type", "message");
    else copyField(item, key, (rest ??= {}));
  }
  storeResidue(message, dialect, rest);
  return message;
}

/** Decodes any item of a response. `previous` are the parts of the items before it. */
export function decodeAnyItem(item: JsonObject, previous: readonly Part[], state: ResponsesDecodeState): Part[] {
  const { type, role } = item;
  const isMessage = (type === undefined || type === "message") && role === "assistant";
  return isMessage ? decodeAssistantItem(item, previous, state) : decodeItem(item, state);
}

/**
 * Decodes an assistant message item. `previous` are the parts of the assistant items before it. A message without
 * content becomes an opaque part.
 */
function decodeAssistantItem(item: JsonObject, previous: readonly Part[], state: ResponsesDecodeState): Part[] {
  const { context } = state;
  const { content } = item;
  let parts: Part[] = [];
  if (typeof content === "string") parts.push({ type: "text", text: content });
  else if (Array.isArray(content)) parts = decodeObjectList(content, "content", state, decodeMessageBlock);
  const [first] = parts;
  if (first === undefined) return [toOpaquePart(item, context)];
  storeMessageFields(first, item, !isMessagePart(previous.at(-1), context.dialect), state);
  const plainForm = state.isResponse || typeof item["id"] === "string" ? "list" : "string";
  const form = typeof content === "string" ? "string" : "list";
  if (form !== plainForm && (parts.length > 1 || isPlainText(first)))
    storeForm(first, context.dialect, "content", form);
  return parts;
}

function decodeMessageBlock(block: JsonObject, { context }: ResponsesDecodeState): Part {
  return decodeOutputBlock(block, context);
}

/** True if a part is a text that can be encoded as a string. */
function isPlainText(part: Part): boolean {
  return part.type === "text" && part.annotations === undefined && part.logprobs === undefined;
}

/**
 * True if a part is in an assistant message item. The encoder would write a text without an item id after such a part
 * into the same item.
 */
function isMessagePart(part: Part | undefined, dialect: string): boolean {
  if (part === undefined) return false;
  if (part.type === "opaque") return part.extra?.[dialect] !== undefined;
  return part.type === "text" || part.type === "refusal";
}

/**
 * Stores the fields of an assistant message item as form, unless the encoder would write the same fields by default.
 */
function storeMessageFields(first: Part, item: JsonObject, isFirst: boolean, state: ResponsesDecodeState): void {
  const hasId = decodeItemId(first, item, state);
  let count = 0;
  for (const key in item) if (item[key] !== undefined) count++;
  const isPlain = hasId
    ? count === 5 && item["type"] === "message" && item["status"] === "completed"
    : count === 2 && isFirst && !state.isResponse;
  if (isPlain) return;
  const fields: JsonObject = {};
  for (const key in item) {
    if (key === "role" || key === "content" || (key === "id" && hasId) || item[key] === undefined) continue;
    copyField(item, key, fields);
  }
  storeForm(first, state.context.dialect, "item", fields);
}

function decodeItem(item: JsonObject, state: ResponsesDecodeState): Part[] {
  const { type } = item;
  let parts: Part[] | undefined;
  const callItemType = findByCallType(type);
  if (callItemType !== undefined) parts = decodeCallItem(item, callItemType, state);
  else if (type === "reasoning") {
    const part = decodeReasoning(item, state);
    parts = part && [part];
  } else {
    const outputItemType = findByOutputType(type);
    const part = outputItemType && decodeOutputItem(item, outputItemType, state);
    parts = part && [part];
  }
  return parts ?? [toOpaquePart(item, state.context)];
}
