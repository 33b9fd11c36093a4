// One taxonomy of errors: what providers have in common in saying that something went wrong.
import { sameJson } from "../../model/json.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/provider-error.ts";

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

/** What a status alone says. */
export function kindOfStatus(status: number | undefined): ProviderErrorKind {
  if (status === undefined) return "unknown";
  const kind = KINDS.get(status);
  if (kind !== undefined) return kind;
  if (status >= 500) return "server";
  return status >= 400 ? "invalid-request" : "unknown";
}

/** The status of an error; another dialect's may say another kind than this one's. */
export function fittingStatus({ status, kind }: ProviderError): number {
  return status !== undefined && kindOfStatus(status) === kind ? status : statusOfKind(kind);
}

/** The status that says a kind. */
export function statusOfKind(kind: ProviderErrorKind): number {
  return STATUSES.get(kind) ?? 500;
}

const TOO_LONG =
  /context.?length|(?:maximum|exceeds?|beyond|over|too (?:long|large)|larger)[^\n]{0,80}context (?:window|limit)|maximum context|too many (?:input )?tokens|(?:prompt|input|request) is too long|exceeds the maximum number of tokens|token count [^\n]{0,80}exceeds/i;
const NO_MONEY =
  /insufficient.?(?:quota|funds|balance|credits?)|exceeded your current quota|credit balance|(?:used all|out of|no) (?:available )?credits|billing (?:hard limit|is not active)/i;
const FILTERED =
  /content.?filter(?:ing policy|ed| policy)|content management policy|flagged by (?:our )?moderation|requires moderation/i;

/** What an error's own words say that its type does not: too long, or no money left. */
export function kindOfMessage(message: string): ProviderErrorKind | undefined {
  if (TOO_LONG.test(message)) return "context-length";
  if (FILTERED.test(message)) return "content-filter";
  return NO_MONEY.test(message) ? "quota" : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** When to try again, where a text says so: "try again in 6m0.5s", "retry in 34.2s", "retry after 26 seconds". */
export function retryAfterOf(text: string): number | undefined {
  const said =
    /(?:try again|retry)(?: after| in)? (\d[\d.]*(?:ms|s|m|h)(?:\d[\d.]*(?:ms|s|m|h))*|\d+(?= seconds?\b))/i.exec(
      text,
    )?.[1];
  if (said === undefined) return undefined;
  return /^\d+$/.test(said) ? Number(said) * 1000 : durationOf(said);
}

/** Milliseconds of a duration such as "34s" or "6m0.5s". */
export function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return Math.round(sum);
}

/** Whether the body as it came still says what the error says: then it can go back as it is. */
export function stillSays(error: ProviderError, decode: (raw: unknown) => ProviderError): boolean {
  if (error.raw === undefined) return false;
  let again: ProviderError;
  try {
    again = decode(error.raw);
  } catch {
    // Another dialect's body, or no body at all.
    return false;
  }
  return again.kind === error.kind && again.message === error.message && sameJson(again.raw, error.raw);
}
