// Decodes and encodes reasoning. OpenAI sends no reasoning; other vendors send it in a text field of the message, as a
// list of details, or (Mistral) in the content. Reasoning is encoded into the field it was decoded from or into the
// vendor's field, never into the visible text (B15).
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { Part, ReasoningPart } from "../../../model/parts.ts";
import { toOpaquePart } from "../../kit/residue/opaque-parts.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { addSeal, findSealValue } from "../../kit/seals/seals.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import type { ReasoningField } from "../vendors.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { readSourceField, readFormValue } from "../encode-state.ts";

/** Fields that contain all reasoning as one text. */
export const TEXT_FIELDS: readonly string[] = ["reasoning_content", "reasoning", "reasoning_text"];
export const DETAILS_FIELD = "reasoning_details";

/**
 * Decodes reasoning fields into parts of an empty message. Returns the names of the fields without readable reasoning,
 * which become residue.
 */
export function decodeReasoning(fields: JsonObject, message: Message, state: ChatDecodeState): string[] {
  const { dialect } = state.context;
  const { parts } = message;
  const details = fields[DETAILS_FIELD];
  const unreadFields: string[] = [];
  if (Array.isArray(details) && details.length > 0 && details.every(isObject)) {
    for (const detail of details) parts.push(decodeDetail(detail, state));
  } else if (details !== undefined) {
    unreadFields.push(DETAILS_FIELD);
  }
  const repeatingFields: string[] = [];
  for (const field of TEXT_FIELDS) {
    const text = fields[field];
    if (text === undefined) continue;
    if (typeof text !== "string" || text === "") unreadFields.push(field);
    // A field that repeats the reasoning of the parts adds no part; only its name is stored.
    else if (parts.length > 0 && text === joinReasoning(parts)) repeatingFields.push(field);
    else {
      const part: ReasoningPart = { type: "reasoning", text };
      storeForm(part, dialect, "in", field);
      parts.push(part);
    }
  }
  if (repeatingFields.length > 0) storeForm(message, dialect, "same", repeatingFields);
  return unreadFields;
}

/**
 * Returns all reasoning texts and summaries joined without a separator. Vendors send this joined text in a second
 * field.
 */
function joinReasoning(parts: readonly Part[]): string {
  let text = "";
  for (const part of parts) if (part.type === "reasoning") text += part.text + (part.summary?.join("") ?? "");
  return text;
}

const DETAIL_FIELDS = {
  "reasoning.text": ["type", "text", "signature"],
  "reasoning.summary": ["type", "summary"],
  "reasoning.encrypted": ["type", "data"],
} as const;

export function decodeDetail(wire: JsonObject, { context }: ChatDecodeState): Part {
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
    const opaque = toOpaquePart(wire, context);
    storeForm(opaque, context.dialect, "in", DETAILS_FIELD);
    return opaque;
  }
  const isSigned = type === "reasoning.text" && typeof signature === "string";
  if (isSigned) addSeal(part, "signature", signature, context);
  storeForm(part, context.dialect, "in", DETAILS_FIELD);
  const known = DETAIL_FIELDS[type as keyof typeof DETAIL_FIELDS];
  storeUnknownFields(part, wire, isSigned || type !== "reasoning.text" ? known : known.slice(0, 2), context);
  return part;
}

/** Returns the field for a reasoning part; undefined if the target accepts no reasoning. */
export function findReasoningField(part: ReasoningPart, state: ChatEncodeState): ReasoningField | undefined {
  const { vendor, context } = state;
  const sourceField = readSourceField(part, state) as ReasoningField | undefined;
  if (vendor === undefined || !context.repair) return sourceField ?? vendor?.reasoning;
  // Reasoning that was decoded from `reasoning_details` is also sent to a vendor whose field is `reasoning`, because
  // OpenRouter accepts both fields.
  const isAccepted =
    sourceField === vendor.reasoning || (sourceField === DETAILS_FIELD && vendor.reasoning === "reasoning");
  if (sourceField !== undefined && !isAccepted)
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form"]);
  return isAccepted ? sourceField : vendor.reasoning;
}

const SUPPORTED_TEXT = supportedFields("text");
const SUPPORTED_SUMMARY = supportedFields("text", "summary");

/**
 * Encodes reasoning beside the content. If `field` is `reasoning_details`, appends an entry to this list in `wire`. For
 * a text field, only reports losses, because the caller writes the text. Returns false if the part was dropped.
 */
export function encodeReasoning(part: ReasoningPart, field: string, wire: JsonObject, state: ChatEncodeState): boolean {
  if (field === DETAILS_FIELD) {
    const detail = encodeDetail(part, state);
    if (detail !== undefined) pushToList(wire, DETAILS_FIELD, detail);
    return detail !== undefined;
  }
  const isEmpty = part.text === "" && readSourceField(part, state) === undefined;
  if (isEmpty) state.context.report.addLoss("reasoning-unsupported");
  else finishPart({}, part, SUPPORTED_TEXT, state);
  return !isEmpty;
}

export function pushToList(wire: JsonObject, field: string, element: JsonValue): void {
  const list = wire[field];
  if (Array.isArray(list)) list.push(element);
  else wire[field] = [element];
}

function encodeDetail(part: ReasoningPart, state: ChatEncodeState): JsonObject | undefined {
  const { context } = state;
  const { text, summary } = part;
  const data = findSealValue(part, "encrypted", context);
  if (data !== undefined && text === "") {
    return finishPart({ type: "reasoning.encrypted", data }, part, SUPPORTED_TEXT, state, undefined, "encrypted");
  }
  if (text === "" && summary?.length === 1) {
    return finishPart({ type: "reasoning.summary", summary: summary[0] ?? "" }, part, SUPPORTED_SUMMARY, state);
  }
  // The part has no text, and its encrypted reasoning comes from another issuer, so the target can read nothing of it.
  if (text === "" && part.seals?.some(({ kind }) => kind === "encrypted") === true) {
    context.report.addLoss("reasoning-unsupported");
    return undefined;
  }
  const wire: JsonObject = { type: "reasoning.text", text };
  const signature = findSealValue(part, "signature", context);
  if (signature !== undefined) wire["signature"] = signature;
  return finishPart(wire, part, SUPPORTED_TEXT, state, undefined, "signature");
}

/** Writes the joined reasoning into the fields that repeated it in the decoded message. */
export function repeatReasoning(wire: JsonObject, message: Message, state: ChatEncodeState): void {
  const { vendor, context } = state;
  const repeatingFields = readFormValue(message, "same", state);
  if (!Array.isArray(repeatingFields) || (vendor !== undefined && context.repair)) return;
  const reasoningParts = message.parts.filter(
    (part) => part.type === "reasoning" && readSourceField(part, state) !== "thinking",
  );
  for (const field of repeatingFields) {
    if (typeof field === "string" && reasoningParts.length > 0 && wire[field] === undefined)
      wire[field] = joinReasoning(reasoningParts);
  }
}
