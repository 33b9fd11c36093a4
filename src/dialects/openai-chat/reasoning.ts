// The model's reasoning. OpenAI's own answers show none; other vendors have it in a field of the message, as a text or
// as a list of details, or (Mistral) among the content. What came in one place goes back there, or where the vendor
// takes it; never into the visible text (B15).
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part, ReasoningPart } from "../../model/parts.ts";
import { opaquePart } from "../kit/opaque.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { addSeal, sealOf } from "../kit/seals.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { Reading } from "./reading.ts";
import type { ReasoningPlace } from "./vendors.ts";
import type { Writing } from "./writing.ts";
import { placeOf, spelling } from "./writing.ts";

/** Fields that hold reasoning as one text. */
export const TEXT_FIELDS: readonly string[] = ["reasoning_content", "reasoning", "reasoning_text"];
export const DETAILS = "reasoning_details";

/** Puts the reasoning of the fields before everything else that the message says; the fields that hold none. */
export function decodeReasoning(fields: JsonObject, message: Message, reading: Reading): string[] {
  const { dialect } = reading.context;
  const { parts } = message;
  const details = fields[DETAILS];
  const unread: string[] = [];
  if (Array.isArray(details) && details.length > 0 && details.every(isObject)) {
    for (const detail of details) parts.push(decodeDetail(detail, reading));
  } else if (details !== undefined) {
    unread.push(DETAILS);
  }
  const same: string[] = [];
  for (const field of TEXT_FIELDS) {
    const text = fields[field];
    if (text === undefined) continue;
    if (typeof text !== "string" || text === "") unread.push(field);
    // What a second field repeats is not reasoned twice.
    else if (parts.length > 0 && text === joined(parts)) same.push(field);
    else {
      const part: ReasoningPart = { type: "reasoning", text };
      storeForm(part, dialect, "in", field);
      parts.push(part);
    }
  }
  if (same.length > 0) storeForm(message, dialect, "same", same);
  return unread;
}

/** All that was reasoned, as the fields repeat it. */
function joined(parts: readonly Part[]): string {
  let text = "";
  for (const part of parts) if (part.type === "reasoning") text += part.text + (part.summary?.join("") ?? "");
  return text;
}

const KNOWN = {
  "reasoning.text": ["type", "text", "signature"],
  "reasoning.summary": ["type", "summary"],
  "reasoning.encrypted": ["type", "data"],
} as const;

export function decodeDetail(wire: JsonObject, { context }: Reading): Part {
  const { type, text, summary, data, signature } = wire;
  let part: ReasoningPart | undefined;
  if (type === "reasoning.text" && typeof text === "string") part = { type: "reasoning", text };
  else if (type === "reasoning.summary" && typeof summary === "string") {
    part = { type: "reasoning", text: "", summary: [summary] };
  } else if (type === "reasoning.encrypted" && typeof data === "string") {
    part = { type: "reasoning", text: "" };
    addSeal(part, "encrypted", data, context);
  }
  if (part === undefined) {
    const opaque = opaquePart(wire, context);
    storeForm(opaque, context.dialect, "in", DETAILS);
    return opaque;
  }
  const isSigned = type === "reasoning.text" && typeof signature === "string";
  if (isSigned) addSeal(part, "signature", signature, context);
  storeForm(part, context.dialect, "in", DETAILS);
  const known = KNOWN[type as keyof typeof KNOWN];
  keepOthers(part, wire, isSigned || type !== "reasoning.text" ? known : known.slice(0, 2), context);
  return part;
}

/** Where a reasoning part goes; undefined where nobody would take it. */
export function reasoningPlace(part: ReasoningPart, writing: Writing): ReasoningPlace | undefined {
  const { vendor, context } = writing;
  const came = placeOf(part, writing) as ReasoningPlace | undefined;
  if (vendor === undefined || !context.repair) return came ?? vendor?.reasoning;
  // Details go back as they came to who reads the same reasoning as a text.
  const isAtHome = came === vendor.reasoning || (came === DETAILS && vendor.reasoning === "reasoning");
  if (came !== undefined && !isAtHome) context.report.addLoss("form-stale", ["extra", context.dialect, "$form"]);
  return isAtHome ? came : vendor.reasoning;
}

const TEXT = carrying("text");
const SUMMARY = carrying("text", "summary");

/** Writes reasoning beside the content; whether there was anything to write. The text of a field is the caller's. */
export function encodeReasoning(part: ReasoningPart, place: string, wire: JsonObject, writing: Writing): boolean {
  if (place === DETAILS) {
    const detail = encodeDetail(part, writing);
    if (detail !== undefined) pushTo(wire, DETAILS, detail);
    return detail !== undefined;
  }
  const isEmpty = part.text === "" && placeOf(part, writing) === undefined;
  if (isEmpty) writing.context.report.addLoss("reasoning-unsaid");
  else finishPart({}, part, TEXT, writing);
  return !isEmpty;
}

export function pushTo(wire: JsonObject, field: string, element: JsonValue): void {
  const list = wire[field];
  if (Array.isArray(list)) list.push(element);
  else wire[field] = [element];
}

function encodeDetail(part: ReasoningPart, writing: Writing): JsonObject | undefined {
  const { context } = writing;
  const { text, summary } = part;
  const data = sealOf(part, "encrypted", context);
  if (data !== undefined && text === "") {
    return finishPart({ type: "reasoning.encrypted", data }, part, TEXT, writing, undefined, "encrypted");
  }
  if (text === "" && summary?.length === 1) {
    return finishPart({ type: "reasoning.summary", summary: summary[0] ?? "" }, part, SUMMARY, writing);
  }
  // Encrypted for somebody else: nothing is left to say.
  if (text === "" && part.seals?.some(({ kind }) => kind === "encrypted") === true) {
    context.report.addLoss("reasoning-unsaid");
    return undefined;
  }
  const wire: JsonObject = { type: "reasoning.text", text };
  const signature = sealOf(part, "signature", context);
  if (signature !== undefined) wire["signature"] = signature;
  return finishPart(wire, part, TEXT, writing, undefined, "signature");
}

/** Repeats all that was reasoned in the fields that had it so. */
export function repeatReasoning(wire: JsonObject, message: Message, writing: Writing): void {
  const { vendor, context } = writing;
  const same = spelling(message, "same", writing);
  if (!Array.isArray(same) || (vendor !== undefined && context.repair)) return;
  const fields = message.parts.filter((part) => part.type === "reasoning" && placeOf(part, writing) !== "thinking");
  for (const field of same) {
    if (typeof field === "string" && fields.length > 0 && wire[field] === undefined) wire[field] = joined(fields);
  }
}
