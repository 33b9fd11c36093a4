// Searching a document: the lines that hold some words, whatever their case.
import type { JsonDocument } from "./document.ts";

/** More than anybody walks through. */
const MOST = 5000;

export interface Found {
  /** Each line once, in order. */
  lines: readonly number[];
  /** There are more than were looked for. */
  more: boolean;
}

export function findLines({ text, starts }: JsonDocument, words: string): Found {
  if (words === "") return { lines: [], more: false };
  const lines: number[] = [];
  const pattern = patternOf(words);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (lines.length === MOST) return { lines, more: true };
    const line = lineOf(starts, match.index);
    lines.push(line);
    pattern.lastIndex = starts[line + 1] ?? text.length;
  }
  return { lines, more: false };
}

/** What is searched for, as a pattern; also to show where it stands in a line. */
export function patternOf(words: string): RegExp {
  return new RegExp(words.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), "gi");
}

function lineOf(starts: Uint32Array, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
