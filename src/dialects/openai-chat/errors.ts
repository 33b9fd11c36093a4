// Error bodies: OpenAI's envelope, and what other vendors make of it.
import type { JsonValue } from "../../model/json.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import type { Response } from "../../model/response.ts";
import type { DecodeContext } from "../dialect.ts";
import { kindOfMessage, kindOfStatus, retryAfterOf, statusOfKind, stillSays } from "../kit/provider-errors.ts";
import { isObject } from "../kit/read.ts";
import { Terms } from "../kit/terms.ts";
import type { ChatError } from "./types.ts";
import type { Writing } from "./writing.ts";

/** Types and codes that say what went wrong; of several with one kind, the first is the one to write. */
const WORDS = new Terms<ProviderErrorKind, string>(
  (
    [
      ["authentication", "invalid_api_key authentication_error invalid_authentication_error unauthorized"],
      [
        "permission",
        "permission_denied permission_error request_forbidden unsupported_country_region_territory account_deactivated",
      ],
      ["not-found", "not_found model_not_found not_found_error deploymentnotfound"],
      ["context-length", "context_length_exceeded"],
      ["content-filter", "content_filter content_policy_violation responsibleaipolicyviolation"],
      ["rate-limit", "rate_limit_exceeded rate_limit_error rate_limit_reached_error requests tokens"],
      ["quota", "insufficient_quota billing_hard_limit_reached exceeded_current_quota_error insufficient_balance"],
      ["overloaded", "overloaded overloaded_error engine_overloaded_error service_unavailable slow_down"],
      ["timeout", "timeout request_timeout"],
      ["server", "server_error internal_error internal_server_error api_error"],
      ["invalid-request", "invalid_request_error"],
    ] as const
  ).flatMap(([kind, words]) => words.split(" ").map((word) => [kind, word] as const)),
);

/** Types that are said of many things: what is more precise is looked for first. */
const VAGUE: ReadonlySet<ProviderErrorKind> = new Set(["invalid-request", "server"]);

function wordKind(word: unknown): ProviderErrorKind | undefined {
  return typeof word === "string" ? WORDS.ours(word.toLowerCase()) : undefined;
}

export function decodeError(wire: unknown, _: DecodeContext, status: number | undefined): ProviderError {
  return readError(wire, status);
}

function readError(wire: unknown, status: number | undefined): ProviderError {
  const body = Array.isArray(wire) && wire.length === 1 ? (wire[0] as unknown) : wire;
  const inner = isObject(body) && isObject(body["error"]) ? body["error"] : body;
  const message = messageOf(inner);
  const error: ProviderError = { kind: "unknown", message };
  const { code, type } = isObject(inner) ? inner : {};
  const said = status ?? statusOf(code, message);
  const words = [wordKind(code), wordKind(type)];
  const precise = words.find((kind) => kind !== undefined && !VAGUE.has(kind));
  const byStatus = kindOfStatus(said);
  const vague = words.find((kind) => kind !== undefined);
  const isPlain = byStatus === "unknown" || VAGUE.has(byStatus);
  error.kind = precise ?? kindOfMessage(message) ?? (isPlain ? (vague ?? byStatus) : byStatus);
  if (said !== undefined) error.status = said;
  const retryAfterMs = retryAfterOf(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  if (wire !== undefined) error.raw = wire;
  return error;
}

/** A status among the words: some vendors have it as the code, and SDKs put it before the text. */
function statusOf(code: unknown, message: string): number | undefined {
  const said = typeof code === "number" ? code : Number(/^(?:Error: )?([45]\d\d)\b/.exec(message)?.[1]);
  return Number.isInteger(said) && said >= 400 && said < 600 ? said : undefined;
}

/** What went wrong, in whatever field a vendor says it. */
function messageOf(body: unknown): string {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return body.map(messageOf).filter(Boolean).join("; ");
  if (!isObject(body)) return "";
  for (const field of ["message", "error", "detail", "msg", "error_description"]) {
    const found = messageOf(body[field]);
    if (found !== "") return found;
  }
  return "";
}

/** Reads the error in a body that is an answer, too; false where there is none. */
export function decodeErrorField(value: JsonValue | undefined, response: Response): boolean {
  if (!isObject(value)) return false;
  response.error = readError({ error: value }, undefined);
  if (response.finishReason.raw === undefined) response.finishReason = { unified: "error" };
  return true;
}

/** The error of an answer; what its words do not say is reported. */
export function encodeErrorField(error: ProviderError, { context }: Writing): JsonValue {
  const { wire } = encodeError(error);
  const said = isObject(wire) && wire["error"] !== undefined ? wire["error"] : envelope(error).error;
  const again = readError({ error: said }, undefined);
  for (const field of ["status", "retryAfterMs", "retryable"] as const) {
    const value = error[field];
    if (value !== undefined && value !== again[field]) context.report.lose("field-unsaid", ["error", field]);
  }
  return said;
}

export function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const status = error.status ?? statusOfKind(error.kind);
  const isOwn = stillSays(error, (raw) => readError(raw, error.status));
  return { status, wire: isOwn ? error.raw : envelope(error) };
}

/** Kinds that have a type of their own. */
const TYPES: Readonly<Partial<Record<ProviderErrorKind, string>>> = {
  "rate-limit": "rate_limit_error",
  quota: "insufficient_quota",
};

function envelope({ kind, message }: ProviderError): ChatError {
  const type = TYPES[kind] ?? (statusOfKind(kind) < 500 ? "invalid_request_error" : "server_error");
  return { error: { message, type, param: null, code: VAGUE.has(kind) ? null : (WORDS.theirs(kind) ?? null) } };
}
