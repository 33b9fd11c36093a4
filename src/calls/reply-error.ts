// Converts replies that are not an answer to provider errors. Reads the status, the body, which may not be in the
// dialect's format, and the headers about retries.
import type { Dialect } from "../dialects/index.ts";
import type { ProviderError, ProviderErrorKind } from "../model/index.ts";
import { parseJson } from "../model/index.ts";
import { isObject } from "../model/value-kind.ts";
import type { HttpReply } from "./types.ts";

type ReplyHead = Pick<HttpReply, "status" | "headers">;

/** Headers with the request id of providers and their proxies, most useful first. */
const REQUEST_ID_HEADERS = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "apim-request-id",
  "x-correlation-id",
  "cf-ray",
];

export function readRequestId(headers: HttpReply["headers"]): string | undefined {
  const name = REQUEST_ID_HEADERS.find((each) => headers[each] !== undefined && headers[each] !== "");
  return name === undefined ? undefined : headers[name];
}

function parseJsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * Error kinds by HTTP status, for statuses with a more specific meaning than "invalid-request". Used if the kind from
 * the body is vague.
 */
const KIND_BY_STATUS: Readonly<Partial<Record<number, ProviderErrorKind>>> = {
  409: "overloaded",
  410: "not-found",
  413: "context-length",
  425: "overloaded",
};
const VAGUE_KINDS: ReadonlySet<ProviderErrorKind> = new Set(["invalid-request", "unknown"]);

/** Decodes a reply with an error status or a redirect to a provider error; `text` is its body. */
export function decodeErrorReply(reply: ReplyHead, text: string, dialect: Dialect, now: number): ProviderError {
  const { status, headers } = reply;
  const error = dialect.decodeError(text === "" ? undefined : withErrorType(parseJsonOrText(text), headers), status);
  if (VAGUE_KINDS.has(error.kind)) error.kind = KIND_BY_STATUS[status] ?? error.kind;
  if (isHtml(text, headers)) error.message = `The reply is an HTML page instead of an error: ${readTitle(text)}`;
  if (error.message === "") error.message = `The reply has only the status ${status}`;
  if (status >= 300 && status < 400) {
    const location = withoutCredentials(headers["location"]);
    error.message = `The server redirects to ${location}; set that as the base URL if it is correct`;
  }
  const retryAfterMs = readRetryAfterMs(headers, now);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  const shouldRetry = readShouldRetry(headers);
  if (shouldRetry !== undefined) error.retryable = shouldRetry;
  return error;
}

/** Removes the user, password, query and fragment of a redirect's location, which may contain a key. */
function withoutCredentials(location: string | undefined): string {
  return location?.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//") ?? "another address";
}

/** Returns the body with the error type of Bedrock, which is in a header. */
function withErrorType(body: unknown, headers: HttpReply["headers"]): unknown {
  const name = headers["x-amzn-errortype"];
  return name !== undefined && isObject(body) && body["__type"] === undefined ? { __type: name, ...body } : body;
}

/**
 * Returns the wait in milliseconds that the provider requests with `retry-after-ms` or `retry-after` (seconds or a
 * date); undefined if there is neither.
 */
function readRetryAfterMs(headers: HttpReply["headers"], now: number): number | undefined {
  const milliseconds = parseNumber(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const retryAfter = headers["retry-after"];
  const seconds = parseNumber(retryAfter);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = retryAfter === undefined ? NaN : Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function readShouldRetry(headers: HttpReply["headers"]): boolean | undefined {
  const value = headers["x-should-retry"];
  return value === "true" ? true : value === "false" ? false : undefined;
}

export function isHtml(text: string, headers: HttpReply["headers"]): boolean {
  return headers["content-type"]?.includes("text/html") === true || /^\s*<(?:!doctype|html)/i.test(text);
}

const MAX_TITLE_LENGTH = 200;

/** Returns the title of an HTML page, or the beginning of its text if it has no title. */
function readTitle(page: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1] ?? page.replaceAll(/<[^>]*>/g, " ");
  const text = title.replaceAll(/\s+/g, " ").trim().slice(0, MAX_TITLE_LENGTH);
  return text === "" ? "no text" : text;
}

/** Returns the error for a reply with a success status whose body is not an answer. */
export function toUnreadableReplyError(
  text: string,
  headers: HttpReply["headers"],
  dialect: Dialect,
  cause?: unknown,
): ProviderError {
  const raw: unknown = parseJsonOrText(text);
  if (isObject(raw) && raw["error"] !== undefined) return dialect.decodeError(raw);
  const createError = (message: string, kind: ProviderErrorKind): ProviderError => ({ message, kind, raw: text });
  if (isHtml(text, headers)) {
    return createError(`The reply is an HTML page ("${readTitle(text)}"); check the base URL.`, "unknown");
  }
  if (text.trim() === "") return createError("The reply is empty.", "truncated");
  if (/^\s*[[{]/.test(text) && typeof raw === "string") {
    return createError("The reply is not valid JSON: it broke off or is damaged.", "truncated");
  }
  const why = cause instanceof Error ? `: ${cause.message}` : ".";
  return createError(`The reply is not an answer of ${dialect.title}${why}`, "server");
}
