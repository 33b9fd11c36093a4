// Converts the response data that both block dialects represent in the same way: stop reason, supported fields,
// content.
import type { FinishReason, UnifiedFinishReason } from "../../model/finish-reason.ts";
import type { JsonObject } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext } from "../dialect.ts";
import type { ValueMap } from "../kit/fields/value-map.ts";
import { reportMessageFields } from "../kit/history/user-assistant-turns.ts";
import { restoreResidue, storeForm } from "../kit/residue/residue.ts";
import { reportNotPortableResponse } from "../kit/residue/response-residue.ts";
import { reportUnknownEvents } from "../kit/residue/unknown-events.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { storeField } from "./fields.ts";
import type { BlockLoss } from "./losses.ts";

type StopReasons = ValueMap<UnifiedFinishReason, string>;

/** Decodes the stop reason in the field `key`; an unknown stop reason becomes `other` with the form `own` (B62). */
export function decodeStopReason(
  wire: JsonObject,
  key: string,
  response: Pick<ModelResponse, "finishReason" | "extra">,
  stopReasons: StopReasons,
  dialect: string,
): void {
  const raw = wire[key];
  if (typeof raw !== "string") {
    if (raw === undefined) storeForm(response, dialect, key, "none");
    else storeField(response, wire, key, dialect);
    return;
  }
  const unified = stopReasons.toModel(raw);
  response.finishReason = { unified: unified ?? "other", raw };
  if (unified === undefined) storeForm(response, dialect, key, "own");
}

/**
 * Returns the stop reason for a finish reason: the raw value if it still stands for the unified reason, else the
 * nearest value, else `fallback`. If `isOwn` is true, an unknown raw value comes from this dialect and stands for
 * `other`.
 */
export function encodeStopReason<Fallback extends string | null>(
  { unified, raw }: FinishReason,
  stopReasons: StopReasons,
  isOwn: boolean,
  fallback: Fallback,
  { report }: EncodeContext<BlockLoss>,
): string | Fallback {
  const isRawValid = raw !== undefined && (stopReasons.toModel(raw) ?? (isOwn ? "other" : undefined)) === unified;
  const stopReason: string | Fallback = isRawValid ? raw : (stopReasons.toWire(unified) ?? fallback);
  if (raw !== undefined && !isRawValid) report.addLoss("raw-finish-reason-dropped", ["finishReason", "raw"]);
  const isExact =
    stopReason === null
      ? raw === undefined && unified === "other"
      : isRawValid || stopReasons.toModel(stopReason) === unified;
  if (!isExact) report.addLoss("finish-reason-approximated", ["finishReason", "unified"]);
  return stopReason;
}

/** Response fields that both block dialects support. */
const RESPONSE_FIELDS: ReadonlySet<string> = new Set(["id", "model", "message", "finishReason", "usage", "extra"]);
/** Loss codes of the response fields that neither block dialect supports. */
const UNSUPPORTED_RESPONSE_FIELDS: Readonly<Partial<Record<string, BlockLoss>>> = {
  createdAt: "metadata-dropped",
  error: "failure-unsupported",
};

/**
 * Restores the residue of a response to `wire`, also to the nested object that the parameter `inner` names, and reports
 * the fields of the response that were not encoded.
 */
export function closeResponse(
  wire: JsonObject,
  response: ModelResponse,
  context: EncodeContext<BlockLoss>,
  inner?: string,
): void {
  restoreResidue(wire, response, context, inner);
  reportUnknownEvents(response, context);
  reportNotPortableResponse(response, context);
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsupported", UNSUPPORTED_RESPONSE_FIELDS);
}

/** Encodes the message of a response as blocks; the path tracker is at the response. */
export function encodeAnswerContent(
  message: Message,
  context: EncodeContext<BlockLoss>,
  encodeParts: (parts: readonly Part[], key: string) => JsonObject[],
): JsonObject[] {
  return context.pathTracker.into("message", () => {
    reportMessageFields(message, context);
    return encodeParts(message.parts, "parts");
  });
}
