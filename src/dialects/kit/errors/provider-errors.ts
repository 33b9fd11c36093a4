// Determines the kind of a provider error from its HTTP status or message, and the status for a kind. The dialects of
// all providers use these rules.
import { sameJson } from "../../../model/json/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../../model/provider-error.ts";

const STATUSES = new Map<ProviderErrorKind, number>([
  ["authentication", 401],
  ["permission", 403],
  ["not-found", 404],
  ["invalid-request", 400],
  ["context-length", 400],
  ["content-filter", 400],
  ["rate-limit", 429],
  ["quota", 429],
  ["overloaded", 503],
  ["server", 500],
  ["timeout", 504],
  ["network", 502],
  ["truncated", 502],
  ["unknown", 500],
]);

const KINDS = new Map<number, ProviderErrorKind>([
  [401, "authentication"],
  [402, "quota"],
  [403, "permission"],
  [404, "not-found"],
  [408, "timeout"],
  [413, "invalid-request"],
  [429, "rate-limit"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
]);

/** Returns the kind of an error of which only the status is known. */
export function kindFromStatus(status: number | undefined): ProviderErrorKind {
  if (status === undefined) return "unknown";
  const kind = KINDS.get(status);
  if (kind !== undefined) return kind;
  if (status >= 500) return "server";
  return status >= 400 ? "invalid-request" : "unknown";
}

/**
 * Returns the HTTP status of an error. If the error has no status, or its status implies a different kind, returns the
 * usual status of its kind.
 */
export function toHttpStatus({ status, kind }: ProviderError): number {
  return status !== undefined && kindFromStatus(status) === kind ? status : statusForKind(kind);
}

/** Returns the usual HTTP status of a kind of error. */
export function statusForKind(kind: ProviderErrorKind): number {
  return STATUSES.get(kind) ?? 500;
}

const TOO_LONG =
  /context.?length|(?:maximum|exceeds?|beyond|over|too (?:long|large)|larger)[^\n]{0,80}context (?:window|limit)|maximum context|too many (?:input )?tokens|(?:prompt|input|request) is too long|exceeds the maximum number of tokens|token count [^\n]{0,80}exceeds/i;
const NO_CREDIT =
  /insufficient.?(?:quota|funds|balance|credits?)|exceeded your current quota|credit balance|(?:used all|out of|no) (?:available )?credits|billing (?:hard limit|is not active)/i;
const FILTERED =
  /content.?filter(?:ing policy|ed| policy)|content management policy|flagged by (?:our )?moderation|requires moderation/i;

/**
 * Returns "context-length", "content-filter" or "quota" if the message of an error has a typical phrase of that kind,
 * else undefined. Providers often report these kinds with a generic error type.
 */
export function kindFromMessage(message: string): ProviderErrorKind | undefined {
  if (TOO_LONG.test(message)) return "context-length";
  if (FILTERED.test(message)) return "content-filter";
  return NO_CREDIT.test(message) ? "quota" : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns the delay, in milliseconds, that a message such as "try again in 6m0.5s" or "retry after 26 seconds"
 * contains; undefined if it contains no delay.
 */
export function parseRetryAfter(message: string): number | undefined {
  const delay =
    /(?:try again|retry)(?: after| in)? (\d[\d.]*(?:ms|s|m|h)(?:\d[\d.]*(?:ms|s|m|h))*|\d+(?= seconds?\b))/i.exec(
      message,
    )?.[1];
  if (delay === undefined) return undefined;
  return /^\d+$/.test(delay) ? Number(delay) * 1000 : parseDuration(delay);
}

/** Returns a duration such as "34s" or "6m0.5s" in milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return Math.round(sum);
}

/**
 * True if decoding the raw body of an error gives the same kind and message, so the error was not edited. The raw body
 * can then be sent unchanged.
 */
export function isRawBodyCurrent(error: ProviderError, decode: (raw: unknown) => ProviderError): boolean {
  if (error.raw === undefined) return false;
  let decoded: ProviderError;
  try {
    decoded = decode(error.raw);
  } catch {
    // `decode` throws if the body is not an error body of its dialect.
    return false;
  }
  return decoded.kind === error.kind && decoded.message === error.message && sameJson(decoded.raw, error.raw);
}
