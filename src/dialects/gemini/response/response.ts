// Decodes and encodes responses. The first candidate becomes the answer; the others become `alternatives`.
import { RESPONSE_FIELDS } from "../../kit/fields/supported-fields.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { Alternative, ModelResponse } from "../../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { isObject, describeKind, readObject } from "../../kit/fields/read-wire.ts";
import { reportNotPortableResponse, reportNotPortableAlternative } from "../../kit/residue/response-residue.ts";
import { readForm, storeForm, restoreResidue } from "../../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../../kit/residue/unsent-fields.ts";
import { reportUnknownEvents } from "../../kit/residue/unknown-events.ts";
import { CITATIONS, decodeCandidate, encodeCandidate, GROUNDING, LOGPROBS } from "./candidate.ts";
import { createEncodeState } from "../request/encode-history.ts";
import { decodeError, encodeErrorField } from "./errors.ts";
import type { GeminiLossCode } from "../losses.ts";
import type { GeminiDecodeState } from "../content/decode-state.ts";
import { AnswerDecodeState, storeUnknownFields } from "../content/decode-state.ts";
import type { FieldSpelling } from "../content/snake-case-fields.ts";
import {
  storeSpelling,
  normalizeInnerFieldNames,
  normalizeFieldNames,
  restoreSpelling,
} from "../content/snake-case-fields.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import type { GeminiEncodeState } from "../content/encode-state.ts";

const CANDIDATES = "candidates";
const FEEDBACK = "promptFeedback";

export function decodeResponse(
  rawResponse: unknown,
  context: DecodeContext,
  { names }: DecodeReplyOptions,
): ModelResponse {
  const spelling: FieldSpelling = {};
  const wire = normalizeFieldNames(readObject(rawResponse, context), spelling);
  return decodeResponseBody(wire, spelling, new AnswerDecodeState(context, names, readAnswerHead(wire).id));
}

/** Returns the id, the model and the creation time of an answer. */
export function readAnswerHead({ responseId, modelVersion, createTime }: JsonObject): AnswerHead {
  const head: AnswerHead = {
    // In the canonical model, "" represents a missing id or model.
    id: typeof responseId === "string" ? responseId : "",
    model: typeof modelVersion === "string" ? modelVersion : "",
  };
  if (typeof createTime === "string" && !Number.isNaN(Date.parse(createTime))) head.createdAt = createTime;
  return head;
}
export type AnswerHead = Pick<ModelResponse, "id" | "model" | "createdAt">;

/**
 * Decodes a response body whose field names are in camelCase. The stream decoder passes the merged body of its events.
 */
export function decodeResponseBody(wire: JsonObject, spelling: FieldSpelling, state: GeminiDecodeState): ModelResponse {
  const { dialect } = state.context;
  const { usageMetadata, error } = wire;
  const decodedKeys = [CANDIDATES];
  const head = readAnswerHead(wire);
  const response: ModelResponse = {
    ...head,
    message: { role: "assistant", parts: [] },
    finishReason: { unified: "other" },
  };
  decodeCandidates(wire, response, state);
  if (head.id !== "") decodedKeys.push("responseId");
  if (head.model !== "") decodedKeys.push("modelVersion");
  if (head.createdAt !== undefined) decodedKeys.push("createTime");
  if (isObject(usageMetadata)) {
    decodedKeys.push("usageMetadata");
    response.usage = decodeUsage(usageMetadata, dialect);
  }
  if (isObject(error)) {
    decodedKeys.push("error");
    response.error = decodeError({ error }, undefined);
    // The form tells the encoder that Gemini sent this error although it has no `status`.
    if (typeof error["status"] !== "string") storeForm(response, dialect, "error", "odd");
    response.finishReason.unified = "error";
  }
  decodePromptFeedback(wire, response, decodedKeys, spelling, dialect);
  storeUnknownFields(response, wire, decodedKeys, dialect);
  storeSpelling(response, dialect, spelling);
  return response;
}

/**
 * Decodes the candidates. Missing candidates, an empty list and null are stored as different forms and are not errors
 * (B71).
 */
function decodeCandidates({ candidates }: JsonObject, response: ModelResponse, state: GeminiDecodeState): void {
  const { context } = state;
  const list = candidates ?? [];
  if (!Array.isArray(list))
    return context.fail("wrong-type", `Expected a list, found ${describeKind(list)}.`, CANDIDATES);
  if (list.length === 0) {
    storeForm(
      response,
      context.dialect,
      CANDIDATES,
      candidates === undefined ? "none" : candidates === null ? "null" : "empty",
    );
  }
  context.pathTracker.each(CANDIDATES, list, (value, index) => {
    const wire = readObject(value, context);
    if (index === 0) return decodeCandidate(wire, index, response, [CANDIDATES], state);
    const choice: Alternative = { message: { role: "assistant", parts: [] }, finishReason: { unified: "other" } };
    (response.alternatives ??= []).push(choice);
    decodeCandidate(wire, index, choice, [], state);
  });
}

/**
 * Decodes the prompt feedback. The reason for which a prompt was blocked becomes the finish reason of an answer without
 * candidates.
 */
function decodePromptFeedback(
  wire: JsonObject,
  response: ModelResponse,
  decodedKeys: string[],
  spelling: FieldSpelling,
  dialect: string,
): void {
  const wireFeedback = wire[FEEDBACK];
  if (!isObject(wireFeedback)) return;
  decodedKeys.push(FEEDBACK);
  const feedback = normalizeInnerFieldNames(wireFeedback, FEEDBACK, spelling);
  const { blockReason: raw } = feedback;
  const isEnd = readForm(response, dialect)[CANDIDATES] !== undefined && response.error === undefined;
  const isBlocked = isEnd && typeof raw === "string";
  if (isBlocked) response.finishReason = { unified: "content-filter", raw };
  storeUnknownFields(response, feedback, isBlocked ? ["blockReason"] : [], dialect, FEEDBACK);
}

export function encodeResponse(
  response: ModelResponse,
  encodeContext: EncodeContext<GeminiLossCode>,
): Omit<Encoded, "losses"> {
  const state = createEncodeState(encodeContext, true);
  const { context } = state;
  const { pathTracker, report } = context;
  const wire: JsonObject = {};
  const hasNoCandidates = encodeMissingCandidates(response, wire, context);
  if (!hasNoCandidates) wire[CANDIDATES] = encodeFirstCandidate(response, state);
  if (response.usage !== undefined) {
    const { usage } = response;
    wire["usageMetadata"] = pathTracker.into("usage", () => encodeUsage(usage, context));
  }
  if (response.model !== "") wire["modelVersion"] = response.model;
  if (response.id !== "") wire["responseId"] = response.id;
  if (response.createdAt !== undefined) wire["createTime"] = response.createdAt;
  if (response.error !== undefined) {
    wire["error"] = encodeErrorField(response.error, readForm(response, context.dialect)["error"] === "odd");
    if (response.error.retryable !== undefined) report.addLoss("field-unsupported", ["error", "retryable"]);
  }
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsupported");
  reportNotPortableResponse(response, context);
  restoreResidue(wire, response, context, CANDIDATES, "content", GROUNDING, LOGPROBS, CITATIONS, FEEDBACK);
  reportUnknownEvents(response, context);
  const restored = restoreSpelling(wire, response, context);
  const { alternatives = [] } = response;
  const others = pathTracker.each("alternatives", alternatives, (choice, at) =>
    encodeAlternative(choice, at + 1, state),
  );
  if (isObject(restored[CANDIDATES])) restored[CANDIDATES] = [restored[CANDIDATES], ...others];
  return { wire: restored };
}

/**
 * Restores the form of a response that was decoded without candidates and still has no content. Returns false for other
 * responses.
 */
function encodeMissingCandidates(
  response: ModelResponse,
  wire: JsonObject,
  context: EncodeContext<GeminiLossCode>,
): boolean {
  const { message, alternatives = [], finishReason, error } = response;
  const form = readForm(response, context.dialect)[CANDIDATES];
  if (form === undefined) return false;
  if (message.parts.length > 0 || alternatives.length > 0) {
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", CANDIDATES]);
    return false;
  }
  if (form !== "none") wire[CANDIDATES] = form === "null" ? null : [];
  const { unified, raw } = finishReason;
  if (unified === "content-filter" && raw !== undefined) wire[FEEDBACK] = { blockReason: raw };
  else if (unified !== (error === undefined ? "other" : "error") || raw !== undefined) {
    context.report.addLoss("finish-reason-approximated", "finishReason");
  }
  return true;
}

function readResidue(target: WithExtra, dialect: string): JsonObject {
  return target.extra?.[dialect] ?? {};
}

function encodeFirstCandidate(response: ModelResponse, state: GeminiEncodeState): JsonObject {
  const candidateResidue = readResidue(response, state.context.dialect)[CANDIDATES];
  return encodeCandidate(
    response,
    0,
    isObject(candidateResidue) ? candidateResidue : {},
    response.error !== undefined,
    state,
  );
}

function encodeAlternative(choice: Alternative, index: number, state: GeminiEncodeState): JsonObject {
  const { context } = state;
  const wire: JsonObject = encodeCandidate(choice, index, readResidue(choice, context.dialect), false, state);
  reportNotPortableAlternative(choice, context);
  restoreResidue(wire, choice, context, GROUNDING, LOGPROBS, CITATIONS);
  return restoreSpelling(wire, choice, context);
}
