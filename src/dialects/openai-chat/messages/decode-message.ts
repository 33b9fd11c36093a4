// Decodes Chat messages. The fields of an assistant message become parts in the order reasoning, content, refusal,
// audio, images, calls.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message, Role } from "../../../model/message.ts";
import { isMediaPart } from "../../../model/media-part.ts";
import type { Part, TextPart } from "../../../model/parts.ts";
import { storeResultOrder } from "../../kit/history/pair-tool-results.ts";
import { isBareText, storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject, describeKind, readObject, readString } from "../../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../../kit/residue/residue.ts";
import { decodeAnnotations } from "./annotations.ts";
import { decodeAudioOutput } from "./audio-output.ts";
import { decodeCalls, decodeFunctionCall } from "./tool-calls.ts";
import { decodeBlocks } from "./content-blocks.ts";
import { decodeMedia } from "./media.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { collectField } from "../decode-state.ts";
import { decodeReasoning } from "./reasoning.ts";
import { decodeResult } from "./tool-results.ts";

/** Decodes the messages of a list; the path tracker must be at the list. */
export function decodeHistory(list: readonly JsonValue[], state: ChatDecodeState): Message[] {
  const { context } = state;
  const messages: Message[] = [];
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    messages.push(decodeMessage(readObject(list[at], context), state));
    context.pathTracker.leave();
  }
  storeResultOrder(messages, context.dialect);
  return messages;
}

function decodeMessage(wire: JsonObject, state: ChatDecodeState): Message {
  const role = readString(wire, "role", state.context);
  switch (role) {
    case "user":
    case "system":
    case "developer":
      return decodePlainMessage(wire, role, state);
    case "assistant":
      return decodeAssistant(wire, state);
    case "tool":
    case "function":
      return decodeResult(wire, role === "function", state);
    default: {
      const message = decodePlainMessage(wire, "user", state);
      storeForm(message, state.context.dialect, "role", role);
      return message;
    }
  }
}

function decodePlainMessage(wire: JsonObject, role: Role, state: ChatDecodeState): Message {
  const message: Message = { role, parts: [] };
  let rest: JsonObject | undefined;
  for (const key in wire) {
    if (key === "role") continue;
    if (key === "content") decodeContent(wire[key], message, state);
    else if (key === "name" && typeof wire[key] === "string") message.name = wire[key];
    else rest = collectField(rest, wire, key);
  }
  if (wire["content"] === undefined) storeForm(message, state.context.dialect, "content", "absent");
  if (rest !== undefined) storeResidue(message, state.context.dialect, rest);
  return message;
}

/**
 * Decodes `content` into parts. Stores the spelling of the content as form if the encoder would choose another spelling
 * by default.
 */
function decodeContent(content: JsonValue | undefined, message: Message, state: ChatDecodeState): void {
  const { context } = state;
  const isAssistant = message.role === "assistant";
  if (typeof content === "string") {
    if (content !== "" || !isAssistant) message.parts.push({ type: "text", text: content });
    // In an assistant message, an empty string becomes a form and no text part, because a streamed answer without text
    // has an empty string, too (B80).
    else storeForm(message, context.dialect, "content", "");
  } else if (Array.isArray(content)) {
    const parts = decodeBlocks(content, state);
    for (const part of parts) {
      // By default, media of an assistant message are encoded beside the content; the form `at` makes the encoder write
      // this part into the content.
      if (isAssistant && isMediaPart(part)) storeForm(part, context.dialect, "at", "content");
      message.parts.push(part);
    }
    const [first] = parts;
    const couldBePlain = first === undefined ? isAssistant : parts.length === 1 ? isBareText(first) : state.isResponse;
    if (couldBePlain) storeForm(message, context.dialect, "content", "list");
  } else if (content === null) {
    if (!isAssistant) storeForm(message, context.dialect, "content", null);
  } else if (content !== undefined) {
    context.fail("wrong-type", `Expected a string or a list, found ${describeKind(content)}.`, "content");
  }
}

/** Fields of an assistant message, other than reasoning, that become parts or (`annotations`) a field of a part. */
const PART_FIELDS: ReadonlySet<string> = new Set([
  "content",
  "refusal",
  "annotations",
  "audio",
  "images",
  "tool_calls",
  "function_call",
]);
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
]);

export function decodeAssistant(wire: JsonObject, state: ChatDecodeState): Message {
  const { context, isResponse } = state;
  const message: Message = { role: "assistant", parts: [] };
  let rest: JsonObject | undefined;
  let reasoningFields: JsonObject | undefined;
  let hasPartFields = false;
  for (const key in wire) {
    if (key === "role" || key === "content") continue;
    if (PART_FIELDS.has(key)) hasPartFields = true;
    else if (REASONING_FIELDS.has(key)) reasoningFields = collectField(reasoningFields, wire, key);
    else if (key === "name" && typeof wire[key] === "string") message.name = wire[key];
    else rest = collectField(rest, wire, key);
  }
  if (reasoningFields !== undefined) {
    for (const field of decodeReasoning(reasoningFields, message, state)) rest = collectField(rest, wire, field);
  }
  const { content } = wire;
  const contentStart = message.parts.length;
  decodeContent(content, message, state);
  if (content === undefined) storeForm(message, context.dialect, "content", "absent");
  if (hasPartFields) rest = decodePartFields(wire, message, contentStart, rest, state);
  if (isResponse) storeAbsentFields(message, wire, ["role", "refusal", "annotations"], context);
  if (rest !== undefined) storeResidue(message, context.dialect, rest);
  return message;
}

/**
 * Decodes the fields beside the content into parts. Returns `rest` with the empty values and values of unexpected types
 * added.
 */
function decodePartFields(
  wire: JsonObject,
  message: Message,
  contentStart: number,
  rest: JsonObject | undefined,
  state: ChatDecodeState,
): JsonObject | undefined {
  const { parts } = message;
  const { isResponse } = state;
  const { refusal, annotations, audio, images, tool_calls: calls, function_call: call } = wire;
  let residue = rest;
  if (annotations !== undefined && !attachAnnotations(annotations, message, contentStart, state)) {
    if (!isResponse || !isEmptyList(annotations)) residue = collectField(residue, wire, "annotations");
  }
  if (typeof refusal === "string" && refusal !== "") parts.push({ type: "refusal", text: refusal });
  else if (refusal !== null || !isResponse) residue = collectField(residue, wire, "refusal");
  const audioPart = audio === undefined ? undefined : decodeAudioOutput(audio, state);
  if (audioPart !== undefined) parts.push(audioPart);
  else residue = collectField(residue, wire, "audio");
  if (images !== undefined && !decodeImages(images, parts, state)) residue = collectField(residue, wire, "images");
  if (Array.isArray(calls) && calls.length > 0) decodeCalls(calls, parts, state);
  else residue = collectField(residue, wire, "tool_calls");
  const legacy = call === undefined ? undefined : decodeFunctionCall(call, state);
  if (legacy !== undefined) parts.push(legacy);
  else residue = collectField(residue, wire, "function_call");
  return residue;
}

function isEmptyList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Attaches annotations to the only text of the content. Returns false if the list cannot be decoded, or if the content
 * has no text or several, because the list does not state which text it cites.
 */
function attachAnnotations(list: JsonValue, message: Message, contentStart: number, state: ChatDecodeState): boolean {
  const texts = message.parts.slice(contentStart).filter((part): part is TextPart => part.type === "text");
  const [text] = texts;
  const annotations = texts.length === 1 && text ? decodeAnnotations(list, text.text, state) : undefined;
  if (annotations === undefined || text === undefined) return false;
  text.annotations = annotations;
  if (!state.isResponse) storeForm(message, state.context.dialect, "annotations", true);
  return true;
}

/**
 * Decodes generated images, which some vendors put into a field beside the content. Returns false and adds no part if
 * the value is not a list of images.
 */
export function decodeImages(wire: JsonValue, parts: Part[], state: ChatDecodeState): boolean {
  if (!Array.isArray(wire) || wire.length === 0) return false;
  const images: Part[] = [];
  for (const each of wire) {
    if (!isObject(each) || each["type"] !== "image_url") return false;
    const image = decodeMedia("image_url", each, state);
    if (image === undefined) return false;
    storeForm(image, state.context.dialect, "in", "images");
    storeUnknownFields(image, each, ["type", "image_url"], state.context);
    images.push(image);
  }
  parts.push(...images);
  return true;
}
