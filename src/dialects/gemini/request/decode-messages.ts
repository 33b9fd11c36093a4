// Decodes each content into a message. A content that mixes function responses with other parts is split into several
// messages; the form of the second and later ones stores that they belong to the same content.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message, Role } from "../../../model/message.ts";
import type { Part } from "../../../model/parts.ts";
import type { DecodeContext } from "../../dialect.ts";
import { ToolCallIds } from "../../kit/tools/tool-call-ids.ts";
import { storeResultOrder } from "../../kit/history/pair-tool-results.ts";
import { isObject, describeKind, readList } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { AnswerPartCollector } from "../content/split-texts.ts";
import { decodePart, decodePlainText } from "../content/decode-part.ts";
import type { GeminiDecodeState } from "../content/decode-state.ts";
import { storeUnknownFields } from "../content/decode-state.ts";

/** Decodes a list of contents, or an object with `contents` and an optional `systemInstruction`. */
export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  if (Array.isArray(wire)) return decodeHistory(undefined, wire as JsonValue[], undefined, context);
  const { systemInstruction, contents, ...otherFields } = isObject(wire) ? wire : {};
  if (contents === undefined) {
    context.fail("wrong-type", `Expected a list of contents or { "contents": […] }, found ${describeKind(wire)}.`);
  }
  // The result is a list of messages, which cannot store further fields of the payload. An unknown field is therefore
  // an error; otherwise it would be lost without a report.
  const [unknownKey] = Object.keys(otherFields);
  if (unknownKey !== undefined)
    context.fail(
      "wrong-type",
      "decodeMessages accepts only contents and systemInstruction; use decodeRequest for a request.",
      unknownKey,
    );
  if (systemInstruction !== undefined && !isContent(systemInstruction)) {
    context.fail("wrong-type", `Expected a content, found ${describeKind(systemInstruction)}.`, "systemInstruction");
  }
  return decodeHistory(systemInstruction, readList(contents, context, "contents"), "contents", context);
}

type GeminiContentInput = JsonObject | string;

/** True if the value is a content. A string also counts, because Google's SDK accepts it. */
export function isContent(value: JsonValue | undefined): value is GeminiContentInput {
  return typeof value === "string" || isObject(value);
}

/**
 * Decodes the messages of a history. `key` is the field that contains the contents (undefined if the payload is the
 * list itself), and `systemKey` is the wire name of the system instruction; both are used in error paths.
 */
export function decodeHistory(
  system: GeminiContentInput | undefined,
  contents: readonly JsonValue[],
  key: string | undefined,
  context: DecodeContext,
  systemKey = "systemInstruction",
): Message[] {
  const { pathTracker, dialect } = context;
  const state: GeminiDecodeState = { callIds: new ToolCallIds(dialect), context, renames: undefined };
  const messages: Message[] = [];
  if (system !== undefined) {
    pathTracker.enter(systemKey);
    decodeContent(system, "system", messages, state);
    pathTracker.leave();
  }
  if (key !== undefined) pathTracker.enter(key);
  for (let at = 0; at < contents.length; at++) {
    pathTracker.enter(at);
    const content = contents[at];
    if (!isContent(content)) context.fail("wrong-type", `Expected an object, found ${describeKind(content)}.`);
    decodeContent(content, undefined, messages, state);
    pathTracker.leave();
  }
  if (key !== undefined) pathTracker.leave();
  storeResultOrder(messages, dialect);
  return messages;
}

/**
 * Decodes a content and appends its messages. With `fixedRole` (a system instruction or an answer), the content becomes
 * one message of that role and is never split.
 */
function decodeContent(
  wire: GeminiContentInput,
  fixedRole: Role | undefined,
  messages: Message[],
  state: GeminiDecodeState,
  isAnswer = false,
): void {
  const { dialect } = state.context;
  if (typeof wire === "string") {
    const message: Message = { role: fixedRole ?? "user", parts: [{ type: "text", text: wire }] };
    storeForm(message, dialect, "text", true);
    messages.push(message);
    return;
  }
  let hasOtherFields = false;
  for (const key in wire) if (key !== "role" && key !== "parts") hasOtherFields = true;
  const { role: wireRole, parts } = wire;
  const first = messages.length;
  const message = isAnswer
    ? decodeAnswerParts(parts, state)
    : decodeParts(
        parts,
        fixedRole ?? (wireRole === "model" ? "assistant" : "user"),
        fixedRole === undefined,
        messages,
        state,
      );
  if (isAnswer) messages.push(message);
  if (message.role === "tool" && messages[first - 1]?.role === "tool") storeForm(message, dialect, "turn", "own");
  if (wireRole !== toWireRole(message.role)) {
    if (wireRole === undefined || typeof wireRole === "string") storeForm(message, dialect, "role", wireRole ?? null);
    else storeResidue(message, dialect, { role: wireRole });
  }
  if (parts === undefined) storeForm(message, dialect, "parts", null);
  else if (parts === null) storeResidue(message, dialect, { parts });
  if (hasOtherFields) storeUnknownFields(message, wire, ["role", "parts"], dialect);
}

/** Decodes the content of an answer into one assistant message. */
export function decodeAnswerContent(wire: JsonObject, state: GeminiDecodeState): Message {
  const messages: Message[] = [];
  decodeContent(wire, "assistant", messages, state, true);
  return messages[0] as Message;
}

/** Returns the default wire role of a message; undefined for system and developer messages, which have no wire role. */
export function toWireRole(role: Role): string | undefined {
  if (role === "assistant") return "model";
  return role === "system" || role === "developer" ? undefined : "user";
}

/**
 * Decodes the parts of a content into one message or, if `canSplit` is true, into alternating messages with and without
 * function responses. Appends the messages to `messages` and returns the first.
 */
function decodeParts(
  wire: JsonValue | undefined,
  role: Role,
  canSplit: boolean,
  messages: Message[],
  state: GeminiDecodeState,
): Message {
  const { context } = state;
  const first: Message = { role, parts: [] };
  let message = first;
  messages.push(message);
  if (wire === undefined || wire === null) return first;
  const list = readList(wire, context, "parts");
  for (let at = 0; at < list.length; at++) {
    const part = decodePartAt(list, at, state);
    const partRole = canSplit && isFunctionResult(part) ? "tool" : role;
    if (at === 0) message.role = partRole;
    else if (partRole !== message.role) {
      message = { role: partRole, parts: [] };
      storeForm(message, context.dialect, "turn", "joined");
      messages.push(message);
    }
    message.parts.push(part);
  }
  return first;
}

/** Decodes the parts of an answer, and joins its texts as the stream decoder does. */
function decodeAnswerParts(wire: JsonValue | undefined, state: GeminiDecodeState): Message {
  const message: Message = { role: "assistant", parts: [] };
  if (wire === undefined || wire === null) return message;
  const collector = new AnswerPartCollector(message, state.context.dialect);
  const list = readList(wire, state.context, "parts");
  for (let at = 0; at < list.length; at++) collector.add(decodePartAt(list, at, state), list[at] ?? null);
  collector.end();
  return message;
}

function decodePartAt(list: readonly JsonValue[], at: number, state: GeminiDecodeState): Part {
  const plain = decodePlainText(list[at]);
  if (plain !== undefined) return plain;
  const { pathTracker } = state.context;
  pathTracker.enter("parts");
  pathTracker.enter(at);
  const part = decodePart(list[at], state);
  pathTracker.leave(2);
  return part;
}

function isFunctionResult(part: Part): boolean {
  return part.type === "tool-result" && part.executor !== "provider";
}
