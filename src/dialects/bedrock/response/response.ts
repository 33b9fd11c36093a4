// Decodes and encodes Bedrock responses.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { ModelResponse } from "../../../model/response.ts";
import { buildErrorResponse, encodeErrorResponse } from "../../blocks/errors.ts";
import { closeResponse, decodeStopReason, encodeAnswerContent, encodeStopReason } from "../../blocks/response.ts";
import type { DecodeContext, DecodeReplyOptions, EncodeContext, Encoded } from "../../dialect.ts";
import { isObject, readList, readObject } from "../../kit/fields/read-wire.ts";
import { readForm, restoreResidue, storeForm } from "../../kit/residue/residue.ts";
import { findCutOffCall } from "../../kit/tools/cut-off-calls.ts";
import { storeRest } from "../content/cache-point.ts";
import { createDecodeState, decodeBlocks } from "../content/decode-block.ts";
import type { BedrockDecodeState } from "../content/decode-state.ts";
import { createEncodeState } from "../content/encode-block.ts";
import type { BedrockEncodeState } from "../content/encode-state.ts";
import type { BedrockLoss } from "../losses.ts";
import { STOP_REASONS } from "../terms.ts";
import { ERROR_CODEC, isErrorBody, readError } from "./errors.ts";
import { decodeUsage, encodeUsage, NO_USAGE } from "./usage.ts";

export const STOP_REASON = "stopReason";

export function decodeResponse(value: unknown, context: DecodeContext, { names }: DecodeReplyOptions): ModelResponse {
  return decodeResponseBody(readObject(value, context), createDecodeState(context, names));
}

export function decodeResponseBody(wire: JsonObject, state: BedrockDecodeState): ModelResponse {
  const context: DecodeContext = state.context;
  const { dialect, pathTracker } = context;
  const { output, usage } = wire;
  if (output === undefined && isErrorBody(wire)) return buildErrorResponse(readError(wire), dialect);
  if (!isObject(output)) {
    context.fail("missing-field", "The response has no output; decode an error body as an error.", "output");
  }
  const { message } = output;
  pathTracker.enter("output");
  if (!isObject(message)) context.fail("missing-field", "The output has no message.", "message");
  pathTracker.enter("message");
  const parts = decodeBlocks(readList(message["content"], context, "content"), "content", state);
  pathTracker.leave(2);
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts },
    finishReason: { unified: "other" },
  };
  storeRoleForm(message, response.message, dialect);
  storeRest(response.message, message, dialect, [], "role", "content");
  storeRest(response, output, dialect, ["output"], "message");
  const hasUsage = isObject(usage);
  if (hasUsage) response.usage = decodeUsage(usage, context);
  else if (usage === undefined) storeForm(response, dialect, "usage", "none");
  decodeStopReason(wire, STOP_REASON, response, STOP_REASONS, dialect);
  const cutOffCall = findCutOffCall(response.message, response.finishReason);
  if (cutOffCall !== undefined) cutOffCall.invalid = true;
  return storeRest(response, wire, dialect, [], "output", STOP_REASON, hasUsage && "usage");
}

/** Stores as a form that the role of the message is missing or is not `assistant`. */
function storeRoleForm(wire: JsonObject, message: Pick<Message, "extra">, dialect: string): void {
  const { role } = wire;
  if (role !== "assistant") storeForm(message, dialect, "role", role ?? (role === null ? null : "none"));
}

/** Returns a wire message with only its role: `assistant`, or the role that was stored when the message was decoded. */
export function encodeRole(message: Pick<Message, "extra">, dialect: string): JsonObject {
  const { role = "assistant" } = message.extra === undefined ? {} : readForm(message, dialect);
  return role === "none" ? {} : { role };
}

export function encodeResponse(response: ModelResponse, context: EncodeContext<BedrockLoss>): Omit<Encoded, "losses"> {
  const { message, usage, finishReason } = response;
  const { pathTracker, dialect, report, repair } = context;
  const errorBody = encodeErrorResponse(response, context, ERROR_CODEC);
  if (errorBody !== undefined) return { wire: errorBody };
  const form = readForm(response, dialect);
  const residue = response.extra?.[dialect] ?? {};
  for (const field of ["id", "model"] as const) if (response[field] !== "") report.addLoss("metadata-dropped", field);
  const state = createEncodeState(context);
  state.cutOffCall = findCutOffCall(message, finishReason);
  const wireMessage: JsonObject = encodeRole(message, dialect);
  wireMessage["content"] = encodeContent(response, state);
  pathTracker.into("message", () => restoreResidue(wireMessage, message, context));
  const wire: JsonObject = { output: { message: wireMessage } };
  const hadNoStopReason = form[STOP_REASON] === "none" || residue[STOP_REASON] !== undefined;
  const isUnknown = finishReason.raw === undefined && finishReason.unified === "other";
  if (!hadNoStopReason || !isUnknown) {
    wire[STOP_REASON] = encodeStopReason(finishReason, STOP_REASONS, form[STOP_REASON] === "own", "end_turn", context);
  }
  if (usage !== undefined) wire["usage"] = pathTracker.into("usage", () => encodeUsage(usage, context));
  else if (repair && form["usage"] !== "none" && residue["usage"] === undefined) {
    report.addLoss("usage-synthesized", "usage");
    wire["usage"] = { ...NO_USAGE };
  }
  closeResponse(wire, response, context, "output");
  return { wire };
}

/** Encodes the parts of an answer as blocks; the path tracker is at the response. */
export function encodeContent({ message }: ModelResponse, state: BedrockEncodeState): JsonObject[] {
  return encodeAnswerContent(message, state.context, (parts, key) => state.encodeParts(parts, key, "answer", state));
}
