// Splits a line of JSON into tokens for syntax colors, and shortens long tokens.
import { findStringEnd } from "./json-document.ts";
import { toSearchPattern } from "./find-lines.ts";

export type JsonTokenKind = "key" | "string" | "number" | "word" | "sign" | "text";

export interface JsonToken {
  kind: JsonTokenKind;
  text: string;
}

/** Matches all tokens except strings, which may be millions of characters long and are found by `findStringEnd`. */
const TOKEN_PATTERN = /(: )|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],]+)|\s+|./suy;

export function tokenizeLine(line: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  for (let at = 0; at < line.length;) {
    const token = line[at] === '"' ? readString(line, at) : readToken(line, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function readString(line: string, at: number): JsonToken {
  const end = findStringEnd(line, at);
  return { kind: line.startsWith(": ", end) ? "key" : "string", text: line.slice(at, end) };
}

function readToken(line: string, at: number): JsonToken {
  TOKEN_PATTERN.lastIndex = at;
  const [text = line[at] ?? "", colon, number, literal, signs] = TOKEN_PATTERN.exec(line) ?? [];
  if (colon !== undefined || signs !== undefined) return { kind: "sign", text };
  if (number !== undefined) return { kind: "number", text };
  return { kind: literal === undefined ? "text" : "word", text };
}

/**
 * Initially shown length of a token, in characters. Longer tokens are clipped, because a base64 image may have millions
 * of characters.
 */
export const INITIAL_LENGTH = 600;
/** Number of characters at the end of a clipped token that are shown after the omitted part. */
const TAIL_LENGTH = 60;
/** Factor by which the shown length grows each time the user expands a line, up to `MAX_LENGTH`. */
const GROWTH_FACTOR = 8;
const MAX_LENGTH = 300_000;

export interface ClippedToken {
  head: string;
  /** Number of omitted characters. */
  hiddenLength: number;
  tail: string;
}

/**
 * Returns the shown start and end of a token. A token that is only slightly longer than its start and end together is
 * shown completely.
 */
export function clipToken(text: string, maxLength: number): ClippedToken {
  if (text.length <= maxLength + 2 * TAIL_LENGTH) return { head: text, hiddenLength: 0, tail: "" };
  const head = text.slice(0, splitsSurrogatePair(text, maxLength) ? maxLength - 1 : maxLength);
  const from = text.length - TAIL_LENGTH;
  const tail = text.slice(splitsSurrogatePair(text, from) ? from + 1 : from);
  return { head, hiddenLength: text.length - head.length - tail.length, tail };
}

/** True if the offset is inside a surrogate pair. */
function splitsSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/**
 * Returns the shown length after the user has expanded the line once more; undefined if the line is already complete or
 * at its maximum length.
 */
export function findNextLength(line: string, maxLength: number): number | undefined {
  const isLong = tokenizeLine(line).some(({ text }) => clipToken(text, maxLength).hiddenLength > 0);
  return isLong && maxLength < MAX_LENGTH ? Math.min(maxLength * GROWTH_FACTOR, MAX_LENGTH) : undefined;
}

/**
 * Returns the smallest length, starting with `maxLength` and expanded step by step, at which the first match of the
 * query in the line is shown; `maxLength` if even the longest does not show it.
 */
export function findLengthFor(line: string, query: string, maxLength: number): number {
  const end = (toSearchPattern(query).exec(line)?.index ?? 0) + query.length;
  for (let next: number | undefined = maxLength; next !== undefined; next = findNextLength(line, next))
    if (next >= end) return next;
  return maxLength;
}
