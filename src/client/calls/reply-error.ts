// What a reply that is no answer means: its status, its body in the dialect's words or in nobody's, and the headers that
// say when to come back.
import type { Dialect } from "../../dialects/index.ts";
import type { ProviderError, ProviderErrorKind } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { parseJson } from "../../model/index.ts";
import type { HttpReply } from "../types.ts";

type Head = Pick<HttpReply, "status" | "headers">;

/** Where providers and what stands before them write down the id of an exchange, the better ones first. */
const REQUEST_IDS = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "apim-request-id",
  "x-correlation-id",
  "cf-ray",
];

export function requestIdOf(headers: HttpReply["headers"]): string | undefined {
  const name = REQUEST_IDS.find((each) => headers[each] !== undefined && headers[each] !== "");
  return name === undefined ? undefined : headers[name];
}

/** A body as JSON where it is some, else its text. */
function looseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Statuses that say more than that the request is wrong, where the body has no better word. */
const KINDS: Readonly<Partial<Record<number, ProviderErrorKind>>> = {
  409: "overloaded",
  410: "not-found",
  413: "context-length",
  425: "overloaded",
};
const VAGUE: ReadonlySet<ProviderErrorKind> = new Set(["invalid-request", "unknown"]);

/** A reply with a status that says that it failed. */
export function refusalOf(reply: Head, text: string, dialect: Dialect, now: number): ProviderError {
  const { status, headers } = reply;
  const error = dialect.decodeError(text === "" ? undefined : namedBody(looseJson(text), headers), status);
  if (VAGUE.has(error.kind)) error.kind = KINDS[status] ?? error.kind;
  if (isHtml(text, headers)) error.message = `A page instead of an error: ${titleOf(text)}`;
  if (error.message === "") error.message = `It said nothing but the status ${status}`;
  if (status >= 300 && status < 400) {
    error.message = `It sends us to ${placeOf(headers["location"])}; set that as the base URL if it is right`;
  }
  const retryAfterMs = waitOf(headers, now);
  if (retryAfterMs !== undefined) error.retryAfterMs = retryAfterMs;
  const isAgain = retryWord(headers);
  if (isAgain !== undefined) error.retryable = isAgain;
  return error;
}

/** Where a redirect leads, without what may be a key. */
function placeOf(location: string | undefined): string {
  return location?.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//") ?? "another place";
}

/** Bedrock says in a header what kind of error its body is. */
function namedBody(body: unknown, headers: HttpReply["headers"]): unknown {
  const name = headers["x-amzn-errortype"];
  return name !== undefined && isObject(body) && body["__type"] === undefined ? { __type: name, ...body } : body;
}

/** How long to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date. */
function waitOf(headers: HttpReply["headers"], now: number): number | undefined {
  const precise = numberOf(headers["retry-after-ms"]);
  if (precise !== undefined) return precise;
  const said = headers["retry-after"];
  const seconds = numberOf(said);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const date = said === undefined ? NaN : Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** What the provider itself says about trying again. */
function retryWord(headers: HttpReply["headers"]): boolean | undefined {
  const word = headers["x-should-retry"];
  return word === "true" ? true : word === "false" ? false : undefined;
}

export function isHtml(text: string, headers: HttpReply["headers"]): boolean {
  return headers["content-type"]?.includes("text/html") === true || /^\s*<(?:!doctype|html)/i.test(text);
}

const LONGEST_TITLE = 200;

/** What a page says first: its title, else its first words. */
function titleOf(page: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1] ?? page.replaceAll(/<[^>]*>/g, " ");
  const words = title.replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_TITLE);
  return words === "" ? "nothing to read" : words;
}

/** A reply that says it succeeded and holds something else than an answer. */
export function unreadable(
  text: string,
  headers: HttpReply["headers"],
  dialect: Dialect,
  cause?: unknown,
): ProviderError {
  const raw: unknown = looseJson(text);
  if (isObject(raw) && raw["error"] !== undefined) return dialect.decodeError(raw);
  const say = (message: string, more: Omit<ProviderError, "message">): ProviderError => ({
    message,
    ...more,
    raw: text,
  });
  if (isHtml(text, headers)) {
    const message = `The reply is a page ("${titleOf(text)}"), no answer; is the base URL right?`;
    return say(message, { kind: "unknown" });
  }
  if (text.trim() === "") return say("The reply is empty.", { kind: "truncated" });
  if (/^\s*[[{]/.test(text) && typeof raw === "string") {
    return say("The reply is no whole JSON: it broke off, or is broken.", { kind: "truncated" });
  }
  const why = cause instanceof Error ? `: ${cause.message}` : ".";
  return say(`The reply is no answer that ${dialect.title} knows${why}`, { kind: "server" });
}
