// A line of JSON in the pieces that are shown in different colours, and how much of a long one is shown.
import { endOfString } from "./document.ts";
import { patternOf } from "./find.ts";

export type TokenKind = "key" | "string" | "number" | "word" | "sign" | "text";

export interface Token {
  kind: TokenKind;
  text: string;
}

/** All but strings, which may be millions of characters long. */
const PIECES = /(: )|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],]+)|\s+|./suy;

export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < line.length;) {
    const token = line[at] === '"' ? stringAt(line, at) : pieceAt(line, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function stringAt(line: string, at: number): Token {
  const end = endOfString(line, at);
  return { kind: line.startsWith(": ", end) ? "key" : "string", text: line.slice(at, end) };
}

function pieceAt(line: string, at: number): Token {
  PIECES.lastIndex = at;
  const [text = line[at] ?? "", colon, number, word, signs] = PIECES.exec(line) ?? [];
  if (colon !== undefined || signs !== undefined) return { kind: "sign", text };
  if (number !== undefined) return { kind: "number", text };
  return { kind: word === undefined ? "text" : "word", text };
}

/** How much of a piece is shown at first, and how much of its end: a picture in base64 is one line of millions. */
export const SHOWN_AT_FIRST = 600;
const SHOWN_OF_END = 60;
/** With every step so many times as much; more than the most is not drawn. */
const GROWTH = 8;
const SHOWN_AT_MOST = 300_000;

export interface Clipped {
  head: string;
  /** How many characters are left out. */
  left: number;
  tail: string;
}

/** The beginning and the end of a piece; nothing is left out where it would be little. */
export function clipToken(text: string, most: number): Clipped {
  if (text.length <= most + 2 * SHOWN_OF_END) return { head: text, left: 0, tail: "" };
  const head = text.slice(0, isSplit(text, most) ? most - 1 : most);
  const from = text.length - SHOWN_OF_END;
  const tail = text.slice(isSplit(text, from) ? from + 1 : from);
  return { head, left: text.length - head.length - tail.length, tail };
}

/** Never half a character. */
function isSplit(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** What is shown after one more step; undefined where everything is, or as much as can be drawn. */
export function nextStep(line: string, most: number): number | undefined {
  const isLong = tokensOf(line).some(({ text }) => clipToken(text, most).left > 0);
  return isLong && most < SHOWN_AT_MOST ? Math.min(most * GROWTH, SHOWN_AT_MOST) : undefined;
}

/** How much must be shown of a line for some words in it to be seen; as much as before where they are, or cannot be. */
export function shownFor(line: string, words: string, most: number): number {
  const end = (patternOf(words).exec(line)?.index ?? 0) + words.length;
  for (let next: number | undefined = most; next !== undefined; next = nextStep(line, next))
    if (next >= end) return next;
  return most;
}
