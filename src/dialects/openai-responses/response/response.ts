// Decodes and encodes Responses responses: the items as one message, the status, the usage and the repeated request
// settings.
import type { FinishReason, UnifiedFinishReason } from "../../../model/finish-reason.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { reportNotPortableResponse } from "../../kit/residue/response-residue.ts";
import { findCutOffCall, hasClientCalls } from "../../kit/tools/cut-off-calls.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { restoreSiblingFields, SHARED_RESPONSE_FIELDS } from "../../openai/sibling-residue.ts";
import { storeUnknownFields, storeAbsentFields } from "../../openai/unknown-fields.ts";
import { isObject, readList, readObject } from "../../kit/fields/read-wire.ts";
import { storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { decodeAnyItem } from "../items/decode-items.ts";
import { encodeTurn } from "../items/encode-items.ts";
import { decodeErrorField, encodeErrorField } from "./error-field.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { createDecodeState } from "../decode-state.ts";
import { EVENT_FORM } from "../stream/event-types.ts";
import { FINISH_REASONS, STATUSES } from "./finish-reason.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import { readOwnForm, createEncodeState, wasOmitted } from "../encode-state.ts";

/** Settings that a response repeats from its request, with the values that are sent if the request is unknown. */
const REQUEST_ECHOES: Readonly<Record<string, JsonValue>> = {
  access_programs: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
};
const EXPECTED_FIELDS = [
  "id",
  "model",
  "object",
  "created_at",
  "error",
  "incomplete_details",
  "usage",
  ...Object.keys(REQUEST_ECHOES),
];

const ID_AND_MODEL = new FieldTable<"id" | "model">([
  ["id", "id", "string"],
  ["model", "model", "string"],
]);

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const list = readList(wire["output"], context, "output");
  const parts: Part[] = [];
  const state = createDecodeState(context, true, toText(wire["id"]), names);
  context.pathTracker.enter("output");
  for (let at = 0; at < list.length; at++) {
    context.pathTracker.enter(at);
    for (const part of decodeAnyItem(readObject(list[at], context), parts, state)) parts.push(part);
    context.pathTracker.leave();
  }
  context.pathTracker.leave();
  return decodeResponseFields(wire, list, parts, context);
}

/** Decodes the fields of a response other than `output`. `list` are its items, which have been decoded to `parts`. */
export function decodeResponseFields(
  wire: JsonObject,
  list: readonly JsonValue[],
  parts: Part[],
  context: DecodeContext,
): ModelResponse {
  const { usage, error } = wire;
  const known = ["output"];
  const head: Partial<Pick<ModelResponse, "id" | "model">> = {};
  for (const key in wire) if (ID_AND_MODEL.decode(wire, key, head)) known.push(key);
  const { id = "", model = "" } = head;
  const response: ModelResponse = {
    id,
    model,
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  if (isObject(usage)) response.usage = decodeUsage(usage, context);
  const failure = decodeErrorField(error);
  if (failure !== undefined) response.error = failure;
  const createdAt = decodeDate(wire["created_at"]);
  if (createdAt !== undefined) response.createdAt = createdAt;
  if (isObject(usage)) known.push("usage");
  if (error === null || failure !== undefined) known.push("error");
  if (createdAt !== undefined) known.push("created_at");
  if (wire["object"] === "response") known.push("object");
  decodeFinishReason(response, wire, known, context);
  if (typeof wire["output_text"] === "string" && wire["output_text"] === joinOutputText(list)) {
    storeForm(response, context.dialect, "output_text", "joined");
    known.push("output_text");
  }
  storeAbsentFields(response, wire, EXPECTED_FIELDS, context);
  storeUnknownFields(response, wire, known, context);
  return response;
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Converts seconds to a date string; undefined if the value is 0, which means unknown, or cannot be expressed exactly.
 */
export function decodeDate(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || seconds === 0 || Math.abs(seconds) > 8.64e12) return undefined;
  const date = new Date(Math.round(seconds * 1000)).toISOString();
  return Date.parse(date) / 1000 === seconds ? date : undefined;
}

/** Returns all texts of the items joined, as the SDK's `output_text` does. */
function joinOutputText(items: readonly JsonValue[]): string {
  let text = "";
  for (const item of items) {
    if (!isObject(item) || item["type"] !== "message" || !Array.isArray(item["content"])) continue;
    for (const block of item["content"]) {
      if (isObject(block) && block["type"] === "output_text" && typeof block["text"] === "string")
        text += block["text"];
    }
  }
  return text;
}

/**
 * The finish reason that is passed to `findCutOffCall`, which finds a call at the end of a cut-off answer. Every
 * incomplete answer counts as cut off, for any reason (B31).
 */
const CUT_OFF: FinishReason = { unified: "length" };

function decodeFinishReason(response: ModelResponse, wire: JsonObject, known: string[], context: DecodeContext): void {
  const { status, incomplete_details: details } = wire;
  const wireReason = status === "incomplete" && isObject(details) ? details["reason"] : undefined;
  const reason = typeof wireReason === "string" && !STATUSES.has(wireReason) ? wireReason : undefined;
  const raw = reason ?? status;
  const ending: FinishReason = { unified: toUnifiedReason(raw, response) };
  if (typeof raw === "string") ending.raw = raw;
  response.finishReason = ending;
  const cutOffCall = status === "incomplete" ? findCutOffCall(response.message, CUT_OFF) : undefined;
  if (cutOffCall !== undefined && cutOffCall.invalid !== true) {
    cutOffCall.invalid = true;
    storeForm(cutOffCall, context.dialect, "cut", "ending");
  }
  const plain = encodeFinishReason(response);
  if (typeof status === "string") {
    known.push("status");
    if (plain.status !== status || plain.reason !== reason) storeForm(response, context.dialect, "status", status);
  } else if (status === undefined) storeForm(response, context.dialect, "status", null);
  if (reason !== undefined && isObject(details)) {
    known.push("incomplete_details");
    storeUnknownFields(response, details, ["reason"], context, "incomplete_details");
  } else if (details === null) known.push("incomplete_details");
}

/** Returns the unified reason. "stop" becomes "tool-calls" if the answer has calls that the client runs. */
function toUnifiedReason(raw: unknown, { message, error }: ModelResponse): UnifiedFinishReason {
  if (error !== undefined) return "error";
  const unified =
    raw === undefined ? "stop" : typeof raw === "string" ? (FINISH_REASONS.toModel(raw) ?? "other") : "other";
  return unified === "stop" && hasClientCalls(message) ? "tool-calls" : unified;
}

interface WireEnding {
  status: string;
  reason?: string | undefined;
}

/** The nearest wire values for unified reasons that Responses does not have. */
const NEAREST_REASONS: Readonly<Partial<Record<UnifiedFinishReason, string>>> = {
  "tool-calls": "completed",
  refusal: "content_filter",
};

/**
 * Returns the status and the incomplete reason: the original values if they still fit the unified reason, and the
 * default values otherwise.
 */
function encodeFinishReason({ finishReason: { unified, raw } }: ModelResponse): WireEnding {
  const plainReason = unified === "tool-calls" ? "stop" : unified;
  const ownReason = raw !== undefined && FINISH_REASONS.toModel(raw) === plainReason ? raw : undefined;
  const wireReason = ownReason ?? FINISH_REASONS.toWire(unified) ?? NEAREST_REASONS[unified] ?? "incomplete";
  return STATUSES.has(wireReason) ? { status: wireReason } : { status: "incomplete", reason: wireReason };
}

const SUPPORTED: ReadonlySet<string> = new Set("id model message finishReason usage createdAt error extra".split(" "));

export function encodeResponse(
  response: ModelResponse,
  requestContext: EncodeContext<ResponsesLossCode>,
): Omit<Encoded, "losses"> {
  // Responses are not repaired, so that a client receives the ids and tool names that its own request used.
  const context: EncodeContext<ResponsesLossCode> = { ...requestContext, repair: false };
  const { message, usage } = response;
  const state = createEncodeState(context, response.id);
  if (readWireEnding(response, context).status === "incomplete") state.cutOffCall = findCutOffCall(message, CUT_OFF);
  context.pathTracker.enter("message");
  const turn = { message, index: 0 };
  encodeTurn(turn, undefined, [turn], 0, state);
  context.pathTracker.leave();
  const wire: JsonObject = {};
  const writeField = (field: string, value: JsonValue | undefined): void => {
    if (value !== undefined && !wasOmitted(response, field, context)) wire[field] = value;
  };
  encodeHead(wire, response, writeField, context);
  wire["output"] = state.items;
  encodeEnding(wire, response, writeField, context);
  if (usage !== undefined) wire["usage"] = context.pathTracker.into("usage", () => encodeUsage(usage, context));
  const count = Object.keys(wire).length;
  for (const echo of Object.keys(REQUEST_ECHOES)) writeField(echo, REQUEST_ECHOES[echo]);
  if (Object.keys(wire).length > count || state.madeIdCount > 0)
    context.report.addLoss("field-synthesized", ["extra", context.dialect]);
  if (readOwnForm(response, context)["output_text"] === "joined") wire["output_text"] = joinOutputText(state.items);
  reportUnsupportedFields(response, SUPPORTED, context, "field-unsupported");
  // A response, unlike a stream, cannot express unknown events and unknown fields of the last event.
  reportUnknownEvents(response, context);
  if (readOwnForm(response, context)[EVENT_FORM] !== undefined) {
    context.report.addLoss("field-unsupported", ["extra", context.dialect, "$form", EVENT_FORM]);
  }
  restoreResidue(wire, response, context, "incomplete_details");
  reportNotPortableResponse(restoreSiblingFields(wire, response, SHARED_RESPONSE_FIELDS, context), context);
  return { wire };
}

type WriteField = (field: string, value: JsonValue | undefined) => void;

function encodeHead(
  wire: JsonObject,
  response: ModelResponse,
  writeField: WriteField,
  context: EncodeContext<ResponsesLossCode>,
): void {
  const { id, model, createdAt } = response;
  if (id !== "") wire["id"] = id;
  else writeField("id", id);
  if (model !== "") wire["model"] = model;
  else writeField("model", model);
  writeField("object", "response");
  const time = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  if (!Number.isNaN(time)) wire["created_at"] = time / 1000;
  else {
    if (createdAt !== undefined) context.report.addLoss("field-unsupported", "createdAt");
    writeField("created_at", 0);
  }
}

/** Returns the status and reason to send. `isOwn` is true if they are the decoded status and raw reason. */
function readWireEnding(response: ModelResponse, context: EncodeContext): WireEnding & { isOwn: boolean } {
  const form = readOwnForm(response, context)["status"];
  const { raw } = response.finishReason;
  const isOwn = typeof form === "string" && raw !== undefined;
  return isOwn
    ? { status: form, reason: raw === form ? undefined : raw, isOwn }
    : { ...encodeFinishReason(response), isOwn };
}

function encodeEnding(
  wire: JsonObject,
  response: ModelResponse,
  writeField: WriteField,
  context: EncodeContext<ResponsesLossCode>,
): void {
  const { finishReason, error } = response;
  const { unified, raw } = finishReason;
  const { status, reason, isOwn } = readWireEnding(response, context);
  if (readOwnForm(response, context)["status"] !== null || unified !== toUnifiedReason(undefined, response))
    writeField("status", status);
  if (reason !== undefined) wire["incomplete_details"] = { reason };
  else writeField("incomplete_details", null);
  if (error !== undefined) wire["error"] = context.pathTracker.into("error", () => encodeErrorField(error, context));
  else writeField("error", null);
  const wireReason = reason ?? status;
  if (raw !== undefined && raw !== wireReason)
    context.report.addLoss("raw-finish-reason-dropped", ["finishReason", "raw"]);
  if (!isOwn && toUnifiedReason(wireReason, response) !== unified) {
    context.report.addLoss("finish-reason-approximated", ["finishReason", "unified"]);
  }
}
