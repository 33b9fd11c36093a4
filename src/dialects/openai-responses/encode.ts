// From messages to items. Leading system text goes into the instructions; everything else is an item in its place.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isOwnOpaque } from "../kit/opaque.ts";
import { isBare } from "../kit/openai-reading.ts";
import { reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { isObject } from "../kit/read.ts";
import { BLANK_LINE } from "../kit/system.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeBlock, encodeOpaque } from "./content.ts";
import { encodeCall, encodeResult, reportAnswer } from "./encode-tools.ts";
import type { Code } from "./losses.ts";
import type { Said } from "./output.ts";
import { encodeOutput } from "./output.ts";
import { encodeReasoning } from "./reasoning.ts";
import { rowOfCall } from "./tool-rows.ts";
import type { AssistantMessage } from "./types.ts";
import type { Writing } from "./writing.ts";
import { carrying, enter, hasOwn, itemId, leave, reportPart, spelled, startWriting } from "./writing.ts";

/** The fragment where there are instructions, else the bare list. */
export function encodeMessages(messages: readonly Message[], context: EncodeContext<Code>): JsonValue {
  const turns = messages.map((message, index) => ({ message, index }));
  const { instructions, input } = encodeHistory(turns, startWriting(context));
  return instructions === undefined && Array.isArray(input)
    ? input
    : { ...(instructions !== undefined && { instructions }), input };
}

export interface History {
  instructions: string | undefined;
  input: JsonValue;
}

/** The trail stands at the list of messages. */
export function encodeHistory(turns: readonly Turn[], writing: Writing): History {
  writing.turns = turns;
  const count = leadingInstructions(turns, writing.context);
  const instructions = encodeInstructions(turns.slice(0, count), writing);
  let last: Turn | undefined;
  for (let at = count; at < turns.length; at++) {
    const turn = turns[at] as Turn; // Within the length.
    encodeTurn(turn, last, turns, at, writing);
    last = turn;
  }
  return { instructions, input: encodeInput(turns.slice(count), writing) };
}

/** One message of a user may stand there as a string, where it did. */
function encodeInput(turns: readonly Turn[], { items, context }: Writing): JsonValue {
  for (const { message, index } of turns) {
    if (spelled(message, context)["input"] !== "string") continue;
    const [only] = items;
    const content = only?.["content"];
    if (items.length === 1 && Object.keys(only ?? {}).length === 2 && typeof content === "string") return content;
    context.report.addLoss("form-stale", [index, "extra", context.dialect]);
  }
  return items;
}

function leadingInstructions(turns: readonly Turn[], context: EncodeContext): number {
  let count = 0;
  for (const { message } of turns) {
    const [part] = message.parts;
    if (message.role !== "system" || message.parts.length !== 1 || hasOwn(message, context)) break;
    if (part?.type !== "text" || hasOwn(part, context)) break;
    count++;
  }
  return count;
}

const TEXT = carrying("text");

function encodeInstructions(turns: readonly Turn[], writing: Writing): string | undefined {
  if (turns.length === 0) return undefined;
  const texts: string[] = [];
  for (const turn of turns) {
    reportMessage(turn, writing);
    if (turns.length > 1) writing.context.report.addLoss("system-joined", [turn.index, "parts"]);
    enter(turn, 0, writing);
    const part = turn.message.parts[0] as TextPart; // Each has exactly this one.
    reportPart(part, TEXT, writing);
    leave(writing);
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);
const UNCARRIED = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  createdAt: "bookkeeping",
  parentMessageId: "bookkeeping",
} as const;

/** Reports what of a message does not travel. */
function reportMessage({ message, index }: Turn, { context, seed }: Writing): void {
  for (const key in message) {
    if (key === "role" || key === "parts") continue;
    if (seed === undefined) context.pathTracker.enter(index);
    reportUnsupportedFields(message, CARRIED, context, "field-unsaid", UNCARRIED);
    reportNotPortableResidue(message, context);
    if (seed === undefined) context.pathTracker.leave();
    return;
  }
}

/** `at` tells which of the turns it is. */
export function encodeTurn(
  turn: Turn,
  before: Turn | undefined,
  turns: readonly Turn[],
  at: number,
  writing: Writing,
): void {
  const { context, items } = writing;
  const { message, index } = turn;
  const { role } = message;
  reportMessage(turn, writing);
  const isRun = role === "assistant" || role === "tool";
  const count = items.length;
  if (!isRun) encodeMessage(turn, writing);
  else {
    if (before?.message.role !== "assistant") writing.withholdsIds = false;
    if (before?.message.role === role && before.index !== index)
      context.report.addLoss("turns-merged", [index, "role"]);
    encodeRun(turn, turns, at, writing);
  }
  if (items.length > count || writing.seed !== undefined) return;
  const isMended = !isRun && message.parts.length === 0;
  context.report.addLoss(isMended ? "message-empty" : "message-unsaid", index);
}

/** What a user, system or developer says. */
function encodeMessage(turn: Turn, writing: Writing): void {
  const { context, items } = writing;
  const { message, index } = turn;
  const { parts, role } = message;
  const form = spelled(message, context);
  const item: JsonObject = { role: role === "user" && typeof form["role"] === "string" ? form["role"] : role };
  if (role !== "user" && role !== "system" && role !== "developer") {
    context.report.addLoss("role-approximated", [index, "role"]);
    item["role"] = "user";
  }
  const [only] = parts;
  if (only?.type === "text" && parts.length === 1 && form["content"] !== "list" && !hasOwn(only, context)) {
    item["content"] = only.text;
    reportBare(turn, only, writing);
  } else {
    const blocks = encodeContent(turn, writing);
    // A message that says nothing is refused (B7).
    if (blocks.length === 0 && (parts.length > 0 || context.repair)) return;
    item["content"] = blocks;
  }
  if (form["type"] === "message") item["type"] = "message";
  if (message.extra !== undefined) restoreResidue(item, message, context);
  items.push(item);
}

/** Reports what a text that goes out as a string cannot say. */
function reportBare(turn: Turn, part: TextPart, writing: Writing): void {
  if (isBare(part)) return;
  enter(turn, 0, writing);
  reportPart(part, TEXT, writing);
  leave(writing);
}

function encodeContent(turn: Turn, writing: Writing): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (let at = 0; at < turn.message.parts.length; at++) {
    enter(turn, at, writing);
    const block = encodeBlock(turn.message.parts[at] as Part, writing); // Within the length.
    if (block !== undefined) blocks.push(block);
    leave(writing);
  }
  return blocks;
}

/** What the assistant said, thought and asked, and what came back. */
function encodeRun(turn: Turn, turns: readonly Turn[], index: number, writing: Writing): void {
  const { context, items } = writing;
  const { parts, role } = turn.message;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part; // Within the length.
    if (role === "assistant" && isSaid(part, context)) {
      at = encodeAnswer(turn, at, writing) - 1;
      continue;
    }
    enter(turn, at, writing);
    const isAsked = part.type === "reasoning" && context.repair;
    const follower = isAsked ? followerOf(turns, index, at, writing) : undefined;
    const item = encodeItem(part, turn, at, follower, writing);
    leave(writing);
    if (item !== undefined) items.push(item);
  }
}

function encodeItem(
  part: Part,
  turn: Turn,
  at: number,
  follower: Part | undefined,
  writing: Writing,
): JsonObject | undefined {
  const { parts } = turn.message;
  switch (part.type) {
    case "reasoning":
      return encodeReasoning(part, follower, writing);
    case "tool-call":
      return encodeCall(part, answerOf(part, parts, at, writing), writing);
    case "tool-result":
      return reportAnswer(part, writing) ? undefined : encodeResult(part, turn.isMade === true, writing);
    case "opaque":
      return encodeOpaque(part, writing);
    default:
      writing.context.report.addLoss("part-unsayable");
      return undefined;
  }
}

/** What goes out next after a thought, and is no thought, in the same run of what the assistant said. */
function followerOf(turns: readonly Turn[], index: number, at: number, writing: Writing): Part | undefined {
  const { ahead } = writing;
  // Thoughts in a row have one follower, or the end of the run; nobody needs to look for it again.
  if (ahead !== undefined && (ahead.turn > index || (ahead.turn === index && ahead.at > at))) return ahead.part;
  let first = at + 1;
  let next = index;
  for (; next < turns.length && turns[next]?.message.role === "assistant"; next++) {
    const parts = turns[next]?.message.parts ?? [];
    for (; first < parts.length; first++) {
      const part = parts[first] as Part; // Within the length.
      if (!goesOut(part, writing)) continue;
      writing.ahead = { turn: next, at: first, part };
      return part;
    }
    first = 0;
  }
  writing.ahead = { turn: next, at: 0, part: undefined };
  return undefined;
}

/** Whether a part is said or asked here. */
function goesOut(part: Part, { context }: Writing): boolean {
  if (part.type === "tool-call") return part.executor !== "provider" || rowOfCall(part.tool) !== undefined;
  if (part.type === "opaque") return isOwnOpaque(part, context) && Object(part.value)["type"] !== "reasoning";
  return part.type === "text" || part.type === "refusal";
}

/** The result that stands in the same item as its call. */
function answerOf(
  { executor, tool }: ToolCallPart,
  parts: readonly Part[],
  at: number,
  writing: Writing,
): ToolResultPart | undefined {
  if (executor !== "provider" || rowOfCall(tool)?.output !== undefined) return undefined;
  if (writing.inside?.parts !== parts) writing.inside = { parts, answers: answersIn(parts) };
  return writing.inside.answers.get(at);
}

/** For each call of the provider, by its place, the next of its results with the same id. */
function answersIn(parts: readonly Part[]): ReadonlyMap<number, ToolResultPart> {
  const answers = new Map<number, ToolResultPart>();
  const next = new Map<string, ToolResultPart>();
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] as Part; // Within the length.
    if (part.type === "tool-result" && part.executor === "provider") next.set(part.toolCallId, part);
    const answer = part.type === "tool-call" ? next.get(part.toolCallId) : undefined;
    if (answer !== undefined) answers.set(at, answer);
  }
  return answers;
}

/** Whether a part stands in a message of the assistant. */
export function isSaid(part: Part | undefined, context: EncodeContext): part is Said {
  if (part?.type === "opaque") return part.dialect === context.dialect && spelled(part, context)["in"] === "message";
  return part?.type === "text" || part?.type === "refusal";
}

/** Whether a part goes on in the message before it; one that had an item of its own does not. */
export function goesOn(part: Part | undefined, context: EncodeContext): part is Said {
  if (!isSaid(part, context) || spelled(part, context)["item"] !== undefined) return false;
  return part.seals?.some(({ kind, dialect }) => kind === "id" && dialect === context.dialect) !== true;
}

/** One message of the assistant; where the next thing begins. */
function encodeAnswer(turn: Turn, start: number, writing: Writing): number {
  const { context, items } = writing;
  const { parts } = turn.message;
  const first = parts[start] as Said; // The caller has looked.
  let end = start + 1;
  // Without an id, the API documents only this form.
  if (isBare(first) && writing.seed === undefined) {
    items.push({ role: "assistant", content: first.text } satisfies AssistantMessage);
    return end;
  }
  while (end < parts.length && goesOn(parts[end], context)) end++;
  const { item, id } = messageItem(first, writing);
  const blocks: JsonObject[] = [];
  for (let at = start; at < end; at++) {
    enter(turn, at, writing);
    const block = encodeOutput(parts[at] as Said, id === undefined ? undefined : "id", writing);
    if (block !== undefined) blocks.push(block);
    leave(writing);
  }
  const plain = id === undefined && writing.seed === undefined ? "string" : "list";
  const form = spelled(first, context)["content"];
  item["content"] = (form ?? plain) === "string" ? (bareText(first, blocks) ?? blocks) : blocks;
  if (blocks.length > 0) items.push(item);
  return end;
}

/** A message of the assistant, without its blocks. */
export function messageItem(first: Said, writing: Writing): { item: JsonObject; id: string | undefined } {
  const id = itemId(first, "msg", writing);
  const { item: fields } = spelled(first, writing.context);
  const plainFields: JsonObject = id === undefined ? {} : { type: "message", status: "completed" };
  const item = isObject(fields) ? copyObject(fields) : plainFields;
  if (id !== undefined) item["id"] = id;
  item["role"] = "assistant";
  return { item, id };
}

const PLAIN_BLOCK: ReadonlySet<string> = new Set(["type", "text", "annotations", "logprobs"]);

/** The text that says all that the blocks say. */
function bareText(first: Said, blocks: readonly JsonObject[]): string | undefined {
  const [block] = blocks;
  if (first.type !== "text" || blocks.length !== 1 || block?.["type"] !== "output_text") return undefined;
  const isPlain = first.annotations === undefined && first.logprobs === undefined;
  return isPlain && Object.keys(block).every((key) => PLAIN_BLOCK.has(key)) ? first.text : undefined;
}
