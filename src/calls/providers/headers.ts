// Reads, checks and merges the headers of the dialect, the provider's settings and the call. A later value replaces an
// earlier one, except for headers that are lists.
import { pointerStep } from "../../model/json/pointer.ts";
import { configurationError } from "../field-checks.ts";
import type { HeadersInput } from "../types.ts";

export type PlainHeaders = Readonly<Record<string, string>>;

/** Headers whose values are comma-separated lists; merging joins the lists. */
const LIST_HEADERS: ReadonlySet<string> = new Set(["anthropic-beta"]);

/** Merges headers; names become lower case. A later value replaces an earlier one, and list headers are joined. */
export function mergeHeaders(...all: readonly (PlainHeaders | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of all) {
    if (headers === undefined) continue;
    for (const [name, value] of Object.entries(headers)) addHeader(merged, name, value);
  }
  return merged;
}

function addHeader(headers: Record<string, string>, key: string, value: string): void {
  const name = key.toLowerCase();
  const before = headers[name];
  headers[name] = before !== undefined && LIST_HEADERS.has(name) ? joinLists(before, value) : value;
}

function joinLists(...lists: readonly string[]): string {
  const items = lists.flatMap((list) => list.split(",")).map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ""))].join(",");
}

const SECRET_NAME = /auth|key|token|secret|cookie|password/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Separates headers whose names suggest a secret from headers that may be shown. Secret headers are added just before
 * the request is sent.
 */
export function splitHeaders(headers: PlainHeaders): [visible: PlainHeaders, secret: PlainHeaders] {
  const visible: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) (isSecretName(name) ? secret : visible)[name] = value;
  return [visible, secret];
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/**
 * Matches a character that cannot be sent in a header value: a control character other than tab, or one above U+00FF.
 */
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

export function isSendableHeaderValue(value: string): boolean {
  return !UNSENDABLE.test(value);
}

/**
 * Returns the fault of a header; undefined if it is valid. The fault does not contain the value, which may be a key.
 */
function findHeaderFault(name: unknown, value: unknown): string | undefined {
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return `"${String(name)}" is not a valid header name.`;
  if (typeof value !== "string") return `The header "${name}" must be a string.`;
  return isSendableHeaderValue(value)
    ? undefined
    : `The header "${name}" contains a character that cannot be sent, such as a line break.`;
}

const HEADER_FORMS = "must be an object of strings, Headers, a Map, or a list of pairs";

/** Converts headers to a plain object. Throws a `ClientError` with the path of a header that cannot be sent. */
export function readHeaders(headers: HeadersInput, path: string, provider?: string): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of listPairs(headers, path, provider)) {
    const fault = findHeaderFault(name, value);
    if (fault !== undefined) {
      throw configurationError(path + pointerStep(String(name)), `is invalid: ${fault}`, { provider });
    }
    addHeader(plain, String(name), String(value));
  }
  return plain;
}

/**
 * Returns the pairs of name and value. Their types are unknown, because a caller without static types may pass
 * anything.
 */
function listPairs(headers: unknown, path: string, provider?: string): (readonly [name: unknown, value: unknown])[] {
  if (typeof headers !== "object" || headers === null) throw configurationError(path, `${HEADER_FORMS}.`, { provider });
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  const pairs = headers as Iterable<unknown>;
  // An iterator can be read only once: after this check, it would be empty for the request.
  if (Object.is(pairs[Symbol.iterator](), pairs)) {
    throw configurationError(path, `${HEADER_FORMS}; an iterator can be read only once.`);
  }
  return Array.from(pairs, (pair, index) => {
    if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]] as const;
    throw configurationError(path + pointerStep(index), "must be a pair of strings.", { provider });
  });
}
