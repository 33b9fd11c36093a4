// Text in lines of a given width: broken at spaces, and within a word only where the word alone is too long.
import { graphemesOf, graphemeWidth, widthOf } from "./width.ts";

const TAB = "    ";

/** What the further lines of a paragraph or of an item of a list are indented by. */
const LEAD = /^\s*(?:(?:[-*•]|\d+[.)])\s+)?/;

/** The lines of a text. Its own line breaks stay, its indentation too; wide scripts break between characters. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line.replaceAll("\t", TAB), Math.max(columns, 8)));
}

function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line.trimEnd()];
  const [lead = ""] = LEAD.exec(line) ?? [];
  const width = widthOf(lead);
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
    const wordWidth = widthOf(word);
    if (width + wordWidth > columns && width > 0) {
      if (/^\s/.test(word)) {
        close();
        continue;
      }
      // A long word may begin where the line has plenty of room left, else on a line of its own.
      if (wordWidth <= columns || columns - width < columns / 4) close();
    }
    if (width + wordWidth <= columns) {
      current += word;
      width += wordWidth;
      continue;
    }
    for (const grapheme of graphemesOf(word)) {
      const step = graphemeWidth(grapheme);
      if (width + step > columns) close();
      current += grapheme;
      width += step;
    }
  }
  if (current.trim() !== "" || lines.length === 0) close();
  return lines;
}
