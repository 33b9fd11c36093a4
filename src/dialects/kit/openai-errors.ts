// Errors as OpenAI and those who speak its dialects say them: `{ error: { message, type, param, code } }`, and what
// compatible servers send instead. Chat and Responses say them alike.
import { stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import { kindOfMessage, kindOfStatus, retryAfterOf, statusOfKind, stillSays } from "./provider-errors.ts";
import { Terms } from "./terms.ts";

/** What says more than a status: codes and types. The first of a kind is what is written for it. */
const WORDS = new Terms<ProviderErrorKind, string>([
  ["authentication", "invalid_api_key"],
  ["authentication", "authentication_error"],
  ["authentication", "invalid_authentication"],
  ["permission", "permission_denied"],
  ["permission", "permission_error"],
  ["permission", "unsupported_country_region_territory"],
  ["not-found", "not_found"],
  ["not-found", "not_found_error"],
  ["not-found", "model_not_found"],
  ["context-length", "context_length_exceeded"],
  ["context-length", "string_above_max_length"],
  ["content-filter", "content_filter"],
  ["content-filter", "content_policy_violation"],
  ["content-filter", "invalid_prompt"],
  ["content-filter", "bio_policy"],
  ["content-filter", "misalignment_policy_violation"],
  ["rate-limit", "rate_limit_exceeded"],
  ["rate-limit", "rate_limit_error"],
  ["rate-limit", "requests"],
  ["rate-limit", "tokens"],
  ["quota", "insufficient_quota"],
  ["quota", "billing_hard_limit_reached"],
  ["quota", "billing_not_active"],
  ["overloaded", "server_is_overloaded"],
  ["overloaded", "slow_down"],
  ["overloaded", "overloaded_error"],
  ["overloaded", "engine_overloaded_error"],
  ["overloaded", "service_unavailable"],
  ["timeout", "timeout"],
  ["timeout", "timeout_error"],
  ["server", "server_error"],
  ["server", "internal_error"],
  ["server", "internal_server_error"],
]);

/** Types that say no more than whose fault it is; a status or the message may say more. */
const VAGUE = new Terms<ProviderErrorKind, string>([
  ["invalid-request", "invalid_request_error"],
  ["server", "api_error"],
]);

function wordOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** What kind of error one is, by its code, its type, its message and its status, in that order. */
export function kindOfOpenAi({ code, type, message }: JsonObject, status?: number): ProviderErrorKind {
  const [known, vague] = [wordOf(code) ?? "", wordOf(type) ?? ""];
  const said = WORDS.ours(known) ?? WORDS.ours(vague) ?? kindOfMessage(wordOf(message) ?? "");
  if (said !== undefined) return said;
  const byStatus = kindOfStatus(status ?? (typeof code === "number" ? code : undefined));
  if (byStatus !== "unknown" && byStatus !== "invalid-request") return byStatus;
  return VAGUE.ours(vague) ?? VAGUE.ours(known) ?? byStatus;
}

/** The object that says what went wrong, wherever a server puts it. */
function bodyOf(wire: unknown): JsonObject {
  const body: unknown = Array.isArray(wire) ? wire[0] : wire;
  if (!isObject(body)) return typeof body === "string" ? { message: body } : {};
  const { error, detail } = body;
  if (isObject(error)) return error;
  if (typeof error === "string") return { ...body, message: error };
  return typeof body["message"] === "string" || typeof detail !== "string" ? body : { message: detail };
}

/** Any body: an envelope, a compatible server's, a string, or a page of HTML. */
export function decodeOpenAiError(wire: unknown, status?: number): ProviderError {
  const body = bodyOf(wire);
  const message = wordOf(body["message"]) ?? (wire === undefined ? "" : stringifyJson(wire));
  const error: ProviderError = { kind: kindOfOpenAi(body, status), message };
  if (status !== undefined) error.status = status;
  const retryAfterMs = retryAfterOf(message);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  if (wire !== undefined) error.raw = wire;
  return error;
}

/** What clients switch on: a type, and a code where there is one that says more. */
export function openAiWords(kind: ProviderErrorKind): { type: string; code: string | null } {
  const status = statusOfKind(kind);
  const code = kind === "server" ? null : (WORDS.theirs(kind) ?? null);
  if (kind === "quota") return { type: "insufficient_quota", code };
  if (kind === "rate-limit") return { type: "rate_limit_error", code };
  return { type: status < 500 ? "invalid_request_error" : "server_error", code };
}

/** The body as it came, if it still says what the error says; else a new envelope. */
export function encodeOpenAiError(error: ProviderError): { status: number; wire: unknown } {
  const status = error.status ?? statusOfKind(error.kind);
  if (stillSays(error, (raw) => decodeOpenAiError(raw, error.status))) return { status, wire: error.raw };
  const { type, code } = openAiWords(error.kind);
  return { status, wire: { error: { message: error.message, type, param: null, code } } };
}
