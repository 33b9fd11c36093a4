// Responses: the first candidate is the answer, the others are alternatives to it.
import { RESPONSE_FIELDS } from "../kit/carried.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { Alternative, ModelResponse } from "../../model/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../dialect.ts";
import { isObject, kindOf, readObject } from "../kit/read.ts";
import { reportForeignAnswer, reportForeignChoice } from "../kit/echoes.ts";
import { readForm, storeForm, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import { reportEvents } from "../kit/streams.ts";
import { CITATIONS, decodeCandidate, encodeCandidate, GROUNDING, LOGPROBS } from "./candidate.ts";
import { newWriting } from "./encode.ts";
import { decodeError, encodeBody } from "./errors.ts";
import type { Code } from "./losses.ts";
import type { Reading } from "./reading.ts";
import { AnswerReading, keepRest } from "./reading.ts";
import type { Spelling } from "./snake.ts";
import { keepNames, readInner, readNames, writeNames } from "./snake.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";
import type { Writing } from "./writing.ts";

const CANDIDATES = "candidates";
const FEEDBACK = "promptFeedback";

export function decodeResponse(given: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  const spelling: Spelling = {};
  const wire = readNames(readObject(given, context), spelling);
  return decodeBody(wire, spelling, new AnswerReading(context, names, headOf(wire).id));
}

/** What tells one answer from others. */
export function headOf({ responseId, modelVersion, createTime }: JsonObject): Head {
  const head: Head = {
    // An empty string is not the model's word for none.
    id: typeof responseId === "string" ? responseId : "",
    model: typeof modelVersion === "string" ? modelVersion : "",
  };
  if (typeof createTime === "string" && !Number.isNaN(Date.parse(createTime))) head.createdAt = createTime;
  return head;
}
export type Head = Pick<ModelResponse, "id" | "model" | "createdAt">;

/** The answer that a body says, whose names have been read; a stream says it piece by piece. */
export function decodeBody(wire: JsonObject, spelling: Spelling, reading: Reading): ModelResponse {
  const { dialect } = reading.context;
  const { usageMetadata, error } = wire;
  const taken = [CANDIDATES];
  const head = headOf(wire);
  const response: ModelResponse = {
    ...head,
    message: { role: "assistant", parts: [] },
    finishReason: { unified: "other" },
  };
  decodeCandidates(wire, response, reading);
  if (head.id !== "") taken.push("responseId");
  if (head.model !== "") taken.push("modelVersion");
  if (head.createdAt !== undefined) taken.push("createTime");
  if (isObject(usageMetadata)) {
    taken.push("usageMetadata");
    response.usage = decodeUsage(usageMetadata, dialect);
  }
  if (isObject(error)) {
    taken.push("error");
    response.error = decodeError({ error }, undefined);
    // Others have errors like these; only this tells that it is this dialect's.
    if (typeof error["status"] !== "string") storeForm(response, dialect, "error", "odd");
    response.finishReason.unified = "error";
  }
  decodeFeedback(wire, response, taken, spelling, dialect);
  keepRest(response, wire, taken, dialect);
  keepNames(response, dialect, spelling);
  return response;
}

/** No candidates, an empty list and null are three things, and no error (B71). */
function decodeCandidates({ candidates }: JsonObject, response: ModelResponse, reading: Reading): void {
  const { context } = reading;
  const list = candidates ?? [];
  if (!Array.isArray(list)) return context.fail("wrong-type", `Expected a list, found ${kindOf(list)}.`, CANDIDATES);
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
    if (index === 0) return decodeCandidate(wire, index, response, [CANDIDATES], reading);
    const choice: Alternative = { message: { role: "assistant", parts: [] }, finishReason: { unified: "other" } };
    (response.alternatives ??= []).push(choice);
    decodeCandidate(wire, index, choice, [], reading);
  });
}

/** What was asked was blocked: that is how it ended. */
function decodeFeedback(
  wire: JsonObject,
  response: ModelResponse,
  taken: string[],
  spelling: Spelling,
  dialect: string,
): void {
  const given = wire[FEEDBACK];
  if (!isObject(given)) return;
  taken.push(FEEDBACK);
  const feedback = readInner(given, FEEDBACK, spelling);
  const { blockReason: raw } = feedback;
  const isEnd = readForm(response, dialect)[CANDIDATES] !== undefined && response.error === undefined;
  const isSaid = isEnd && typeof raw === "string";
  if (isSaid) response.finishReason = { unified: "content-filter", raw };
  keepRest(response, feedback, isSaid ? ["blockReason"] : [], dialect, FEEDBACK);
}

export function encodeResponse(response: ModelResponse, given: EncodeContext<Code>): Omit<Encoded, "losses"> {
  const writing = newWriting(given, true);
  const { context } = writing;
  const { pathTracker: trail, report } = context;
  const wire: JsonObject = {};
  const none = writeAbsence(response, wire, context);
  if (!none) wire[CANDIDATES] = encodeFirst(response, writing);
  if (response.usage !== undefined) {
    const { usage } = response;
    wire["usageMetadata"] = trail.into("usage", () => encodeUsage(usage, context));
  }
  if (response.model !== "") wire["modelVersion"] = response.model;
  if (response.id !== "") wire["responseId"] = response.id;
  if (response.createdAt !== undefined) wire["createTime"] = response.createdAt;
  if (response.error !== undefined) {
    wire["error"] = encodeBody(response.error, readForm(response, context.dialect)["error"] === "odd");
    if (response.error.retryable !== undefined) report.addLoss("field-unsaid", ["error", "retryable"]);
  }
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsaid");
  reportForeignAnswer(response, context);
  restoreResidue(wire, response, context, CANDIDATES, "content", GROUNDING, LOGPROBS, CITATIONS, FEEDBACK);
  reportEvents(response, context);
  const written = writeNames(wire, response, context);
  const { alternatives = [] } = response;
  const others = trail.each("alternatives", alternatives, (choice, at) => encodeOther(choice, at + 1, writing));
  if (isObject(written[CANDIDATES])) written[CANDIDATES] = [written[CANDIDATES], ...others];
  return { wire: written };
}

/** Writes that there are no candidates, where there were none and is nothing to say now; whether it did. */
function writeAbsence(response: ModelResponse, wire: JsonObject, context: EncodeContext<Code>): boolean {
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
    context.report.addLoss("finish-approximated", "finishReason");
  }
  return true;
}

function residueOf(target: { extra?: Extra }, dialect: string): JsonObject {
  return target.extra?.[dialect] ?? {};
}

function encodeFirst(response: ModelResponse, writing: Writing): JsonObject {
  const kept = residueOf(response, writing.context.dialect)[CANDIDATES];
  return encodeCandidate(response, 0, isObject(kept) ? kept : {}, response.error !== undefined, writing);
}

function encodeOther(choice: Alternative, index: number, writing: Writing): JsonObject {
  const { context } = writing;
  const wire: JsonObject = encodeCandidate(choice, index, residueOf(choice, context.dialect), false, writing);
  reportForeignChoice(choice, context);
  restoreResidue(wire, choice, context, GROUNDING, LOGPROBS, CITATIONS);
  return writeNames(wire, choice, context);
}
