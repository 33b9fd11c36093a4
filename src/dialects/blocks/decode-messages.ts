// Decodes wire messages. A user message with tool results beside other blocks becomes several canonical messages. If
// two consecutive wire messages have the same role, the second gets the form `turn: "own"`, so that the encoder does
// not merge them.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message, Role } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { isObject, describeKind, readList, readObject, readString } from "../kit/fields/read-wire.ts";
import { storeResultOrder } from "../kit/history/pair-tool-results.ts";
import { storeForm } from "../kit/residue/residue.ts";
import type { BlockDecodeState } from "./decode-state.ts";
import { storeField } from "./fields.ts";

/** The functions of one dialect that decode the content of its messages. */
export interface ContentDecoder<State extends BlockDecodeState> {
  /** Names the accepted types of `content` and `system` in error messages. */
  readonly expected: string;
  decodeBlocks(list: readonly JsonValue[], key: string, state: State): Part[];
  /** Decodes the field `system`; undefined if the type of its value is not accepted. */
  decodeSystem(system: JsonValue, state: State): Message[] | undefined;
  /** Stores the spelling of `content` as a form if the encoder would spell the content differently. */
  storeContentForm(message: Message, content: string | readonly JsonValue[], context: DecodeContext): void;
}

/** Decodes a list of messages, or an object `{ system?, messages }`. */
export function decodeMessageList<State extends BlockDecodeState>(
  wire: unknown,
  state: State,
  decoder: ContentDecoder<State>,
): Message[] {
  const context: DecodeContext = state.context;
  if (Array.isArray(wire)) return decodeTurns([], wire as JsonValue[], state, decoder);
  if (!isObject(wire) || wire["messages"] === undefined) {
    context.fail("wrong-type", `Expected a list of messages or { "messages": […] }, found ${describeKind(wire)}.`);
  }
  const { system, messages, ...others } = wire;
  const [other] = Object.keys(others);
  // A list of messages has no place for residue of unknown fields, and they must not be dropped silently.
  if (other !== undefined) {
    context.fail(
      "wrong-type",
      "A list of messages accepts only the fields `messages` and `system`; decode an object with further fields as a request.",
      other,
    );
  }
  const leading = system === undefined ? [] : decoder.decodeSystem(system, state);
  if (leading === undefined) {
    context.fail("wrong-type", `Expected ${decoder.expected}, found ${describeKind(system)}.`, "system");
  }
  return decodeHistory(leading, messages, state, decoder);
}

/** Decodes the field `messages` and appends the decoded messages to the system messages `leading`. */
export function decodeHistory<State extends BlockDecodeState>(
  leading: Message[],
  messages: unknown,
  state: State,
  decoder: ContentDecoder<State>,
): Message[] {
  const { context } = state;
  const list = readList(messages, context, "messages");
  context.pathTracker.enter("messages");
  const decoded = decodeTurns(leading, list, state, decoder);
  context.pathTracker.leave();
  return decoded;
}

function decodeTurns<State extends BlockDecodeState>(
  messages: Message[],
  list: readonly JsonValue[],
  state: State,
  decoder: ContentDecoder<State>,
): Message[] {
  const { context } = state;
  let previousRole: string | undefined;
  for (let index = 0; index < list.length; index++) {
    context.pathTracker.enter(index);
    const wire = readObject(list[index], context);
    const role = readString(wire, "role", context);
    const first = messages.length;
    decodeTurn(wire, role, messages, state, decoder);
    const message = messages[first];
    // Without this form the encoder would move a leading system message to `system` and merge adjacent messages of one
    // role.
    const needsOwnTurn = role === "system" ? index === 0 : role === previousRole;
    if (message !== undefined && needsOwnTurn) storeForm(message, context.dialect, "turn", "own");
    previousRole = role;
    context.pathTracker.leave();
  }
  storeResultOrder(messages, context.dialect);
  return messages;
}

const ROLES: ReadonlySet<string> = new Set<Role>(["user", "assistant", "system"]);

function decodeTurn<State extends BlockDecodeState>(
  wire: JsonObject,
  wireRole: string,
  messages: Message[],
  state: State,
  decoder: ContentDecoder<State>,
): void {
  const context: DecodeContext = state.context;
  const isKnownRole = ROLES.has(wireRole);
  const message: Message = { role: (isKnownRole ? wireRole : "user") as Role, parts: [] };
  messages.push(message);
  if (!isKnownRole) storeForm(message, context.dialect, "role", wireRole);
  const { content } = wire;
  if (Array.isArray(content)) {
    const parts = decoder.decodeBlocks(content, "content", state);
    if (wireRole === "user" && parts.some(isClientResult)) splitTurn(parts, message, messages);
    else {
      message.parts = parts;
      decoder.storeContentForm(message, content, context);
    }
  } else if (typeof content === "string") {
    message.parts.push({ type: "text", text: content });
    decoder.storeContentForm(message, content, context);
  } else if (content === undefined || content === null) storeForm(message, context.dialect, "content", "none");
  else context.fail("wrong-type", `Expected ${decoder.expected}, found ${describeKind(content)}.`, "content");
  for (const key in wire) {
    if (key !== "role" && (key !== "content" || content === null)) storeField(message, wire, key, context.dialect);
  }
}

function isClientResult(part: Part): boolean {
  return part.type === "tool-result" && part.executor === undefined;
}

/**
 * Splits the parts of a user message: tool results become `tool` messages, all other parts `user` messages, in order.
 */
function splitTurn(parts: readonly Part[], first: Message, messages: Message[]): void {
  let message: Message | undefined;
  for (const part of parts) {
    const role = isClientResult(part) ? "tool" : "user";
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
