// Wire messages as they are read. A user message that holds tool results beside other blocks becomes several messages;
// two wire messages of one side in a row are the exception, which the second notes.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { noteResultOrder } from "../kit/pairing.ts";
import { isObject, kindOf, readList, readObject, readString } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { decodeBlocks, startReading } from "./decode-block.ts";
import { isBare, keepField } from "./fields.ts";
import type { Reading } from "./reading.ts";

/** A bare list, or `{ system?, messages }`. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const reading = startReading(context);
  if (Array.isArray(wire)) return decodeTurns([], wire as JsonValue[], reading);
  if (!isObject(wire) || wire["messages"] === undefined) {
    context.fail("wrong-type", `Expected a list of messages or { "messages": […] }, found ${kindOf(wire)}.`);
  }
  const { system, messages, ...others } = wire;
  const [other] = Object.keys(others);
  // A list of messages has no place to keep it, and it must not vanish.
  if (other !== undefined) context.fail("wrong-type", "Only messages and system text are read here.", other);
  const first = system === undefined ? [] : decodeSystem(system, reading);
  if (first === undefined) context.fail("wrong-type", `Expected text or blocks, found ${kindOf(system)}.`, "system");
  return decodeHistory(first, messages, reading);
}

/** The messages in the field of that name, after the system text. */
export function decodeHistory(first: Message[], messages: unknown, reading: Reading): Message[] {
  const { context } = reading;
  const list = readList(messages, context, "messages");
  context.pathTracker.enter("messages");
  const decoded = decodeTurns(first, list, reading);
  context.pathTracker.leave();
  return decoded;
}

/** The system text as a message; undefined where it is neither text nor blocks. */
export function decodeSystem(system: JsonValue, reading: Reading): Message[] | undefined {
  if (typeof system === "string") return [{ role: "system", parts: [{ type: "text", text: system }] }];
  if (!Array.isArray(system)) return undefined;
  const message: Message = { role: "system", parts: decodeBlocks(system, "system", reading) };
  noteList(message, reading.context);
  return [message];
}

/** Notes that what could have been a plain text, or nothing at all, was a list. */
function noteList(message: Message, { dialect }: DecodeContext): void {
  const [only] = message.parts;
  const couldBeText = message.parts.length === 1 && only?.type === "text" && isBare(only);
  if (couldBeText || (message.role === "system" && only === undefined)) storeForm(message, dialect, "content", "list");
}

function decodeTurns(messages: Message[], list: readonly JsonValue[], reading: Reading): Message[] {
  const { context } = reading;
  let before: string | undefined;
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    const wire = readObject(list[index], context);
    const word = readString(wire, "role", context);
    const first = messages.length;
    decodeTurn(wire, word, messages, reading);
    const message = messages[first];
    // System text in front would be read as the system text, and a neighbour of the same side as one turn.
    const isApart = word === "system" ? index === 0 : word === before;
    if (message !== undefined && isApart) storeForm(message, context.dialect, "turn", "own");
    before = word;
    context.pathTracker.leave();
  }
  noteResultOrder(messages, context.dialect);
  return messages;
}

const ROLES: ReadonlySet<string> = new Set<Role>(["user", "assistant", "system"]);

function decodeTurn(wire: JsonObject, word: string, messages: Message[], reading: Reading): void {
  const { context } = reading;
  const isKnown = ROLES.has(word);
  // One of the three, or else the nearest.
  const role = (isKnown ? word : "user") as Role;
  const message: Message = { role, parts: [] };
  messages.push(message);
  if (!isKnown) storeForm(message, context.dialect, "role", word);
  const { content } = wire;
  if (typeof content === "string") message.parts.push({ type: "text", text: content });
  else if (Array.isArray(content)) {
    const parts = decodeBlocks(content, "content", reading);
    if (word === "user" && parts.some(isResult)) splitTurn(parts, message, messages);
    else {
      message.parts = parts;
      noteList(message, context);
    }
  } else if (content === undefined || content === null) storeForm(message, context.dialect, "content", "none");
  else context.fail("wrong-type", `Expected text or blocks, found ${kindOf(content)}.`, "content");
  for (const key in wire) {
    if (key !== "role" && (key !== "content" || content === null)) keepField(message, wire, key, context.dialect);
  }
}

function isResult(part: Part): boolean {
  return part.type === "tool-result" && part.executor === undefined;
}

/** Results are a tool's words, everything else the user's: a new message begins at each change. */
function splitTurn(parts: readonly Part[], first: Message, messages: Message[]): void {
  let message: Message | undefined;
  for (const part of parts) {
    const role = isResult(part) ? "tool" : "user";
    if (message === undefined) {
      message = first;
      message.role = role;
    } else if (message.role !== role) {
      message = { role, parts: [] };
      messages.push(message);
    }
    message.parts.push(part);
  }
}
