// Headers from several sides: read in whatever form callers have them, held to what can be sent, and merged. Later ones
// win, except where a header is a list that grows.
import { pointerStep } from "../../model/pointer.ts";
import { fault } from "../checks.ts";
import type { HeadersInput } from "../types.ts";

export type Headers = Readonly<Record<string, string>>;

/** Headers that hold lists: every side's words are sent. */
const LISTS: ReadonlySet<string> = new Set(["anthropic-beta"]);

/** Merges headers; names become lower case. */
export function mergeHeaders(...sides: readonly (Headers | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const side of sides) {
    if (side === undefined) continue;
    for (const [name, value] of Object.entries(side)) addHeader(merged, name, value);
  }
  return merged;
}

function addHeader(headers: Record<string, string>, key: string, value: string): void {
  const name = key.toLowerCase();
  const before = headers[name];
  headers[name] = before !== undefined && LISTS.has(name) ? joinWords(before, value) : value;
}

function joinWords(...lists: readonly string[]): string {
  const words = lists.flatMap((list) => list.split(",")).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ""))].join(",");
}

const SECRET = /auth|key|token|secret|cookie|password/i;

export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** Headers that may be shown, and those that may be keys: they are added last, so that nothing else sees them. */
export function splitHeaders(headers: Headers): [told: Headers, secret: Headers] {
  const told: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) (isSecretName(name) ? secret : told)[name] = value;
  return [told, secret];
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Visible characters, spaces and tabs; others would end the header, or cannot be sent. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

export function isSendable(value: string): boolean {
  return !UNSENDABLE.test(value);
}

/** What is wrong with a header, if anything; never its value. */
function headerFault(name: unknown, value: unknown): string | undefined {
  if (typeof name !== "string" || !NAME.test(name)) return `"${String(name)}" is no name of a header.`;
  if (typeof value !== "string") return `The header "${name}" must be a string.`;
  return isSendable(value)
    ? undefined
    : `The header "${name}" holds a character that cannot be sent, such as a line break.`;
}

const FORMS = "must be an object of strings, Headers, a Map, or a list of pairs";

/** Headers as a plain object. Throws for what cannot be sent, with its path. */
export function readHeaders(headers: HeadersInput, path: string, provider?: string): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, value] of pairsOf(headers, path, provider)) {
    const what = headerFault(name, value);
    if (what !== undefined) throw fault(path + pointerStep(String(name)), `is wrong: ${what}`, { provider });
    addHeader(read, String(name), String(value));
  }
  return read;
}

/** Callers without types may write anything. */
function pairsOf(headers: unknown, path: string, provider?: string): (readonly [name: unknown, value: unknown])[] {
  if (typeof headers !== "object" || headers === null) throw fault(path, `${FORMS}.`, { provider });
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  const pairs = headers as Iterable<unknown>;
  // An iterator gives what it has only once: a check would take it from the request.
  if (Object.is(pairs[Symbol.iterator](), pairs)) throw fault(path, `${FORMS}; an iterator can be read only once.`);
  return Array.from(pairs, (pair, index) => {
    if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]] as const;
    throw fault(path + pointerStep(index), "must be a pair of strings.", { provider });
  });
}
