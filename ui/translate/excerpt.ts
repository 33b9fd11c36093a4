// Creates an excerpt of a text: the line that contains a position, and the lines above and below it.

export interface ExcerptLine {
  number: number;
  text: string;
  /** Offset in `text` of the position that the excerpt shows; absent in the lines above and below that position. */
  caret?: number;
}

const CONTEXT_CHARACTERS = 36;

/** Returns the lines around a position. `line` and `column` start at 1. Long lines are cut around the position. */
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

/** Returns the line and the lines above and below it with their numbers, without splitting the whole text. */
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

/** Returns the offset of a position in the text; `line` and `column` start at 1. */
export function toOffset(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return start + column - 1;
}
