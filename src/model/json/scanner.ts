// Scans JSON text strictly and without recursion. Determines where the text stops being JSON and which containers are
// open there, for the errors of parseJson and for unfinished JSON. Builds no values.

import { MAX_DEPTH } from "./short-pointer.ts";

/**
 * An open array or object. For an array, `index` is the index of the current item; for an object, `keyStart` and
 * `keyEnd` are the range of the current key's literal.
 */
export interface OpenFrame {
  readonly array: boolean;
  index: number;
  keyStart: number;
  keyEnd: number;
}

export interface JsonScan {
  /**
   * The result of the scan: "complete" for valid JSON, "end" for a prefix of valid JSON, "fault" for invalid JSON,
   * "too-deep" for nesting beyond MAX_DEPTH.
   */
  stop: "complete" | "end" | "fault" | "too-deep";
  /** The position where the scan stopped. */
  at: number;
  /** The syntax that would be valid at the position `at`, for error messages. */
  expected: string;
  frames: OpenFrame[];
  /**
   * The end of the longest prefix that becomes valid JSON if the open frames are closed; 0 if there is no such prefix.
   */
  validEnd: number;
  /** The start of the value that the end of the text cuts off; -1 if no value is cut off. */
  cutValueStart: number;
}

type ScanState = "value" | "first-item" | "first-key" | "key" | "colon" | "after";

const EXPECTED: Record<ScanState, string> = {
  value: "a value",
  "first-item": 'a value or "]"',
  "first-key": 'a key in double quotes or "}"',
  key: "a key in double quotes",
  colon: '":"',
  after: "the end",
};

/** Scans `text` up to its end or its first fault. Takes linear time and uses no recursion. */
export function scanJson(text: string): JsonScan {
  const scan: JsonScan = { stop: "end", at: 0, expected: "", frames: [], validEnd: 0, cutValueStart: -1 };
  let state: ScanState = "value";
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

/** Reads one token. Returns the next state, or undefined if the scan has stopped. */
function step(text: string, scan: JsonScan, state: ScanState, frame: OpenFrame | undefined): ScanState | undefined {
  const char = text[scan.at] ?? "";
  if (state === "after" || state === "colon") return punctuate(scan, state, char, frame);
  const closes = (state === "first-item" && char === "]") || (state === "first-key" && char === "}");
  if (closes) return close(scan);
  const isKey = state === "key" || state === "first-key";
  if (isKey && char !== '"') return stopAt(scan, scan.at, "fault");
  if (char === "[" || char === "{") {
    if (scan.frames.length === MAX_DEPTH) return stopAt(scan, scan.at, "too-deep");
    scan.frames.push({ array: char === "[", index: 0, keyStart: -1, keyEnd: -1 });
    scan.validEnd = ++scan.at;
    return char === "[" ? "first-item" : "first-key";
  }
  const start = scan.at;
  const end = scalarEnd(text, scan, char);
  if (end === undefined) {
    if (scan.stop === "end" && !isKey) scan.cutValueStart = start;
    return undefined;
  }
  scan.at = end;
  if (isKey && frame !== undefined) {
    frame.keyStart = start;
    frame.keyEnd = end;
    return "colon";
  }
  scan.validEnd = end;
  return "after";
}

function punctuate(
  scan: JsonScan,
  state: ScanState,
  char: string,
  frame: OpenFrame | undefined,
): ScanState | undefined {
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

function close(scan: JsonScan): ScanState {
  scan.frames.pop();
  scan.validEnd = ++scan.at;
  return "after";
}

function stopAt(scan: JsonScan, at: number, stop: JsonScan["stop"], expected = scan.expected): undefined {
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

/** Returns the end of the string, number or literal at `scan.at`; undefined if the scan has stopped within it. */
function scalarEnd(text: string, scan: JsonScan, first: string): number | undefined {
  if (first === '"') return stringEnd(text, scan);
  if (first === "-" || isDigit(text, scan.at)) return numberEnd(text, scan);
  const word = LITERALS[first];
  if (word === undefined) return stopAt(scan, scan.at, "fault");
  for (let i = 1; i < word.length; i++) {
    const at = scan.at + i;
    if (text[at] !== word[i]) return stopAt(scan, at, at === text.length ? "end" : "fault", `"${word}"`);
  }
  return scan.at + word.length;
}

const LITERALS: Record<string, string> = { t: "true", f: "false", n: "null" };

function stringEnd(text: string, scan: JsonScan): number | undefined {
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

function numberEnd(text: string, scan: JsonScan): number | undefined {
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

function missingDigit(text: string, scan: JsonScan, at: number): undefined {
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
