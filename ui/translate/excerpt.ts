// A few lines of a text around a position.

export interface ExcerptLine {
  number: number;
  text: string;
  /** Offset of the position, in its line. */
  caret?: number;
}

const CONTEXT_CHARACTERS = 36;

/** `line` and `column` start at 1. Long lines are cut around the position. */
export function createExcerpt(text: string, line: number, column: number): ExcerptLine[] {
  const from = Math.max(0, column - 1 - CONTEXT_CHARACTERS);
  const cut = (fullLine: string): string => {
    const end = from + 2 * CONTEXT_CHARACTERS;
    return `${from > 0 ? "…" : ""}${fullLine.slice(from, end).trimEnd()}${fullLine.length > end ? "…" : ""}`;
  };
  const lines = listLinesAround(text, line);
  return lines.map(([number, fullLine]) =>
    number === line
      ? { number, text: cut(fullLine), caret: column - 1 - from + (from > 0 ? 1 : 0) }
      : { number, text: cut(fullLine) },
  );
}

/** Returns the line and its neighbors with their numbers, without splitting the whole text. */
function listLinesAround(text: string, line: number): [number: number, text: string][] {
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

/** Returns the offset of a position in the text. */
export function toOffset(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return start + column - 1;
}
