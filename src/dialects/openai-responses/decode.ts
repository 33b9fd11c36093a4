// From items to messages. A message of a user, system or developer is one; a run of what the assistant said, thought and
// asked is one; a run of what came back from tools is one.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { opaquePart } from "../kit/opaque.ts";
import { copyField, isObject, kindOf, readList, readObject } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { decodeBlocks } from "./content.ts";
import { decodeCallItem, decodeOutputItem } from "./decode-tools.ts";
import { decodeOutput } from "./output.ts";
import type { Reading } from "./reading.ts";
import { readItemId, startReading } from "./reading.ts";
import { decodeReasoning } from "./reasoning.ts";
import { rowOfCall, rowOfOutput } from "./tool-rows.ts";

const FRAGMENT: ReadonlySet<string> = new Set(["instructions", "input"]);

/** A bare list of items, or the fragment with the instructions beside it. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  if (Array.isArray(wire)) return decodeHistory(wire as JsonValue[], startReading(context));
  const { input, instructions } = isObject(wire) ? wire : {};
  if (!isObject(wire) || input === undefined) {
    context.fail("wrong-type", `Expected a list of items or { "input": … }, found ${kindOf(wire)}.`);
  }
  // A list of messages has no place to keep them, and they must not vanish.
  const other = Object.keys(wire).find((key) => !FRAGMENT.has(key));
  if (other !== undefined) context.fail("wrong-type", "Only messages are read here; pass them alone.", other);
  if (instructions !== undefined && typeof instructions !== "string") {
    context.fail("wrong-type", `Expected a string, found ${kindOf(instructions)}.`, "instructions");
  }
  return [...decodeInstructions(instructions), ...decodeInput(input, context)];
}

export function decodeInstructions(instructions: string | undefined): Message[] {
  return instructions === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: instructions }] }];
}

/** A string is what the user says. */
export function decodeInput(input: JsonValue, context: DecodeContext): Message[] {
  if (typeof input === "string") {
    const message: Message = { role: "user", parts: [{ type: "text", text: input }] };
    storeForm(message, context.dialect, "input", "string");
    return [message];
  }
  const list = readList(input, context, "input");
  context.pathTracker.enter("input");
  const messages = decodeHistory(list, startReading(context));
  context.pathTracker.leave();
  return messages;
}

const ROLES: Readonly<Record<string, Role>> = { user: "user", system: "system", developer: "developer" };

/** The trail stands at the list. */
function decodeHistory(list: readonly JsonValue[], reading: Reading): Message[] {
  const { context } = reading;
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
      // Plainly, leading system text stands in the instructions.
      if (isLeading && last.role === "system") storeForm(last, context.dialect, "in", "input");
      messages.push(last);
    } else {
      const before: Message | undefined = last;
      const parts = before?.role === "assistant" ? before.parts : [];
      const read = isMessage ? decodeAnswer(item, parts, reading) : decodeItem(item, reading);
      const [first] = read;
      const run = first?.type === "tool-result" && first.executor !== "provider" ? "tool" : "assistant";
      if (before?.role === run) for (const part of read) before.parts.push(part);
      else messages.push((last = { role: run, parts: read }));
    }
    context.pathTracker.leave();
  }
  return messages;
}

/** What a user, system or developer says, or somebody whom nobody knows. */
function decodeMessage(item: JsonObject, word: string, context: DecodeContext): Message {
  const { dialect } = context;
  const role = Object.hasOwn(ROLES, word) ? ROLES[word] : undefined;
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
  if (role === undefined) storeForm(message, dialect, "role", word);
  let rest: JsonObject | undefined;
  for (const key in item) {
    if (key === "role" || key === "content" || item[key] === undefined) continue;
    if (key === "type") storeForm(message, dialect, "type", "message");
    else copyField(item, key, (rest ??= {}));
  }
  storeResidue(message, dialect, rest);
  return message;
}

/** The parts of an answer's item of any type. */
export function decodeAnyItem(item: JsonObject, before: readonly Part[], reading: Reading): Part[] {
  const { type, role } = item;
  const isMessage = (type === undefined || type === "message") && role === "assistant";
  return isMessage ? decodeAnswer(item, before, reading) : decodeItem(item, reading);
}

/** What the assistant says in one message; `before` are the parts of its run so far. */
function decodeAnswer(item: JsonObject, before: readonly Part[], reading: Reading): Part[] {
  const { context } = reading;
  const { content } = item;
  const parts: Part[] = [];
  if (typeof content === "string") parts.push({ type: "text", text: content });
  else if (Array.isArray(content)) {
    context.pathTracker.enter("content");
    for (let at = 0; at < content.length; at++) {
      context.pathTracker.enter(at);
      parts.push(decodeOutput(readObject(content[at], context), context));
      context.pathTracker.leave();
    }
    context.pathTracker.leave();
  }
  const [first] = parts;
  if (first === undefined) return [opaquePart(item, context)];
  keepMessageItem(first, item, !isSaid(before.at(-1), context.dialect), reading);
  const plain = reading.isReply || typeof item["id"] === "string" ? "list" : "string";
  const form = typeof content === "string" ? "string" : "list";
  if (form !== plain && (parts.length > 1 || isBare(first))) storeForm(first, context.dialect, "content", form);
  return parts;
}

/** Whether a part could be said as a string. */
function isBare(part: Part): boolean {
  return part.type === "text" && part.annotations === undefined && part.logprobs === undefined;
}

/** Whether a part stands in a message, so that what is said next would go on there. */
function isSaid(part: Part | undefined, dialect: string): boolean {
  if (part === undefined) return false;
  if (part.type === "opaque") return part.extra?.[dialect] !== undefined;
  return part.type === "text" || part.type === "refusal";
}

/** The fields that a message has beside role, content and id: those of an answer, or none at all. */
function keepMessageItem(first: Part, item: JsonObject, isFirst: boolean, reading: Reading): void {
  const hasId = readItemId(first, item, reading);
  let count = 0;
  for (const key in item) if (item[key] !== undefined) count++;
  const isPlain = hasId
    ? count === 5 && item["type"] === "message" && item["status"] === "completed"
    : count === 2 && isFirst && !reading.isReply;
  if (isPlain) return;
  const fields: JsonObject = {};
  for (const key in item) {
    if (key === "role" || key === "content" || (key === "id" && hasId) || item[key] === undefined) continue;
    copyField(item, key, fields);
  }
  storeForm(first, reading.context.dialect, "item", fields);
}

function decodeItem(item: JsonObject, reading: Reading): Part[] {
  const { type } = item;
  let parts: Part[] | undefined;
  const asks = rowOfCall(type);
  if (asks !== undefined) parts = decodeCallItem(item, asks, reading);
  else if (type === "reasoning") {
    const part = decodeReasoning(item, reading);
    parts = part && [part];
  } else {
    const answers = rowOfOutput(type);
    const part = answers && decodeOutputItem(item, answers, reading);
    parts = part && [part];
  }
  return parts ?? [opaquePart(item, reading.context)];
}
