// Builds provider errors, and converts error bodies that arrive in place of a response.
import type { JsonObject } from "../../model/json/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext } from "../dialect.ts";
import { kindFromMessage, kindFromStatus, parseRetryAfter } from "../kit/errors/provider-errors.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { reportMessageFields } from "../kit/history/user-assistant-turns.ts";
import { readForm, restoreResidue, storeForm } from "../kit/residue/residue.ts";
import { reportUnsupportedFields } from "../kit/residue/unsent-fields.ts";
import { reportNotPortableResponse } from "../kit/residue/response-residue.ts";
import type { BlockLoss } from "./losses.ts";

/**
 * Builds a provider error. If the kind is unknown or `invalid-request`, the message determines the kind, because both
 * providers report a prompt that is too long as an invalid request and give the reason only in the message.
 */
export function buildProviderError(
  wire: unknown,
  status: number | undefined,
  wireMessage: string | undefined,
  kind: ProviderErrorKind | undefined,
): ProviderError {
  const message = wireMessage ?? (wire === undefined ? "" : stringifyJson(wire));
  const isVague = kind === undefined || kind === "invalid-request";
  const error: ProviderError = {
    kind: (isVague ? kindFromMessage(message) : undefined) ?? kind ?? kindFromStatus(status),
    message,
    raw: wire,
  };
  if (status !== undefined) error.status = status;
  const retryAfterMs = parseRetryAfter(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  return error;
}

/** The functions of one dialect that decode and encode errors. */
export interface ErrorCodec {
  readError(wire: unknown): ProviderError;
  encodeError(error: ProviderError): { wire: unknown };
  /** The loss code for the response's `id` and `model`, which an error body does not have. */
  readonly idLoss: "field-unsupported" | "metadata-dropped";
  /**
   * Error kinds that describe only the connection to the provider. If an error body cannot express such a kind, no
   * content is lost, so the loss is reported as `metadata-dropped`.
   */
  readonly connectionKinds: ReadonlySet<string>;
}

const BODY_FORM = "body";

/** Returns a response without content that failed with `error`, and stores that it was decoded from an error body. */
export function buildErrorResponse(error: ProviderError, dialect: string): ModelResponse {
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts: [] },
    finishReason: { unified: "error" },
    error,
  };
  storeForm(response, dialect, BODY_FORM, "error");
  return response;
}

const ERROR_RESPONSE_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "model",
  "message",
  "finishReason",
  "error",
  "extra",
]);
const UNSUPPORTED_FIELDS: Readonly<Partial<Record<string, BlockLoss>>> = { createdAt: "metadata-dropped" };

/**
 * Encodes a response that was decoded from an error body as an error body. Undefined for every other response, and if
 * content was added since.
 */
export function encodeErrorResponse(
  response: ModelResponse,
  context: EncodeContext<BlockLoss>,
  codec: ErrorCodec,
): JsonObject | undefined {
  const { message, error, finishReason } = response;
  const { dialect, report } = context;
  if (response.extra === undefined || readForm(response, dialect)[BODY_FORM] !== "error") return undefined;
  if (error === undefined || message.parts.length > 0) {
    report.addLoss("form-stale", ["extra", dialect, "$form", BODY_FORM]);
    return undefined;
  }
  const { wire } = codec.encodeError(error);
  reportErrorFields(error, wire, context, codec);
  for (const field of ["id", "model"] as const) if (response[field] !== "") report.addLoss(codec.idLoss, field);
  if (finishReason.unified !== "error") report.addLoss("finish-reason-approximated", ["finishReason", "unified"]);
  if (finishReason.raw !== undefined) report.addLoss("raw-finish-reason-dropped", ["finishReason", "raw"]);
  context.pathTracker.into("message", () => reportMessageFields(message, context));
  const body: JsonObject = isObject(wire) ? { ...wire } : {};
  restoreResidue(body, response, context);
  reportNotPortableResponse(response, context);
  reportUnsupportedFields(response, ERROR_RESPONSE_FIELDS, context, "field-unsupported", UNSUPPORTED_FIELDS);
  return body;
}

/** Reports the fields of an error that a client cannot decode from the error body `wire`. */
export function reportErrorFields(
  error: ProviderError,
  wire: unknown,
  { report }: EncodeContext<BlockLoss>,
  codec: ErrorCodec,
): void {
  const decoded = codec.readError(wire);
  for (const field of ["kind", "status", "retryAfterMs", "retryable"] as const) {
    if (error[field] === undefined || error[field] === decoded[field]) continue;
    const isNote = field === "kind" && codec.connectionKinds.has(error.kind);
    report.addLoss(isNote ? "metadata-dropped" : "field-unsupported", ["error", field]);
  }
}
