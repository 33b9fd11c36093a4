// Encodes messages as items. Leading system messages become the instructions.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isOwnOpaque } from "../../kit/residue/opaque-parts.ts";
import { isBareText } from "../../openai/unknown-fields.ts";
import { restoreResidue } from "../../kit/residue/residue.ts";
import { reportMessageFields } from "../../kit/history/user-assistant-turns.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { BLANK_LINE } from "../../kit/history/system-text.ts";
import type { OutgoingTurn } from "../../kit/history/turn.ts";
import { encodeBlock, encodeOpaque } from "./input-blocks.ts";
import { encodeCall, encodeResult, reportInlineResult } from "./encode-tool-items.ts";
import type { ResponsesLossCode } from "../losses.ts";
import type { MessagePart } from "./output-blocks.ts";
import { encodeOutputBlock } from "./output-blocks.ts";
import { encodeReasoning } from "./reasoning.ts";
import { findByCallType } from "./tool-item-types.ts";
import type { AssistantMessage } from "../types.ts";
import type { ResponsesEncodeState } from "../encode-state.ts";
import {
  supportedFields,
  enterPartPath,
  hasOwnResidue,
  encodeItemId,
  leavePartPath,
  reportPart,
  readOwnForm,
  createEncodeState,
} from "../encode-state.ts";

/**
 * Encodes messages as a bare list of items, or as an object with `input` if there are instructions or the input is a
 * string.
 */
export function encodeMessages(messages: readonly Message[], context: EncodeContext<ResponsesLossCode>): JsonValue {
  const turns = messages.map((message, index) => ({ message, index }));
  const { instructions, input } = encodeHistory(turns, createEncodeState(context));
  return instructions === undefined && Array.isArray(input)
    ? input
    : { ...(instructions !== undefined && { instructions }), input };
}

export interface EncodedHistory {
  instructions: string | undefined;
  input: JsonValue;
}

/** Encodes a history. The path tracker must be at the list of messages. */
export function encodeHistory(turns: readonly OutgoingTurn[], state: ResponsesEncodeState): EncodedHistory {
  state.turns = turns;
  const count = countInstructions(turns, state.context);
  const instructions = encodeInstructions(turns.slice(0, count), state);
  let last: OutgoingTurn | undefined;
  for (let at = count; at < turns.length; at++) {
    const turn = turns[at] as OutgoingTurn;
    encodeTurn(turn, last, turns, at, state);
    last = turn;
  }
  return { instructions, input: encodeInput(turns.slice(count), state) };
}

/** Returns the input. A single user message is a string if the decoded input was a string. */
function encodeInput(turns: readonly OutgoingTurn[], { items, context }: ResponsesEncodeState): JsonValue {
  for (const { message, index } of turns) {
    if (readOwnForm(message, context)["input"] !== "string") continue;
    const [only] = items;
    const content = only?.["content"];
    if (items.length === 1 && Object.keys(only ?? {}).length === 2 && typeof content === "string") return content;
    context.report.addLoss("form-stale", [index, "extra", context.dialect]);
  }
  return items;
}

/** Returns the number of leading system messages that can become the instructions. */
function countInstructions(turns: readonly OutgoingTurn[], context: EncodeContext): number {
  let count = 0;
  for (const { message } of turns) {
    const [part] = message.parts;
    if (message.role !== "system" || message.parts.length !== 1 || hasOwnResidue(message, context)) break;
    if (part?.type !== "text" || hasOwnResidue(part, context)) break;
    count++;
  }
  return count;
}

const SUPPORTED_TEXT = supportedFields("text");

function encodeInstructions(turns: readonly OutgoingTurn[], state: ResponsesEncodeState): string | undefined {
  if (turns.length === 0) return undefined;
  const texts: string[] = [];
  for (const turn of turns) {
    reportMessage(turn, state);
    if (turns.length > 1) state.context.report.addLoss("system-joined", [turn.index, "parts"]);
    enterPartPath(turn, 0, state);
    // The cast is safe, because `countInstructions` counts only messages whose only part is a text.
    const part = turn.message.parts[0] as TextPart;
    reportPart(part, SUPPORTED_TEXT, state);
    leavePartPath(state);
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}

/** Reports the fields of a message that are not encoded. */
function reportMessage({ message, index }: OutgoingTurn, { context, idSeed }: ResponsesEncodeState): void {
  for (const key in message) {
    if (key === "role" || key === "parts") continue;
    if (idSeed === undefined) context.pathTracker.enter(index);
    reportMessageFields(message, context);
    if (idSeed === undefined) context.pathTracker.leave();
    return;
  }
}

/** Encodes the message `turn`, which is at the index `at` of `turns`, and reports a loss if it yields no item. */
export function encodeTurn(
  turn: OutgoingTurn,
  previous: OutgoingTurn | undefined,
  turns: readonly OutgoingTurn[],
  at: number,
  state: ResponsesEncodeState,
): void {
  const { context, items } = state;
  const { message, index } = turn;
  const { role } = message;
  reportMessage(turn, state);
  const isAssistantOrTool = role === "assistant" || role === "tool";
  const count = items.length;
  if (!isAssistantOrTool) encodeMessage(turn, state);
  else {
    if (previous?.message.role !== "assistant") state.withholdsIds = false;
    if (previous?.message.role === role && previous.index !== index)
      context.report.addLoss("turns-merged", [index, "role"]);
    encodeItems(turn, turns, at, state);
  }
  if (items.length > count || state.idSeed !== undefined) return;
  const isEmptyInput = !isAssistantOrTool && message.parts.length === 0;
  context.report.addLoss(isEmptyInput ? "message-empty" : "message-unsupported", index);
}

/** Encodes a user, system or developer message. */
function encodeMessage(turn: OutgoingTurn, state: ResponsesEncodeState): void {
  const { context, items } = state;
  const { message, index } = turn;
  const { parts, role } = message;
  const form = readOwnForm(message, context);
  const item: JsonObject = { role: role === "user" && typeof form["role"] === "string" ? form["role"] : role };
  if (role !== "user" && role !== "system" && role !== "developer") {
    context.report.addLoss("role-approximated", [index, "role"]);
    item["role"] = "user";
  }
  const [only] = parts;
  if (only?.type === "text" && parts.length === 1 && form["content"] !== "list" && !hasOwnResidue(only, context)) {
    item["content"] = only.text;
    reportStringText(turn, only, state);
  } else {
    const blocks = encodeBlocks(turn, state);
    // The API rejects an empty message (B7).
    if (blocks.length === 0 && (parts.length > 0 || context.repair)) return;
    item["content"] = blocks;
  }
  if (form["type"] === "message") item["type"] = "message";
  if (message.extra !== undefined) restoreResidue(item, message, context);
  items.push(item);
}

/** Reports the fields of a text that is encoded as a string. */
function reportStringText(turn: OutgoingTurn, part: TextPart, state: ResponsesEncodeState): void {
  if (isBareText(part)) return;
  enterPartPath(turn, 0, state);
  reportPart(part, SUPPORTED_TEXT, state);
  leavePartPath(state);
}

function encodeBlocks(turn: OutgoingTurn, state: ResponsesEncodeState): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (let at = 0; at < turn.message.parts.length; at++) {
    enterPartPath(turn, at, state);
    const block = encodeBlock(turn.message.parts[at] as Part, state);
    if (block !== undefined) blocks.push(block);
    leavePartPath(state);
  }
  return blocks;
}

/** Encodes the parts of an assistant or tool message as items. */
function encodeItems(
  turn: OutgoingTurn,
  turns: readonly OutgoingTurn[],
  index: number,
  state: ResponsesEncodeState,
): void {
  const { context, items } = state;
  const { parts, role } = turn.message;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part;
    if (role === "assistant" && isMessagePart(part, context)) {
      at = encodeAssistantMessage(turn, at, state) - 1;
      continue;
    }
    enterPartPath(turn, at, state);
    const needsFollower = part.type === "reasoning" && context.repair;
    const follower = needsFollower ? findFollower(turns, index, at, state) : undefined;
    const item = encodeItem(part, turn, at, follower, state);
    leavePartPath(state);
    if (item !== undefined) items.push(item);
  }
}

function encodeItem(
  part: Part,
  turn: OutgoingTurn,
  at: number,
  follower: Part | undefined,
  state: ResponsesEncodeState,
): JsonObject | undefined {
  const { parts } = turn.message;
  switch (part.type) {
    case "reasoning":
      return encodeReasoning(part, follower, state);
    case "tool-call":
      return encodeCall(part, findInlineResult(part, parts, at, state), state);
    case "tool-result":
      return reportInlineResult(part, state) ? undefined : encodeResult(part, turn.isSynthesized === true, state);
    case "opaque":
      return encodeOpaque(part, state);
    default:
      state.context.report.addLoss("part-unsupported");
      return undefined;
  }
}

/**
 * Returns the part that becomes the next item after the reasoning part at `at`, without further reasoning. The search
 * covers the rest of the message and the assistant messages directly after it; undefined if there is none.
 */
function findFollower(
  turns: readonly OutgoingTurn[],
  index: number,
  at: number,
  state: ResponsesEncodeState,
): Part | undefined {
  const { nextPart } = state;
  // Adjacent reasoning parts have the same next part, so the next part is cached.
  if (nextPart !== undefined && (nextPart.turn > index || (nextPart.turn === index && nextPart.at > at)))
    return nextPart.part;
  let first = at + 1;
  let next = index;
  for (; next < turns.length && turns[next]?.message.role === "assistant"; next++) {
    const parts = turns[next]?.message.parts ?? [];
    for (; first < parts.length; first++) {
      const part = parts[first] as Part;
      if (!isEncodable(part, state)) continue;
      state.nextPart = { turn: next, at: first, part };
      return part;
    }
    first = 0;
  }
  state.nextPart = { turn: next, at: 0, part: undefined };
  return undefined;
}

/** True if a part is encoded as an item that can follow reasoning. */
function isEncodable(part: Part, { context }: ResponsesEncodeState): boolean {
  if (part.type === "tool-call") return part.executor !== "provider" || findByCallType(part.tool) !== undefined;
  if (part.type === "opaque") return isOwnOpaque(part, context) && Object(part.value)["type"] !== "reasoning";
  return part.type === "text" || part.type === "refusal";
}

/** Returns the result that is encoded in the item of the call at index `at`; undefined if there is none. */
function findInlineResult(
  { executor, tool }: ToolCallPart,
  parts: readonly Part[],
  at: number,
  state: ResponsesEncodeState,
): ToolResultPart | undefined {
  if (executor !== "provider" || findByCallType(tool)?.outputType !== undefined) return undefined;
  if (state.resultsInCalls?.parts !== parts) state.resultsInCalls = { parts, results: mapInlineResults(parts) };
  return state.resultsInCalls.results.get(at);
}

/** Maps the index of each hosted call to the next result with the same call id. */
function mapInlineResults(parts: readonly Part[]): ReadonlyMap<number, ToolResultPart> {
  const results = new Map<number, ToolResultPart>();
  const next = new Map<string, ToolResultPart>();
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] as Part;
    if (part.type === "tool-result" && part.executor === "provider") next.set(part.toolCallId, part);
    const result = part.type === "tool-call" ? next.get(part.toolCallId) : undefined;
    if (result !== undefined) results.set(at, result);
  }
  return results;
}

/** True if a part is encoded in an assistant message item. */
export function isMessagePart(part: Part | undefined, context: EncodeContext): part is MessagePart {
  if (part?.type === "opaque")
    return part.dialect === context.dialect && readOwnForm(part, context)["in"] === "message";
  return part?.type === "text" || part?.type === "refusal";
}

/**
 * True if a part continues the message item before it, because the part has neither an item id nor item fields of its
 * own.
 */
export function continuesMessage(part: Part | undefined, context: EncodeContext): part is MessagePart {
  if (!isMessagePart(part, context) || readOwnForm(part, context)["item"] !== undefined) return false;
  return part.seals?.some(({ kind, dialect }) => kind === "id" && dialect === context.dialect) !== true;
}

/** Encodes an assistant message item and returns the index of the next part that is not in the item. */
function encodeAssistantMessage(turn: OutgoingTurn, start: number, state: ResponsesEncodeState): number {
  const { context, items } = state;
  const { parts } = turn.message;
  const first = parts[start] as MessagePart; // The cast is safe, because the caller has checked `isMessagePart`.
  let end = start + 1;
  // For a message without an id, the API documents only a string as content.
  if (isBareText(first) && state.idSeed === undefined) {
    items.push({ role: "assistant", content: first.text } satisfies AssistantMessage);
    return end;
  }
  while (end < parts.length && continuesMessage(parts[end], context)) end++;
  const { item, id } = createMessageItem(first, state);
  const blocks: JsonObject[] = [];
  for (let at = start; at < end; at++) {
    enterPartPath(turn, at, state);
    const block = encodeOutputBlock(parts[at] as MessagePart, id === undefined ? undefined : "id", state);
    if (block !== undefined) blocks.push(block);
    leavePartPath(state);
  }
  const plain = id === undefined && state.idSeed === undefined ? "string" : "list";
  const form = readOwnForm(first, context)["content"];
  item["content"] = (form ?? plain) === "string" ? (readSingleText(first, blocks) ?? blocks) : blocks;
  if (blocks.length > 0) items.push(item);
  return end;
}

/** Creates an assistant message item without content. `id` is undefined if the item has no id. */
export function createMessageItem(
  first: MessagePart,
  state: ResponsesEncodeState,
): { item: JsonObject; id: string | undefined } {
  const id = encodeItemId(first, "msg", state);
  const { item: fields } = readOwnForm(first, state.context);
  const plainFields: JsonObject = id === undefined ? {} : { type: "message", status: "completed" };
  const item = isObject(fields) ? copyObject(fields) : plainFields;
  if (id !== undefined) item["id"] = id;
  item["role"] = "assistant";
  return { item, id };
}

const PLAIN_BLOCK: ReadonlySet<string> = new Set(["type", "text", "annotations", "logprobs"]);

/** Returns the text if the blocks are a single text without further fields, and undefined otherwise. */
function readSingleText(first: MessagePart, blocks: readonly JsonObject[]): string | undefined {
  const [block] = blocks;
  if (first.type !== "text" || blocks.length !== 1 || block?.["type"] !== "output_text") return undefined;
  const isPlain = first.annotations === undefined && first.logprobs === undefined;
  return isPlain && Object.keys(block).every((key) => PLAIN_BLOCK.has(key)) ? first.text : undefined;
}
