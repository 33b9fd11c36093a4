// What an assistant said: parts in order become fields, each kind in its own. An order that the fields cannot keep is
// reported.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { AudioPart, Part, ReasoningPart, RefusalPart, TextPart } from "../../model/parts.ts";
import { formOf, restoreResidue } from "../kit/residue.ts";
import type { Turn } from "../kit/turn.ts";
import { encodeAnnotations } from "./annotations.ts";
import { encodeSpoken } from "./audio.ts";
import { encodeCall } from "./calls.ts";
import {
  encodeBlock,
  encodeOpaque,
  encodeRefusal,
  encodeText,
  encodeThinking,
  isBareBlock,
  wasList,
} from "./content.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { stoodAt, takes } from "./media.ts";
import { DETAILS, encodeReasoning, pushTo, reasoningPlace, repeatReasoning } from "./reasoning.ts";
import type { Writing } from "./writing.ts";
import { carrying, enter, finishPart, leave, placeOf, wasAbsent } from "./writing.ts";

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
  readonly wire: JsonObject;
  readonly blocks: JsonObject[];
  readonly citations: JsonObject[];
  /** Whether citations can be told: there is one text that they can be about. */
  readonly cites: boolean;
  readonly tokens: Tokens | undefined;
  /** The text so far. */
  text: string;
  /** The last field that was written. */
  last: number;
}

/** `tokens` is given for answers, and is filled. */
export function encodeAssistant(turn: Turn, writing: Writing, tokens?: Tokens): JsonObject {
  const { message } = turn;
  const { parts } = message;
  const { context, dialect, isReply } = writing;
  const form = message.extra === undefined ? undefined : formOf(message, dialect);
  const texts = parts.filter(({ type }) => type === "text").length;
  const cites = isReply ? texts === 1 || form?.["content"] !== "list" : texts === 1 && form?.["annotations"] === true;
  const wire: JsonObject = { role: "assistant", content: null };
  const draft: Draft = { wire, blocks: [], citations: [], cites, tokens, text: "", last: 0 };
  for (let at = 0; at < parts.length; at++) {
    enter(turn, at, writing);
    encodePart(parts[at] as Part, draft, writing); // Within the length.
    leave(writing);
  }
  encodeContent(turn, draft, writing);
  if (message.name !== undefined) wire["name"] = message.name;
  if (draft.citations.length > 0) wire["annotations"] = draft.citations;
  if (isReply) fillReply(wire, message, writing);
  if (message.extra === undefined) return wire;
  repeatReasoning(wire, message, writing);
  if (!isReply) context.trail.enter(turn.index);
  restoreResidue(wire, message, context);
  if (!isReply) context.trail.leave();
  return wire;
}

/** An answer has these fields also where they say nothing. */
function fillReply(wire: JsonObject, message: Message, writing: Writing): void {
  const kept = message.extra?.[writing.dialect] ?? {};
  const isFree = (field: string): boolean => !Object.hasOwn(kept, field) && !wasAbsent(message, field, writing);
  if (wire["refusal"] === undefined && isFree("refusal")) wire["refusal"] = null;
  if (wire["annotations"] === undefined && isFree("annotations")) wire["annotations"] = [];
  if (!isFree("role")) delete wire["role"];
}

function encodePart(part: Part, draft: Draft, writing: Writing): void {
  const field = part.type === "reasoning" ? writeReasoning(part, draft, writing) : fieldOf(part, writing);
  if (field === undefined) return;
  if (part.type !== "reasoning" && !writePart(part, field, draft, writing)) return;
  const at = FIELDS.indexOf(field);
  if (at < draft.last) writing.context.report.lose("order-regrouped", "type");
  else draft.last = at;
}

/** The field that a part belongs in; undefined where there is none, which is reported. */
function fieldOf(part: Exclude<Part, ReasoningPart>, writing: Writing): Field | undefined {
  const { report } = writing.context;
  const place = placeOf(part, writing);
  switch (part.type) {
    case "text":
      return "content";
    case "refusal":
      return place === "content" ? "content" : "refusal";
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
    case "tool-result":
      if (part.executor === "provider") {
        report.lose("provider-tool");
        return undefined;
      }
      break;
    default:
  }
  report.lose("part-unsayable");
  return undefined;
}

/** Writes a part into its field; false where nothing was written. */
function writePart(part: Exclude<Part, ReasoningPart>, field: Field, draft: Draft, writing: Writing): boolean {
  const { wire } = draft;
  switch (part.type) {
    case "text":
      writeText(part, draft, writing);
      return true;
    case "refusal":
      if (field === "refusal") writeRefusal(part, draft, writing);
      else draft.blocks.push(encodeRefusal(part, writing));
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
  const block = part.type === "opaque" ? encodeOpaque(part, writing) : encodeBlock(part, writing);
  if (block === undefined) return false;
  if (field === "content") draft.blocks.push(block);
  else pushTo(wire, field === "reasoning" ? DETAILS : field, block);
  return true;
}

function writeText(part: TextPart, draft: Draft, writing: Writing): void {
  const { context } = writing;
  const { annotations, logprobs } = part;
  draft.blocks.push(encodeText(part, writing, true));
  if (annotations !== undefined) {
    if (draft.cites) draft.citations.push(...encodeAnnotations(part, draft.text, writing));
    else context.report.lose("annotation-unsaid", "annotations");
  }
  if (logprobs !== undefined) addTokens(part, "content", draft, writing);
  draft.text += part.text;
}

function addTokens(part: TextPart | RefusalPart, field: keyof Tokens, { tokens }: Draft, writing: Writing): void {
  if (tokens === undefined) writing.context.report.lose("field-unsaid", "logprobs");
  else tokens[field] = [...(tokens[field] ?? []), ...encodeLogprobs(part.logprobs ?? [], writing)];
}

/** Writes reasoning to where it came from, or where the vendor takes it; the field, if there is one. */
function writeReasoning(part: ReasoningPart, draft: Draft, writing: Writing): Field | undefined {
  const place = reasoningPlace(part, writing);
  if (place === undefined) {
    writing.context.report.lose("reasoning-unsaid");
    return undefined;
  }
  if (place !== "thinking") return encodeReasoning(part, place, draft.wire, writing) ? "reasoning" : undefined;
  draft.blocks.push(encodeThinking(part, writing));
  return "content";
}

const REFUSAL = carrying("text", "logprobs");

function writeRefusal(part: RefusalPart, draft: Draft, writing: Writing): void {
  const { wire } = draft;
  const before = wire["refusal"];
  if (before !== undefined) writing.context.report.lose("texts-joined", "text");
  wire["refusal"] = typeof before === "string" ? `${before}\n\n${part.text}` : part.text;
  if (part.logprobs !== undefined) addTokens(part, "refusal", draft, writing);
  finishPart({}, part, REFUSAL, writing);
}

function writeAudio(part: AudioPart, wire: JsonObject, writing: Writing): boolean {
  const isTaken = wire["audio"] !== undefined;
  if (isTaken) writing.context.report.lose("part-unsayable");
  const audio = isTaken ? undefined : encodeSpoken(part, writing);
  if (audio !== undefined) wire["audio"] = audio;
  return audio !== undefined;
}

/** Content is a string, where it can be one; an answer's texts are one string, unless they came as a list. */
function encodeContent(turn: Turn, { wire, blocks, text }: Draft, writing: Writing): void {
  const { message } = turn;
  const isList = wasList(message, writing);
  const isText = !isList && blocks.length > 0 && (blocks.length === 1 || writing.isReply) && blocks.every(isBareBlock);
  if (isText) {
    wire["content"] = text;
    if (blocks.length > 1 || text === "") reportTexts(turn, text === "", writing);
  } else if (blocks.length > 0 || isList) wire["content"] = blocks;
  else {
    const was = message.extra === undefined ? undefined : formOf(message, writing.dialect)["content"];
    const saysNothing = Object.keys(wire).length === 2 && message.parts.length > 0;
    if (was === "absent") delete wire["content"];
    // What is left of parts that cannot be said is no reason to drop the turn (B7).
    else if (was === "" || saysNothing) wire["content"] = "";
  }
}

function reportTexts(turn: Turn, isEmpty: boolean, writing: Writing): void {
  let isFirst = !isEmpty;
  for (const [at, { type }] of turn.message.parts.entries()) {
    if (type !== "text") continue;
    enter(turn, at, writing);
    if (!isFirst) writing.context.report.lose(isEmpty ? "text-empty" : "texts-joined", "text");
    leave(writing);
    isFirst = false;
  }
}
