// Errors: google.rpc statuses in an envelope, alone or in a list, with details that tell quotas and waiting times.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import {
  durationOf,
  fittingStatus,
  kindOfMessage,
  kindOfStatus,
  retryAfterOf,
  statusOfKind,
  stillSays,
} from "../kit/provider-errors.ts";
import { isObject } from "../kit/read.ts";
import { Terms } from "../kit/terms.ts";
import type { GeminiError } from "./types.ts";

const STATUSES = new Terms<ProviderErrorKind, string>([
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
  const { message: bare, detail } = isObject(first) ? first : {};
  const text = [error["message"], body, wire, bare, detail].find((each) => typeof each === "string");
  const message = typeof text === "string" ? text : "";
  const details = Array.isArray(error["details"]) ? error["details"].filter(isObject) : [];
  const said = status ?? (typeof error["code"] === "number" ? error["code"] : undefined);
  const decoded: ProviderError = { kind: kindOf(error["status"], message, details, said), message };
  if (said !== undefined) decoded.status = said;
  const delay = details.map(({ retryDelay }) => retryDelay).find((each) => typeof each === "string");
  const wait = typeof delay === "string" ? durationOf(delay) : retryAfterOf(message);
  if (wait !== undefined) decoded.retryAfterMs = wait;
  if (wire !== undefined) decoded.raw = wire;
  return decoded;
}

function kindOf(
  word: JsonValue | undefined,
  message: string,
  details: readonly JsonObject[],
  status: number | undefined,
): ProviderErrorKind {
  const kind = typeof word === "string" ? STATUSES.ours(word) : undefined;
  if (details.some(({ reason }) => reason === "API_KEY_INVALID")) return "authentication";
  if (kind === "rate-limit") {
    // Per minute it is a matter of waiting, per day or without a time to wait of paying.
    const quotas = JSON.stringify(details);
    if (/PerDay/.test(quotas)) return "quota";
    return details.some((each) => each["@type"] === RETRY_INFO) ? kind : (kindOfMessage(message) ?? kind);
  }
  const told = kind === undefined || kind === "invalid-request" ? kindOfMessage(message) : undefined;
  return told ?? kind ?? kindOfStatus(status);
}

/** `isAnswer`: the error stands in an answer; `isOdd`: and came in this dialect's, though it does not look so. */
export function encodeError(error: ProviderError, isAnswer = false, isOdd = false): { status: number; wire: unknown } {
  const { kind, message, retryAfterMs } = error;
  if (isOurs(error.raw, isOdd) && stillSays(error, (raw) => decodeError(raw, error.status))) {
    return { status: error.status ?? statusOfKind(kind), wire: error.raw };
  }
  const status = isAnswer ? (error.status ?? statusOfKind(kind)) : fittingStatus(error);
  const body: GeminiError["error"] = { code: status, message, status: STATUSES.theirs(kind) ?? "UNKNOWN" };
  if (retryAfterMs !== undefined) body.details = [{ "@type": RETRY_INFO, retryDelay: `${retryAfterMs / 1000}s` }];
  return { status, wire: { error: body } };
}

/** Whether a body has this dialect's envelope, alone or in a list. */
function isOurs(raw: unknown, isOdd: boolean): boolean {
  const [first]: unknown[] = Array.isArray(raw) ? raw : [raw];
  const body = isObject(first) ? first["error"] : undefined;
  return isObject(body) && (isOdd || (body["type"] === undefined && typeof body["status"] === "string"));
}

/** What stands in the field `error` of an answer that failed. */
export function encodeBody(error: ProviderError, isOdd = false): JsonValue {
  const { wire } = encodeError(error, true, isOdd);
  if (isObject(wire) && isObject(wire["error"])) return wire["error"];
  const { raw: _, ...bare } = error;
  return encodeBody(bare);
}
