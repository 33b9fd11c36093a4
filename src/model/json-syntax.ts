// A strict, iterative scanner of JSON text: where it stops being JSON, and what was open there. It serves the error
// path of parseJson and the reading of unfinished JSON; it builds no values.

import { MAX_DEPTH } from "./json-pointer.ts";

/** An open array or object: the index of the current item, or where the current key's literal stands. */
export interface Frame {
  readonly array: boolean;
  index: number;
  keyStart: number;
  keyEnd: number;
}

export interface Scan {
  /** `complete`: valid JSON; `end`: a prefix of valid JSON; `fault`: neither. */
  stop: "complete" | "end" | "fault" | "too-deep";
  /** Where reading stopped. */
  at: number;
  /** What could have stood there. */
  expected: string;
  frames: Frame[];
  /** The text up to here, with the open frames closed, is valid JSON; 0 if there is nothing yet. */
  keep: number;
  /** Start of the value that the end of the text cut off inside, or -1. */
  token: number;
}

type State = "value" | "first-item" | "first-key" | "key" | "colon" | "after";

const EXPECTED: Record<State, string> = {
  value: "a value",
  "first-item": 'a value or "]"',
  "first-key": 'a key in double quotes or "}"',
  key: "a key in double quotes",
  colon: '":"',
  after: "the end",
};

/** Scans `text` up to its end or its first fault. Linear, and no deeper in the stack for deep texts. */
export function scanJson(text: string): Scan {
  const scan: Scan = { stop: "end", at: 0, expected: "", frames: [], keep: 0, token: -1 };
  let state: State = "value";
  for (;;) {
    scan.at = skipBlank(text, scan.at);
    scan.expected = EXPECTED[state];
    const frame = scan.frames.at(-1);
    if (state === "after" && frame !== undefined) scan.expected = frame.array ? '"," or "]"' : '"," or "}"';
    if (scan.at === text.length) {
      scan.stop = state === "after" && frame === undefined ? "complete" : "end";
      return scan;
    }
    const next = step(text, scan, state, frame);
    if (next === undefined) return scan;
    state = next;
  }
}

/** Reads one token; the state after it, or undefined once the scan has stopped. */
function step(text: string, scan: Scan, state: State, frame: Frame | undefined): State | undefined {
  const char = text[scan.at] ?? "";
  if (state === "after" || state === "colon") return punctuate(scan, state, char, frame);
  const closes = (state === "first-item" && char === "]") || (state === "first-key" && char === "}");
  if (closes) return close(scan);
  const isKey = state === "key" || state === "first-key";
  if (isKey && char !== '"') return stopAt(scan, scan.at, "fault");
  if (char === "[" || char === "{") {
    if (scan.frames.length === MAX_DEPTH) return stopAt(scan, scan.at, "too-deep");
    scan.frames.push({ array: char === "[", index: 0, keyStart: -1, keyEnd: -1 });
    scan.keep = ++scan.at;
    return char === "[" ? "first-item" : "first-key";
  }
  const start = scan.at;
  const end = scalarEnd(text, scan, char);
  if (end === undefined) {
    if (scan.stop === "end" && !isKey) scan.token = start;
    return undefined;
  }
  scan.at = end;
  if (isKey && frame !== undefined) {
    frame.keyStart = start;
    frame.keyEnd = end;
    return "colon";
  }
  scan.keep = end;
  return "after";
}

function punctuate(scan: Scan, state: State, char: string, frame: Frame | undefined): State | undefined {
  if (frame === undefined) return stopAt(scan, scan.at, "fault");
  if (state === "colon") {
    if (char !== ":") return stopAt(scan, scan.at, "fault");
    scan.at++;
    return "value";
  }
  if (char === (frame.array ? "]" : "}")) return close(scan);
  if (char !== ",") return stopAt(scan, scan.at, "fault");
  scan.at++;
  frame.index++;
  return frame.array ? "value" : "key";
}

function close(scan: Scan): State {
  scan.frames.pop();
  scan.keep = ++scan.at;
  return "after";
}

function stopAt(scan: Scan, at: number, stop: Scan["stop"], expected = scan.expected): undefined {
  scan.at = at;
  scan.stop = stop;
  scan.expected = expected;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return at;
}

/** Where the string, number or literal at `scan.at` ends; undefined if it stops the scan. */
function scalarEnd(text: string, scan: Scan, first: string): number | undefined {
  if (first === '"') return stringEnd(text, scan);
  if (first === "-" || isDigit(text, scan.at)) return numberEnd(text, scan);
  const word = WORDS[first];
  if (word === undefined) return stopAt(scan, scan.at, "fault");
  for (let i = 1; i < word.length; i++) {
    const at = scan.at + i;
    if (text[at] !== word[i]) return stopAt(scan, at, at === text.length ? "end" : "fault", `"${word}"`);
  }
  return scan.at + word.length;
}

const WORDS: Record<string, string> = { t: "true", f: "false", n: "null" };

function stringEnd(text: string, scan: Scan): number | undefined {
  for (let at = scan.at + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code < 32) return stopAt(scan, at, "fault", "an escape instead of a raw control character");
    if (code !== 92) continue;
    at++;
    if (at === text.length) break;
    if (text[at] === "u") {
      for (const last = at + 4; at < last;) {
        at++;
        if (at === text.length) return stopAt(scan, at, "end", "four hexadecimal digits");
        if (!/[0-9a-fA-F]/.test(text[at] ?? "")) return stopAt(scan, at, "fault", "four hexadecimal digits");
      }
    } else if (!'"\\/bfnrt'.includes(text[at] ?? "")) {
      return stopAt(scan, at, "fault", String.raw`one of "\/bfnrtu after a backslash`);
    }
  }
  return stopAt(scan, text.length, "end", "a closing double quote");
}

function numberEnd(text: string, scan: Scan): number | undefined {
  let at = scan.at;
  if (text[at] === "-") at++;
  if (!isDigit(text, at)) return missingDigit(text, scan, at);
  at = text[at] === "0" ? at + 1 : skipDigits(text, at);
  if (text[at] === ".") {
    if (!isDigit(text, ++at)) return missingDigit(text, scan, at);
    at = skipDigits(text, at);
  }
  if (text[at] === "e" || text[at] === "E") {
    at++;
    if (text[at] === "+" || text[at] === "-") at++;
    if (!isDigit(text, at)) return missingDigit(text, scan, at);
    at = skipDigits(text, at);
  }
  return at;
}

function missingDigit(text: string, scan: Scan, at: number): undefined {
  return stopAt(scan, at, at === text.length ? "end" : "fault", "a digit");
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at++;
  return at;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
