// Searches the text of a JSON document without regard to case.
import type { JsonDocument } from "./json-document.ts";

/** Maximum number of lines in a search result. */
const MAX_LINES = 5000;

export interface SearchResult {
  /** Numbers of the lines that contain a match, in order. */
  lines: readonly number[];
  /** True if more lines match than the result contains. */
  more: boolean;
}

export function findLines({ text, starts }: JsonDocument, query: string): SearchResult {
  if (query === "") return { lines: [], more: false };
  const lines: number[] = [];
  const pattern = toSearchPattern(query);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (lines.length === MAX_LINES) return { lines, more: true };
    const line = findLineAt(starts, match.index);
    lines.push(line);
    pattern.lastIndex = starts[line + 1] ?? text.length;
  }
  return { lines, more: false };
}

/** Returns the pattern that finds the query; the JSON view also uses it to highlight matches in a line. */
export function toSearchPattern(query: string): RegExp {
  return new RegExp(query.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), "gi");
}

function findLineAt(starts: Uint32Array, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
