// Decodes and encodes Anthropic responses.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { encodeErrorResponse } from "../../blocks/errors.ts";
import { storeField } from "../../blocks/fields.ts";
import { closeResponse, decodeStopReason, encodeAnswerContent, encodeStopReason } from "../../blocks/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { isObject, readList, readObject } from "../../kit/fields/read-wire.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { findCutOffCall } from "../../kit/tools/cut-off-calls.ts";
import { createDecodeState, decodeBlocks } from "../content/decode-block.ts";
import { createEncodeState } from "../content/encode-block.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import type { AnthropicLoss } from "../losses.ts";
import { STOP_REASONS } from "../terms.ts";
import { decodeErrorResponse } from "./error-response.ts";
import { ERROR_CODEC } from "./errors.ts";
import { addCacheCounts, decodeUsage, encodeUsage } from "./usage.ts";

const STOP_REASON = "stop_reason";

/**
 * Fields that have the same value in every response. Only a different value (as residue) or the absence of the field
 * (as form) is stored.
 */
const CONSTANT_FIELDS: readonly (readonly [field: string, value: JsonValue])[] = [
  ["type", "message"],
  ["role", "assistant"],
  ["stop_sequence", null],
];
const STRING_FIELDS = ["id", "model"] as const;

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const wire = readObject(value, context);
  const { dialect } = context;
  const { id, usage, content } = wire;
  if (wire["type"] === "error" && isObject(wire["error"])) return decodeErrorResponse(wire, wire["error"], dialect);
  if (content === undefined) {
    context.fail("missing-field", "The response has no content; decode an error body as an error.", "content");
  }
  const state = createDecodeState(context, typeof id === "string" ? id : "", names);
  const parts = decodeBlocks(readList(content, context, "content"), "content", state);
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  const decoded = new Set(["content", STOP_REASON]);
  for (const field of STRING_FIELDS) {
    const text = wire[field];
    if (typeof text === "string") {
      response[field] = text;
      decoded.add(field);
    } else storeForm(response, dialect, field, "none");
  }
  for (const [field, constant] of CONSTANT_FIELDS) {
    if (wire[field] === undefined) storeForm(response, dialect, field, "none");
    else if (wire[field] === constant) decoded.add(field);
  }
  if (isObject(usage)) {
    response.usage = decodeUsage(usage, context);
    decoded.add("usage");
  } else if (usage === undefined) storeForm(response, dialect, "usage", "none");
  if (wire[STOP_REASON] === null) storeForm(response, dialect, STOP_REASON, null);
  else decodeStopReason(wire, STOP_REASON, response, STOP_REASONS, dialect);
  const cutOffCall = findCutOffCall(response.message, response.finishReason);
  if (cutOffCall !== undefined) cutOffCall.invalid = true;
  for (const key in wire) if (!decoded.has(key)) storeField(response, wire, key, dialect);
  return response;
}

export function encodeResponse(
  response: ModelResponse,
  context: EncodeContext<AnthropicLoss>,
): Omit<Encoded, "losses"> {
  const { message, usage, finishReason } = response;
  const { pathTracker, dialect } = context;
  const errorBody = encodeErrorResponse(response, context, ERROR_CODEC);
  if (errorBody !== undefined) return { wire: errorBody };
  const form = readForm(response, dialect);
  const residue = response.extra?.[dialect] ?? {};
  const wire: JsonObject = {};
  for (const field of STRING_FIELDS)
    if (response[field] !== "" || form[field] !== "none") wire[field] = response[field];
  for (const [field, constant] of CONSTANT_FIELDS) {
    if (form[field] !== "none" && !Object.hasOwn(residue, field)) wire[field] = constant;
  }
  const state = createEncodeState(context);
  state.cutOffCall = findCutOffCall(message, finishReason);
  state.isForeignAnswer = isForeignAnswer(response, context);
  wire["content"] = encodeContent(response, state);
  pathTracker.into("message", () => restoreResidue(wire, message, context));
  const stopReason = encodeStopReason(finishReason, STOP_REASONS, form[STOP_REASON] === "own", null, context);
  const hadNoStopReason = form[STOP_REASON] === "none" || residue[STOP_REASON] !== undefined;
  if (stopReason !== null || !hadNoStopReason) wire[STOP_REASON] = stopReason;
  if (usage !== undefined) {
    wire["usage"] = pathTracker.into("usage", () =>
      encodeUsage(state.isForeignAnswer === true ? addCacheCounts(usage, context) : usage, context),
    );
  } else if (context.repair && form["usage"] !== "none" && residue["usage"] === undefined) {
    context.report.addLoss("usage-synthesized", "usage");
    wire["usage"] = {
      input_tokens: 0,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
  }
  closeResponse(wire, response, context);
  return { wire };
}

/** Encodes the blocks of an answer. The path tracker must be at the response. */
export function encodeContent({ message }: ModelResponse, state: AnthropicEncodeState): JsonObject[] {
  return encodeAnswerContent(message, state.context, (parts, key) => state.encodeParts(parts, key, "assistant", state));
}

/**
 * True if a response comes from another dialect: it has neither residue nor a stop reason of this dialect. Always false
 * if repairs are off.
 */
function isForeignAnswer({ extra, finishReason }: ModelResponse, { dialect, repair }: EncodeContext): boolean {
  const { raw } = finishReason;
  return repair && extra?.[dialect] === undefined && (raw === undefined || STOP_REASONS.toModel(raw) === undefined);
}
