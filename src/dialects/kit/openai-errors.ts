// Errors as OpenAI and those who speak its dialects say them: `{ error: { message, type, param, code } }`, and what
// compatible servers send instead. Chat and Responses say them alike.
import type { JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";
import {
  fittingStatus,
  kindOfMessage,
  kindOfStatus,
  retryAfterOf,
  statusOfKind,
  stillSays,
} from "./provider-errors.ts";
import { Terms } from "./terms.ts";

/** Types and codes that say what went wrong; of several with one kind, the first is the one to write. */
const WORDS = new Terms<ProviderErrorKind, string>(
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
  ).flatMap(([kind, words]) => words.split(" ").map((word) => [kind, word] as const)),
);

/** Kinds that are said of many things: what is more precise is looked for first. */
const VAGUE: ReadonlySet<ProviderErrorKind> = new Set(["invalid-request", "server"]);

function wordKind(word: unknown): ProviderErrorKind | undefined {
  return typeof word === "string" ? WORDS.ours(word.toLowerCase()) : undefined;
}

/** What kind of error one is: by a precise word, by its message, by its status, by a vague word. */
export function kindOfOpenAi({ code, type }: JsonObject, message: string, status?: number): ProviderErrorKind {
  const words = [wordKind(code), wordKind(type)];
  const precise = words.find((kind) => kind !== undefined && !VAGUE.has(kind));
  const byStatus = kindOfStatus(status);
  const isPlain = byStatus === "unknown" || VAGUE.has(byStatus);
  const vague = words.find((kind) => kind !== undefined);
  return precise ?? kindOfMessage(message) ?? (isPlain ? (vague ?? byStatus) : byStatus);
}

/** Any body: an envelope, a compatible server's, a string, or a page of HTML. */
export function decodeOpenAiError(wire: unknown, status?: number): ProviderError {
  const body: unknown = Array.isArray(wire) && wire.length === 1 ? wire[0] : wire;
  const inner = isObject(body) && isObject(body["error"]) ? body["error"] : body;
  const message = messageOf(inner, 0);
  const words = isObject(inner) ? inner : {};
  const said = status ?? statusOf(words["code"], message);
  const error: ProviderError = { kind: kindOfOpenAi(words, message, said), message };
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

/** Deeper than this nobody hides a message. */
const DEEPEST = 8;

/** What went wrong, in whatever field a vendor says it. */
function messageOf(body: unknown, depth: number): string {
  if (typeof body === "string") return body;
  if (depth > DEEPEST) return "";
  if (Array.isArray(body))
    return body
      .map((each) => messageOf(each, depth + 1))
      .filter(Boolean)
      .join("; ");
  if (!isObject(body)) return "";
  for (const field of ["message", "error", "errors", "detail", "msg", "error_description"]) {
    const found = messageOf(body[field], depth + 1);
    if (found !== "") return found;
  }
  return "";
}

/** What clients switch on: a type, and a code where there is one that says more. */
function openAiWords(kind: ProviderErrorKind): { type: string; code: string | null } {
  const code = VAGUE.has(kind) ? null : (WORDS.theirs(kind) ?? null);
  if (kind === "quota") return { type: "insufficient_quota", code };
  if (kind === "rate-limit") return { type: "rate_limit_error", code };
  return { type: statusOfKind(kind) < 500 ? "invalid_request_error" : "server_error", code };
}

/** Whether a body may be this dialect's: neither a mere text nor one of the envelopes that others have. */
function isOurs(raw: unknown): boolean {
  const [body]: unknown[] = Array.isArray(raw) ? raw : [raw];
  if (!isObject(body)) return false;
  const { error } = body;
  return !isObject(error) || (body["type"] === undefined && typeof error["status"] !== "string");
}

/** The body as it came, if it still says what the error says; else a new envelope. */
export function encodeOpenAiError(error: ProviderError): { status: number; wire: unknown } {
  const isOwn = isOurs(error.raw) && stillSays(error, (raw) => decodeOpenAiError(raw, error.status));
  if (isOwn) return { status: error.status ?? statusOfKind(error.kind), wire: error.raw };
  const { type, code } = openAiWords(error.kind);
  return { status: fittingStatus(error), wire: { error: { message: error.message, type, param: null, code } } };
}
