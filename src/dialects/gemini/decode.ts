// From contents to messages: one each, but where a content mixes function responses with other parts, it splits at each
// change, and the follower says so.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { CallBook } from "../kit/calls.ts";
import { noteResultOrder } from "../kit/pairing.ts";
import { isObject, kindOf, readList } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { JoinedParts } from "./chunks.ts";
import { decodePart, decodePlainText } from "./decode-part.ts";
import type { Reading } from "./reading.ts";
import { keepRest } from "./reading.ts";

/** A fragment: a bare list of contents, or an object that has the list and perhaps a system instruction. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  if (Array.isArray(wire)) return decodeHistory(undefined, wire as JsonValue[], undefined, context);
  const { systemInstruction, contents, ...others } = isObject(wire) ? wire : {};
  if (contents === undefined) {
    context.fail("wrong-type", `Expected a list of contents or { "contents": […] }, found ${kindOf(wire)}.`);
  }
  // A list of messages has no place to keep them, and they must not vanish.
  const [other] = Object.keys(others);
  if (other !== undefined) context.fail("wrong-type", "Only contents are read here; pass them alone.", other);
  if (systemInstruction !== undefined && !isContent(systemInstruction)) {
    context.fail("wrong-type", `Expected a content, found ${kindOf(systemInstruction)}.`, "systemInstruction");
  }
  return decodeHistory(systemInstruction, readList(contents, context, "contents"), "contents", context);
}

type WireContent = JsonObject | string;

/** Whether something can be read as a content; the SDK takes a string for one, too. */
export function isContent(value: JsonValue | undefined): value is WireContent {
  return typeof value === "string" || isObject(value);
}

/** The messages of a whole history; `key` is the field that the list stands in. */
export function decodeHistory(
  system: WireContent | undefined,
  contents: readonly JsonValue[],
  key: string | undefined,
  context: DecodeContext,
  systemKey = "systemInstruction",
): Message[] {
  const { pathTracker: trail, dialect } = context;
  const reading: Reading = { book: new CallBook(dialect), context, names: undefined };
  const messages: Message[] = [];
  if (system !== undefined) {
    trail.enter(systemKey);
    decodeContent(system, "system", messages, reading);
    trail.leave();
  }
  if (key !== undefined) trail.enter(key);
  for (let at = 0; at < contents.length; at++) {
    trail.enter(at);
    const content = contents[at];
    if (!isContent(content)) context.fail("wrong-type", `Expected an object, found ${kindOf(content)}.`);
    decodeContent(content, undefined, messages, reading);
    trail.leave();
  }
  if (key !== undefined) trail.leave();
  noteResultOrder(messages, dialect);
  return messages;
}

/** Adds the message of a content, or the messages that it splits into; one whose role is fixed never splits. */
function decodeContent(
  wire: WireContent,
  fixed: Role | undefined,
  messages: Message[],
  reading: Reading,
  isAnswer = false,
): void {
  const { dialect } = reading.context;
  if (typeof wire === "string") {
    const message: Message = { role: fixed ?? "user", parts: [{ type: "text", text: wire }] };
    storeForm(message, dialect, "text", true);
    messages.push(message);
    return;
  }
  let hasMore = false;
  for (const key in wire) if (key !== "role" && key !== "parts") hasMore = true;
  const { role: word, parts } = wire;
  const first = messages.length;
  const message = isAnswer
    ? decodeAnswerParts(parts, reading)
    : decodeParts(parts, fixed ?? (word === "model" ? "assistant" : "user"), fixed === undefined, messages, reading);
  if (isAnswer) messages.push(message);
  if (message.role === "tool" && messages[first - 1]?.role === "tool") storeForm(message, dialect, "turn", "own");
  if (word !== plainRole(message.role)) {
    if (word === undefined || typeof word === "string") storeForm(message, dialect, "role", word ?? null);
    else storeResidue(message, dialect, { role: word });
  }
  if (parts === undefined) storeForm(message, dialect, "parts", null);
  else if (parts === null) storeResidue(message, dialect, { parts });
  if (hasMore) keepRest(message, wire, ["role", "parts"], dialect);
}

/** The content of an answer. */
export function decodeAnswer(wire: JsonObject, reading: Reading): Message {
  const messages: Message[] = [];
  decodeContent(wire, "assistant", messages, reading, true);
  // There is always one.
  return messages[0] as Message;
}

/** What a content says of its role where nothing is noted. */
export function plainRole(role: Role): string | undefined {
  if (role === "assistant") return "model";
  return role === "system" || role === "developer" ? undefined : "user";
}

/** Reads the parts into messages; gives the first of them. */
function decodeParts(
  wire: JsonValue | undefined,
  role: Role,
  splits: boolean,
  messages: Message[],
  reading: Reading,
): Message {
  const { context } = reading;
  const first: Message = { role, parts: [] };
  let message = first;
  messages.push(message);
  if (wire === undefined || wire === null) return first;
  const list = readList(wire, context, "parts");
  for (let at = 0; at < list.length; at++) {
    const part = decodePartAt(list, at, reading);
    const speaker = splits && isClientResult(part) ? "tool" : role;
    if (at === 0) message.role = speaker;
    else if (speaker !== message.role) {
      message = { role: speaker, parts: [] };
      storeForm(message, context.dialect, "turn", "joined");
      messages.push(message);
    }
    message.parts.push(part);
  }
  return first;
}

/** The parts of an answer, which are joined as those of a stream are. */
function decodeAnswerParts(wire: JsonValue | undefined, reading: Reading): Message {
  const message: Message = { role: "assistant", parts: [] };
  if (wire === undefined || wire === null) return message;
  const joined = new JoinedParts(message, reading.context.dialect);
  const list = readList(wire, reading.context, "parts");
  for (let at = 0; at < list.length; at++) joined.add(decodePartAt(list, at, reading), list[at] ?? null);
  joined.end();
  return message;
}

function decodePartAt(list: readonly JsonValue[], at: number, reading: Reading): Part {
  const plain = decodePlainText(list[at]);
  if (plain !== undefined) return plain;
  const { pathTracker: trail } = reading.context;
  trail.enter("parts");
  trail.enter(at);
  const part = decodePart(list[at], reading);
  trail.leave(2);
  return part;
}

function isClientResult(part: Part): boolean {
  return part.type === "tool-result" && part.executor !== "provider";
}
