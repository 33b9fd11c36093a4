// Wraps text to a width: at spaces, and within a word only if the word alone is too long.
import { splitGraphemes, measureGrapheme, measureWidth } from "./text-width.ts";

const TAB_SPACES = "    ";

/** Matches the indentation and list marker of a line; continuation lines are indented by the width of the match. */
const LIST_INDENT = /^\s*(?:(?:[-*•]|\d+[.)])\s+)?/;

/** Returns the lines of a wrapped text. Line breaks and indentation of the text are preserved. */
export function wrapText(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", TAB_SPACES), Math.max(columns, 8)));
}

function wrapLine(line: string, columns: number): string[] {
  if (measureWidth(line) <= columns) return [line.trimEnd()];
  const [lead = ""] = LIST_INDENT.exec(line) ?? [];
  const width = measureWidth(lead);
  if (width === 0 || width > columns / 2) return wrapWords(line, columns);
  const indent = " ".repeat(width);
  return wrapWords(line.slice(lead.length), columns - width).map((each, index) => (index === 0 ? lead : indent) + each);
}

function wrapWords(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const close = (): void => {
    lines.push(current.trimEnd());
    current = "";
    width = 0;
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wordWidth = measureWidth(word);
    if (width + wordWidth > columns && width > 0) {
      if (/^\s/.test(word)) {
        close();
        continue;
      }
      // A word that fits on a line of its own starts a new line. A longer word starts on this line if at least a
      // quarter of the line is free.
      if (wordWidth <= columns || columns - width < columns / 4) close();
    }
    if (width + wordWidth <= columns) {
      current += word;
      width += wordWidth;
      continue;
    }
    for (const grapheme of splitGraphemes(word)) {
      const step = measureGrapheme(grapheme);
      if (width + step > columns) close();
      current += grapheme;
      width += step;
    }
  }
  if (current.trim() !== "" || lines.length === 0) close();
  return lines;
}
