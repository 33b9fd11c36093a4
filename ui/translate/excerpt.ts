// A few lines of a text around a place in it.

export interface ExcerptLine {
  number: number;
  text: string;
  /** Of the line in question: how many characters stand before the place. */
  caret?: number;
}

const AROUND = 36;

/** `line` and `column` count from 1. Long lines are cut around the place. */
export function excerptOf(text: string, line: number, column: number): ExcerptLine[] {
  const from = Math.max(0, column - 1 - AROUND);
  const cut = (whole: string): string => {
    const end = from + 2 * AROUND;
    return `${from > 0 ? "…" : ""}${whole.slice(from, end).trimEnd()}${whole.length > end ? "…" : ""}`;
  };
  const lines = linesAround(text, line);
  return lines.map(([number, whole]) =>
    number === line
      ? { number, text: cut(whole), caret: column - 1 - from + (from > 0 ? 1 : 0) }
      : { number, text: cut(whole) },
  );
}

/** The line, and its neighbours, with their numbers; without cutting up the whole text. */
function linesAround(text: string, line: number): [number: number, text: string][] {
  let start = 0;
  for (let at = 1; at < line - 1; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  const first = Math.max(1, line - 1);
  return text
    .slice(start)
    .split("\n", line === 1 ? 2 : 3)
    .map((each, at) => [first + at, each]);
}

/** Where a place stands in the text, for a field's cursor. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return start + column - 1;
}
