// From wire messages to messages, one each. What an assistant says in several fields becomes parts in the order
// reasoning, content, refusal, audio, images, calls.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message, Role } from "../../model/message.ts";
import type { Part, TextPart } from "../../model/parts.ts";
import { noteResultOrder } from "../kit/pairing.ts";
import { isBare, keepOthers, noteAbsent } from "../kit/openai-reading.ts";
import { isObject, kindOf, readObject, readString } from "../kit/read.ts";
import { storeResidue, storeForm } from "../kit/residue.ts";
import { decodeAnnotations } from "./annotations.ts";
import { decodeSpoken } from "./audio.ts";
import { decodeCalls, decodeFunctionCall } from "./calls.ts";
import { decodeBlocks } from "./content.ts";
import { decodeMedia, isMedia } from "./media.ts";
import type { Reading } from "./reading.ts";
import { keep } from "./reading.ts";
import { decodeReasoning } from "./reasoning.ts";
import { decodeResult } from "./results.ts";

/** The messages of a list; the trail stands at it. */
export function decodeHistory(list: readonly JsonValue[], reading: Reading): Message[] {
  const { context } = reading;
  const messages: Message[] = [];
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    messages.push(decodeMessage(readObject(list[at], context), reading));
    context.pathTracker.leave();
  }
  noteResultOrder(messages, context.dialect);
  return messages;
}

function decodeMessage(wire: JsonObject, reading: Reading): Message {
  const role = readString(wire, "role", reading.context);
  switch (role) {
    case "user":
    case "system":
    case "developer":
      return decodeSpeech(wire, role, reading);
    case "assistant":
      return decodeAssistant(wire, reading);
    case "tool":
    case "function":
      return decodeResult(wire, role === "function", reading);
    default: {
      const message = decodeSpeech(wire, "user", reading);
      storeForm(message, reading.context.dialect, "role", role);
      return message;
    }
  }
}

function decodeSpeech(wire: JsonObject, role: Role, reading: Reading): Message {
  const message: Message = { role, parts: [] };
  let rest: JsonObject | undefined;
  for (const key in wire) {
    if (key === "role") continue;
    if (key === "content") decodeContent(wire[key], message, reading);
    else if (key === "name" && typeof wire[key] === "string") message.name = wire[key];
    else rest = keep(rest, wire, key);
  }
  if (wire["content"] === undefined) storeForm(message, reading.context.dialect, "content", "absent");
  if (rest !== undefined) storeResidue(message, reading.context.dialect, rest);
  return message;
}

/** Adds what a message says, and notes where that could have been spelled more plainly. */
function decodeContent(content: JsonValue | undefined, message: Message, reading: Reading): void {
  const { context } = reading;
  const isAssistant = message.role === "assistant";
  if (typeof content === "string") {
    if (content !== "" || !isAssistant) message.parts.push({ type: "text", text: content });
    // Streams begin with an empty text where there is none (B80).
    else storeForm(message, context.dialect, "content", "");
  } else if (Array.isArray(content)) {
    const parts = decodeBlocks(content, reading);
    for (const part of parts) {
      // Elsewhere an assistant has its media beside the content.
      if (isAssistant && isMedia(part)) storeForm(part, context.dialect, "at", "content");
      message.parts.push(part);
    }
    const [first] = parts;
    const couldBePlain = first === undefined ? isAssistant : parts.length === 1 ? isBare(first) : reading.isReply;
    if (couldBePlain) storeForm(message, context.dialect, "content", "list");
  } else if (content === null) {
    if (!isAssistant) storeForm(message, context.dialect, "content", null);
  } else if (content !== undefined) {
    context.fail("wrong-type", `Expected a string or a list, found ${kindOf(content)}.`, "content");
  }
}

/** The fields of an assistant message that become parts. */
const SAID: ReadonlySet<string> = new Set([
  "content",
  "refusal",
  "annotations",
  "audio",
  "images",
  "tool_calls",
  "function_call",
]);
const REASONED: ReadonlySet<string> = new Set([
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
]);

export function decodeAssistant(wire: JsonObject, reading: Reading): Message {
  const { context, isReply } = reading;
  const message: Message = { role: "assistant", parts: [] };
  let rest: JsonObject | undefined;
  let reasoned: JsonObject | undefined;
  let isSaid = false;
  for (const key in wire) {
    if (key === "role" || key === "content") continue;
    if (SAID.has(key)) isSaid = true;
    else if (REASONED.has(key)) reasoned = keep(reasoned, wire, key);
    else if (key === "name" && typeof wire[key] === "string") message.name = wire[key];
    else rest = keep(rest, wire, key);
  }
  if (reasoned !== undefined) {
    for (const field of decodeReasoning(reasoned, message, reading)) rest = keep(rest, wire, field);
  }
  const { content } = wire;
  const before = message.parts.length;
  decodeContent(content, message, reading);
  if (content === undefined) storeForm(message, context.dialect, "content", "absent");
  if (isSaid) rest = decodeFields(wire, message, before, rest, reading);
  if (isReply) noteAbsent(message, wire, ["role", "refusal", "annotations"], context);
  if (rest !== undefined) storeResidue(message, context.dialect, rest);
  return message;
}

/** What stands beside the content; fields that say nothing, or are of another type, are kept as they are. */
function decodeFields(
  wire: JsonObject,
  message: Message,
  before: number,
  rest: JsonObject | undefined,
  reading: Reading,
): JsonObject | undefined {
  const { parts } = message;
  const { isReply } = reading;
  const { refusal, annotations, audio, images, tool_calls: calls, function_call: call } = wire;
  let kept = rest;
  if (annotations !== undefined && !readAnnotations(annotations, message, before, reading)) {
    if (!isReply || !isEmptyList(annotations)) kept = keep(kept, wire, "annotations");
  }
  if (typeof refusal === "string" && refusal !== "") parts.push({ type: "refusal", text: refusal });
  else if (refusal !== null || !isReply) kept = keep(kept, wire, "refusal");
  const spoken = audio === undefined ? undefined : decodeSpoken(audio, reading);
  if (spoken !== undefined) parts.push(spoken);
  else kept = keep(kept, wire, "audio");
  if (images !== undefined && !readImages(images, parts, reading)) kept = keep(kept, wire, "images");
  if (Array.isArray(calls) && calls.length > 0) decodeCalls(calls, parts, reading);
  else kept = keep(kept, wire, "tool_calls");
  const legacy = call === undefined ? undefined : decodeFunctionCall(call, reading);
  if (legacy !== undefined) parts.push(legacy);
  else kept = keep(kept, wire, "function_call");
  return kept;
}

function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Annotations belong to a text; where there are several, or none, nothing says which one they mean. */
function readAnnotations(list: JsonValue, message: Message, before: number, reading: Reading): boolean {
  const texts = message.parts.slice(before).filter((part): part is TextPart => part.type === "text");
  const [text] = texts;
  const annotations = texts.length === 1 && text ? decodeAnnotations(list, text.text, reading) : undefined;
  if (annotations === undefined || text === undefined) return false;
  text.annotations = annotations;
  if (!reading.isReply) storeForm(message, reading.context.dialect, "annotations", true);
  return true;
}

/** Images that the model made, as some vendors have them beside the content. */
export function readImages(wire: JsonValue, parts: Part[], reading: Reading): boolean {
  if (!Array.isArray(wire) || wire.length === 0) return false;
  const images: Part[] = [];
  for (const each of wire) {
    if (!isObject(each) || each["type"] !== "image_url") return false;
    const image = decodeMedia("image_url", each, reading);
    if (image === undefined) return false;
    storeForm(image, reading.context.dialect, "in", "images");
    keepOthers(image, each, ["type", "image_url"], reading.context);
    images.push(image);
  }
  parts.push(...images);
  return true;
}
