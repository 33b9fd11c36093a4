// Decodes and encodes errors of OpenAI's APIs, `{ error: { message, type, param, code } }`, and the bodies that
// compatible servers send instead. Chat and Responses use the same format.
import type { JsonObject } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import {
  toHttpStatus,
  kindFromMessage,
  kindFromStatus,
  parseRetryAfter,
  statusForKind,
  isRawBodyCurrent,
} from "../kit/errors/provider-errors.ts";
import { ValueMap } from "../kit/fields/value-map.ts";

/** Values of `type` and `code` for each kind of error. The first value of a kind is used for encoding. */
const ERROR_CODES = new ValueMap<ProviderErrorKind, string>(
  (
    [
      [
        "authentication",
        "invalid_api_key authentication_error invalid_authentication invalid_authentication_error unauthorized",
      ],
      [
        "permission",
        "permission_denied permission_error request_forbidden unsupported_country_region_territory account_deactivated",
      ],
      ["not-found", "not_found model_not_found not_found_error deploymentnotfound"],
      ["context-length", "context_length_exceeded"],
      [
        "content-filter",
        "content_filter content_policy_violation responsibleaipolicyviolation image_content_policy_violation bio_policy misalignment_policy_violation",
      ],
      ["rate-limit", "rate_limit_exceeded rate_limit_error rate_limit_reached_error requests tokens"],
      [
        "quota",
        "insufficient_quota billing_hard_limit_reached billing_not_active exceeded_current_quota_error insufficient_balance",
      ],
      [
        "overloaded",
        "overloaded overloaded_error engine_overloaded_error server_is_overloaded service_unavailable slow_down",
      ],
      ["timeout", "timeout timeout_error request_timeout vector_store_timeout"],
      ["server", "server_error internal_error internal_server_error api_error"],
      ["invalid-request", "invalid_request_error invalid_prompt invalid_image"],
    ] as const
  ).flatMap(([kind, codes]) => codes.split(" ").map((code) => [kind, code] as const)),
);

/** Generic kinds of errors. A more specific kind that the message or the HTTP status indicates takes precedence. */
const GENERIC_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["invalid-request", "server"]);

function readKind(code: unknown): ProviderErrorKind | undefined {
  return typeof code === "string" ? ERROR_CODES.toModel(code.toLowerCase()) : undefined;
}

/**
 * Returns the kind of an error, from a specific code or type, or else the message, or else the status, or else a
 * generic code.
 */
export function classifyOpenAiError({ code, type }: JsonObject, message: string, status?: number): ProviderErrorKind {
  const kinds = [readKind(code), readKind(type)];
  const precise = kinds.find((kind) => kind !== undefined && !GENERIC_KINDS.has(kind));
  const byStatus = kindFromStatus(status);
  const isPlain = byStatus === "unknown" || GENERIC_KINDS.has(byStatus);
  const vague = kinds.find((kind) => kind !== undefined);
  return precise ?? kindFromMessage(message) ?? (isPlain ? (vague ?? byStatus) : byStatus);
}

/** Decodes any error body: an envelope, a vendor's own object, a string or an HTML page. */
export function decodeOpenAiError(wire: unknown, status?: number): ProviderError {
  const body: unknown = Array.isArray(wire) && wire.length === 1 ? wire[0] : wire;
  const inner = isObject(body) && isObject(body["error"]) ? body["error"] : body;
  const message = findMessage(inner, 0);
  const fields = isObject(inner) ? inner : {};
  const knownStatus = status ?? findStatus(fields["code"], message);
  const error: ProviderError = { kind: classifyOpenAiError(fields, message, knownStatus), message };
  if (knownStatus !== undefined) error.status = knownStatus;
  const retryAfterMs = parseRetryAfter(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  if (wire !== undefined) error.raw = wire;
  return error;
}

/**
 * Returns the HTTP status that an error contains: some vendors send it as the code, and SDKs put it before the message.
 * Returns undefined if there is none.
 */
function findStatus(code: unknown, message: string): number | undefined {
  const status = typeof code === "number" ? code : Number(/^(?:Error: )?([45]\d\d)\b/.exec(message)?.[1]);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/**
 * The maximal depth at which an error body is searched for its message. Real bodies have it at most a few levels deep.
 */
const MAX_DEPTH = 8;

/** Returns the message from the first of the fields that vendors use for it; an empty string if there is none. */
function findMessage(body: unknown, depth: number): string {
  if (typeof body === "string") return body;
  if (depth > MAX_DEPTH) return "";
  if (Array.isArray(body))
    return body
      .map((each) => findMessage(each, depth + 1))
      .filter(Boolean)
      .join("; ");
  if (!isObject(body)) return "";
  for (const field of ["message", "error", "errors", "detail", "msg", "error_description"]) {
    const message = findMessage(body[field], depth + 1);
    if (message !== "") return message;
  }
  return "";
}

/** Returns the `type` and `code` that clients compare. `code` is null for a generic kind. */
function encodeKind(kind: ProviderErrorKind): { type: string; code: string | null } {
  const code = GENERIC_KINDS.has(kind) ? null : (ERROR_CODES.toWire(kind) ?? null);
  if (kind === "quota") return { type: "insufficient_quota", code };
  if (kind === "rate-limit") return { type: "rate_limit_error", code };
  return { type: statusForKind(kind) < 500 ? "invalid_request_error" : "server_error", code };
}

/** True if a body can come from OpenAI: an object without the fields that mark an Anthropic or Gemini error. */
function isOpenAiBody(raw: unknown): boolean {
  const [body]: unknown[] = Array.isArray(raw) ? raw : [raw];
  if (!isObject(body)) return false;
  const { error } = body;
  return !isObject(error) || (body["type"] === undefined && typeof error["status"] !== "string");
}

/**
 * Returns the HTTP status and the body of an error: the original body if it still decodes to the same error, otherwise
 * a new error object.
 */
export function encodeOpenAiError(error: ProviderError): { status: number; wire: unknown } {
  const canReuseBody =
    isOpenAiBody(error.raw) && isRawBodyCurrent(error, (raw) => decodeOpenAiError(raw, error.status));
  if (canReuseBody) return { status: error.status ?? statusForKind(error.kind), wire: error.raw };
  const { type, code } = encodeKind(error.kind);
  return { status: toHttpStatus(error), wire: { error: { message: error.message, type, param: null, code } } };
}
