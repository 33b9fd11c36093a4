// What an assistant said: parts in order become fields, each kind in its own. An order that the fields cannot keep is
// reported.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { AudioPart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import { CodePoints } from "../kit/code-points.ts";
import { restoreResidue } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeAnnotations } from "./annotations.ts";
import { encodeSpoken } from "./audio.ts";
import { encodeCall } from "./calls.ts";
import { encodeBlock, encodeText, encodeThinking, isBareBlock, wasList } from "./content.ts";
import { carrying, finishPart } from "./finish-part.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { stoodAt, takes } from "./media.ts";
import { DETAILS, encodeReasoning, pushTo, reasoningPlace, repeatReasoning } from "./reasoning.ts";
import type { Writing } from "./writing.ts";
import { enter, isFree, leave, placeOf, spelling } from "./writing.ts";

/** Log probabilities, which an answer has beside its message. */
export interface Tokens {
  content?: JsonValue[];
  refusal?: JsonValue[];
}

/** Where parts stand, in the order in which they are read again. */
const FIELDS = ["reasoning", "content", "refusal", "audio", "images", "tool_calls", "function_call"] as const;
type Field = (typeof FIELDS)[number];

/** A message in the making. */
interface Draft {
  readonly message: Message;
  readonly wire: JsonObject;
  readonly blocks: JsonObject[];
  readonly citations: JsonObject[];
  readonly tokens: Tokens | undefined;
  /** For each part the field that holds its text, where one does. */
  readonly texts: (string | undefined)[];
  /** The blocks that are texts, each with the place of its part. */
  readonly spots: Map<JsonObject, number>;
  /** The content so far. */
  text: string;
  /** The last of the fields that was written. */
  last: number;
  /** Whether texts go out as one, or will not be seen to have been there. */
  isJoined: boolean;
  /** All the texts, counted in characters, where there are citations that can be said; made for the first of them. */
  points: CodePoints | null | undefined;
}

/** `tokens` is given for answers, and is filled. */
export function encodeAssistant(turn: Turn, writing: Writing, tokens?: Tokens): JsonObject {
  const { message } = turn;
  const { parts } = message;
  const { context, isReply } = writing;
  const wire: JsonObject = { role: "assistant", content: null };
  const draft: Draft = {
    message,
    wire,
    blocks: [],
    citations: [],
    tokens,
    texts: [],
    spots: new Map(),
    text: "",
    last: 0,
    isJoined: false,
    points: undefined,
  };
  for (let at = 0; at < parts.length; at++) {
    enter(turn, at, writing);
    draft.texts.push(encodePart(parts[at] as Part, draft, writing)); // Within the length.
    leave(writing);
  }
  encodeContent(draft, writing);
  if (isReply && Array.isArray(wire["content"]) && !wasList(message, writing)) joinTexts(turn, draft, writing);
  if (draft.isJoined) reportTexts(turn, draft, writing);
  if (message.name !== undefined) wire["name"] = message.name;
  if (draft.citations.length > 0) wire["annotations"] = draft.citations;
  if (isReply) fillReply(wire, message, writing);
  if (message.extra === undefined) return wire;
  repeatReasoning(wire, message, writing);
  if (!isReply) context.pathTracker.enter(turn.index);
  restoreResidue(wire, message, context);
  if (!isReply) context.pathTracker.leave();
  return wire;
}

/** An answer has these fields also where they say nothing. */
function fillReply(wire: JsonObject, message: Message, writing: Writing): void {
  if (wire["refusal"] === undefined && isFree(message, "refusal", writing)) wire["refusal"] = null;
  if (wire["annotations"] === undefined && isFree(message, "annotations", writing)) wire["annotations"] = [];
  if (!isFree(message, "role", writing)) delete wire["role"];
}

/** Writes a part into its field; the field that holds its text, if one does. */
function encodePart(part: Part, draft: Draft, writing: Writing): string | undefined {
  const place = part.type === "reasoning" ? reasoningPlace(part, writing) : undefined;
  const field = fieldOf(part, place, writing);
  if (field === undefined || !writePart(part, field, place, draft, writing)) return undefined;
  const at = FIELDS.indexOf(field);
  if (at < draft.last) writing.context.report.addLoss("order-regrouped", "type");
  else draft.last = at;
  if (field === "reasoning") return place === DETAILS ? undefined : place;
  return field === "refusal" || part.type === "text" ? field : undefined;
}

/** The field that a part belongs in; undefined where there is none, which is reported. */
function fieldOf(part: Part, reasoning: string | undefined, writing: Writing): Field | undefined {
  const { report } = writing.context;
  const place = placeOf(part, writing);
  switch (part.type) {
    case "text":
      return "content";
    case "reasoning":
      if (reasoning !== undefined) return reasoning === "thinking" ? "content" : "reasoning";
      report.addLoss("reasoning-unsaid");
      return undefined;
    case "refusal":
      return place === "content" ? place : "refusal";
    case "tool-call":
      return place === "function_call" ? place : "tool_calls";
    case "opaque":
      if (place === "tool_calls") return place;
      return place === DETAILS ? "reasoning" : "content";
    case "image":
    case "audio":
    case "video":
    case "file":
      if (stoodAt(part, writing) === "content") return "content";
      if (part.type === "audio") return "audio";
      if (part.type === "image" && (place === "images" || takes("images", writing))) return "images";
      break;
    default:
  }
  const isProvided = part.type === "tool-result" && part.executor === "provider";
  report.addLoss(isProvided ? "provider-tool" : "part-unsayable");
  return undefined;
}

/** Writes a part into its field; false where nothing was written. */
function writePart(part: Part, field: Field, place: string | undefined, draft: Draft, writing: Writing): boolean {
  const { wire, blocks } = draft;
  switch (part.type) {
    case "text":
      writeText(part, draft, writing);
      return true;
    case "reasoning":
      return writeReasoning(part, place ?? "", draft, writing);
    case "refusal":
      if (field === "content") break;
      writeRefusal(part, draft, writing);
      return true;
    case "tool-call": {
      const call = encodeCall(part, field === "function_call", writing);
      if (call === undefined) return false;
      if (field === "function_call") wire[field] = call;
      else pushTo(wire, field, call);
      return true;
    }
    case "audio":
      if (field === "audio") return writeAudio(part, wire, writing);
      break;
    default:
  }
  const block = encodeBlock(part, writing);
  if (block === undefined) return false;
  if (field === "content") blocks.push(block);
  else pushTo(wire, field === "reasoning" ? DETAILS : field, block);
  return true;
}

function writeText(part: TextPart, draft: Draft, writing: Writing): void {
  const block = encodeText(part, writing, true);
  draft.blocks.push(block);
  draft.spots.set(block, draft.texts.length);
  if (part.annotations !== undefined) {
    if (draft.points === undefined) draft.points = pointsOf(draft.message, writing);
    const { points } = draft;
    const start = draft.text.length;
    if (points === null) writing.context.report.addLoss("annotation-unsaid", "annotations");
    else encodeAnnotations(part, { points, start, end: start + part.text.length }, draft.citations, writing);
  }
  if (part.logprobs !== undefined) addTokens(part, "content", draft, writing);
  draft.text += part.text;
}

/** The one text that citations can be about; a request repeats them only where it did so before. */
function pointsOf(message: Message, writing: Writing): CodePoints | null {
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === "text") texts.push(part.text);
  const isOne = texts.length === 1;
  const isCitable = writing.isReply
    ? isOne || !wasList(message, writing)
    : isOne && spelling(message, "annotations", writing) === true;
  return isCitable ? new CodePoints(texts.join("")) : null;
}

function addTokens(part: TextPart | RefusalPart, field: keyof Tokens, { tokens }: Draft, writing: Writing): void {
  if (tokens === undefined) writing.context.report.addLoss("field-unsaid", "logprobs");
  else {
    const list = (tokens[field] ??= []);
    for (const token of encodeLogprobs(part.logprobs ?? [], writing)) list.push(token);
  }
}

function writeReasoning(part: ReasoningPart, place: string, draft: Draft, writing: Writing): boolean {
  if (place === "thinking") draft.blocks.push(encodeThinking(part, writing));
  else if (place === DETAILS) return encodeReasoning(part, place, draft.wire, writing);
  else {
    const before = draft.wire[place];
    if (!encodeReasoning(part, place, draft.wire, writing)) return false;
    join(draft, place, before, part.text);
  }
  return true;
}

const REFUSAL = carrying("text", "logprobs");

function writeRefusal(part: RefusalPart, draft: Draft, writing: Writing): void {
  join(draft, "refusal", draft.wire["refusal"], part.text);
  if (part.logprobs !== undefined) addTokens(part, "refusal", draft, writing);
  finishPart({}, part, REFUSAL, writing);
}

/** Puts a text into a field that holds one, behind what stood there before. */
function join(draft: Draft, field: string, before: JsonValue | undefined, text: string): void {
  const stands = typeof before === "string" ? before : "";
  if (before !== undefined) draft.isJoined = true;
  draft.wire[field] = stands !== "" && text !== "" ? `${stands}\n\n${text}` : stands + text;
}

function writeAudio(part: AudioPart, wire: JsonObject, writing: Writing): boolean {
  const isTaken = wire["audio"] !== undefined;
  if (isTaken) writing.context.report.addLoss("part-unsayable");
  const audio = isTaken ? undefined : encodeSpoken(part, writing);
  if (audio !== undefined) wire["audio"] = audio;
  return audio !== undefined;
}

/** Content is a string, where it can be one; an answer's texts are one string, unless they came as a list. */
function encodeContent(draft: Draft, writing: Writing): void {
  const { message, wire, blocks, text } = draft;
  const isList = wasList(message, writing);
  if (!isList && blocks.length > 0 && (blocks.length === 1 || writing.isReply) && blocks.every(isBareBlock)) {
    wire["content"] = text;
    if (blocks.length > 1 || text === "") draft.isJoined = true;
  } else if (blocks.length > 0 || isList) wire["content"] = blocks;
  else {
    const was = spelling(message, "content", writing);
    const saysNothing = Object.keys(wire).length === 2 && message.parts.length > 0;
    if (was === "absent") delete wire["content"];
    // What is left of parts that cannot be said is no reason to drop the turn (B7).
    else if (was === "" || saysNothing) wire["content"] = "";
  }
}

/** Texts with which an answer begins are one also before blocks, and empty ones are none: streams say them so. */
function joinTexts(turn: Turn, { blocks, spots, wire }: Draft, writing: Writing): void {
  const list: JsonObject[] = [];
  const lose = (code: "text-empty" | "texts-joined", block: JsonObject): void => {
    enter(turn, spots.get(block) ?? 0, writing);
    writing.context.report.addLoss(code, "text");
    leave(writing);
  };
  let open: JsonObject | undefined;
  let [isOne, isList, text] = [true, false, ""];
  for (const block of blocks) {
    isList ||= !isBareBlock(block);
    if (!isList && typeof block["text"] === "string") text += block["text"];
    if (isList) list.push(block);
    else if (block["text"] === "") lose("text-empty", block);
    else if (open === undefined) list.push((open = block));
    else {
      if (isOne) lose("texts-joined", open);
      isOne = false;
      lose("texts-joined", block);
      list.length = 0;
      list.push({ type: "text", text });
    }
  }
  wire["content"] = list;
}

/** Reports texts that share a field, and an empty one, which will not be seen to have been there. */
function reportTexts(turn: Turn, { texts, wire }: Draft, writing: Writing): void {
  const counts = new Map<string | undefined, number>();
  for (const field of texts) counts.set(field, (counts.get(field) ?? 0) + 1);
  for (const [at, field] of texts.entries()) {
    if (field === undefined || typeof wire[field] !== "string") continue;
    const isEmpty = field === "content" && wire[field] === "";
    if (!isEmpty && counts.get(field) === 1) continue;
    enter(turn, at, writing);
    writing.context.report.addLoss(isEmpty ? "text-empty" : "texts-joined", "text");
    leave(writing);
  }
}
