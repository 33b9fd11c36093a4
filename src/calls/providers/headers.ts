// Headers from the dialect, the provider's settings and the call: read from any form, checked, and merged. Later ones win,
// except for headers that are lists.
import { pointerStep } from "../../model/json/pointer.ts";
import { configurationError } from "../field-checks.ts";
import type { HeadersInput } from "../types.ts";

export type PlainHeaders = Readonly<Record<string, string>>;

/** Headers with comma-separated lists: merging joins the lists. */
const LIST_HEADERS: ReadonlySet<string> = new Set(["anthropic-beta"]);

/** Merges headers; names become lower case. */
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

/** Separates headers that may be keys from those that may be shown. Keys are added last, just before sending. */
export function splitHeaders(headers: PlainHeaders): [visible: PlainHeaders, secret: PlainHeaders] {
  const visible: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) (isSecretName(name) ? secret : visible)[name] = value;
  return [visible, secret];
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Any character except visible ones, spaces and tabs: it would end the header or cannot be sent. */
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

export function isSendableHeaderValue(value: string): boolean {
  return !UNSENDABLE.test(value);
}

/** Returns the fault of a header, if any, without its value. */
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

/** Lists names and values of any type: callers without static types may pass anything. */
function listPairs(headers: unknown, path: string, provider?: string): (readonly [name: unknown, value: unknown])[] {
  if (typeof headers !== "object" || headers === null) throw configurationError(path, `${HEADER_FORMS}.`, { provider });
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  const pairs = headers as Iterable<unknown>;
  // Reading an iterator for the check would leave nothing for the request.
  if (Object.is(pairs[Symbol.iterator](), pairs)) {
    throw configurationError(path, `${HEADER_FORMS}; an iterator can be read only once.`);
  }
  return Array.from(pairs, (pair, index) => {
    if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]] as const;
    throw configurationError(path + pointerStep(index), "must be a pair of strings.", { provider });
  });
}
