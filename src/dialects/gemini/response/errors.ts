// Decodes and encodes errors. The wire format is a google.rpc status in an `error` object, which may be in a list, with
// details about quotas and retry delays.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../../model/provider-error.ts";
import * as providerErrors from "../../kit/errors/provider-errors.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";
import type { GeminiError } from "../types.ts";

const STATUSES = new ValueMap<ProviderErrorKind, string>([
  ["invalid-request", "INVALID_ARGUMENT"],
  ["context-length", "INVALID_ARGUMENT"],
  ["content-filter", "INVALID_ARGUMENT"],
  ["authentication", "UNAUTHENTICATED"],
  ["permission", "PERMISSION_DENIED"],
  ["not-found", "NOT_FOUND"],
  ["rate-limit", "RESOURCE_EXHAUSTED"],
  ["quota", "RESOURCE_EXHAUSTED"],
  ["overloaded", "UNAVAILABLE"],
  ["server", "INTERNAL"],
  ["timeout", "DEADLINE_EXCEEDED"],
  ["network", "UNAVAILABLE"],
  ["truncated", "UNAVAILABLE"],
  ["unknown", "UNKNOWN"],
  ["invalid-request", "FAILED_PRECONDITION"],
  ["invalid-request", "OUT_OF_RANGE"],
  ["invalid-request", "ALREADY_EXISTS"],
  ["invalid-request", "UNIMPLEMENTED"],
  ["server", "DATA_LOSS"],
  ["server", "ABORTED"],
  ["timeout", "CANCELLED"],
]);

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

export function decodeError(wire: unknown, status: number | undefined): ProviderError {
  const [first]: unknown[] = Array.isArray(wire) ? wire : [wire];
  const body = isObject(first) ? first["error"] : undefined;
  const error = isObject(body) ? body : {};
  const { message: bareMessage, detail } = isObject(first) ? first : {};
  const text = [error["message"], body, wire, bareMessage, detail].find((each) => typeof each === "string");
  const message = typeof text === "string" ? text : "";
  const details = Array.isArray(error["details"]) ? error["details"].filter(isObject) : [];
  const statusCode = status ?? (typeof error["code"] === "number" ? error["code"] : undefined);
  const decoded: ProviderError = { kind: toErrorKind(error["status"], message, details, statusCode), message };
  if (statusCode !== undefined) decoded.status = statusCode;
  const delay = details.map(({ retryDelay }) => retryDelay).find((each) => typeof each === "string");
  const wait =
    typeof delay === "string" ? providerErrors.parseDuration(delay) : providerErrors.parseRetryAfter(message);
  if (wait !== undefined) decoded.retryAfterMs = wait;
  if (wire !== undefined) decoded.raw = wire;
  return decoded;
}

function toErrorKind(
  statusName: JsonValue | undefined,
  message: string,
  details: readonly JsonObject[],
  status: number | undefined,
): ProviderErrorKind {
  const kind = typeof statusName === "string" ? STATUSES.toModel(statusName) : undefined;
  if (details.some(({ reason }) => reason === "API_KEY_INVALID")) return "authentication";
  if (kind === "rate-limit") {
    // A daily quota is a "quota" error. Another quota with a retry delay is a rate limit; without a retry delay, the
    // message determines the kind.
    const quotas = JSON.stringify(details);
    if (/PerDay/.test(quotas)) return "quota";
    return details.some((each) => each["@type"] === RETRY_INFO)
      ? kind
      : (providerErrors.kindFromMessage(message) ?? kind);
  }
  const messageKind =
    kind === undefined || kind === "invalid-request" ? providerErrors.kindFromMessage(message) : undefined;
  return messageKind ?? kind ?? providerErrors.kindFromStatus(status);
}

/**
 * Encodes an error. `isInAnswer` is true if the error is a field of a response; `allowsMissingStatus` is true if Gemini
 * itself sent the error without a `status`.
 */
export function encodeError(
  error: ProviderError,
  isInAnswer = false,
  allowsMissingStatus = false,
): { status: number; wire: unknown } {
  const { kind, message, retryAfterMs } = error;
  if (
    isGeminiError(error.raw, allowsMissingStatus) &&
    providerErrors.isRawBodyCurrent(error, (raw) => decodeError(raw, error.status))
  ) {
    return { status: error.status ?? providerErrors.statusForKind(kind), wire: error.raw };
  }
  const status = isInAnswer ? (error.status ?? providerErrors.statusForKind(kind)) : providerErrors.toHttpStatus(error);
  const body: GeminiError["error"] = { code: status, message, status: STATUSES.toWire(kind) ?? "UNKNOWN" };
  if (retryAfterMs !== undefined) body.details = [{ "@type": RETRY_INFO, retryDelay: `${retryAfterMs / 1000}s` }];
  return { status, wire: { error: body } };
}

/** True if a body is Gemini's `{ error }` object or a list that begins with it. */
function isGeminiError(raw: unknown, allowsMissingStatus: boolean): boolean {
  const [first]: unknown[] = Array.isArray(raw) ? raw : [raw];
  const body = isObject(first) ? first["error"] : undefined;
  return isObject(body) && (allowsMissingStatus || (body["type"] === undefined && typeof body["status"] === "string"));
}

/** Encodes the field `error` of a failed response. */
export function encodeErrorField(error: ProviderError, allowsMissingStatus = false): JsonValue {
  const { wire } = encodeError(error, true, allowsMissingStatus);
  if (isObject(wire) && isObject(wire["error"])) return wire["error"];
  const { raw: _, ...errorWithoutRaw } = error;
  return encodeErrorField(errorWithoutRaw);
}
