// Collects lines of output: wraps, indents and styles them. `addText` and `addLine` escape text from records, so that
// no control sequence of a conversation reaches the terminal.
import type { TextStyle, Paint } from "./style.ts";
import { escapeUnsafe, escapeToLine } from "./escape-unsafe.ts";
import { clipToWidth, measureWidth } from "./text-width.ts";
import { wrapText } from "./wrap.ts";

export interface PageTextOptions {
  /** The prefix of the first line; the following lines are indented by the width of this prefix. */
  firstLinePrefix?: string;
  /** The prefix of the following lines, instead of spaces. */
  linePrefix?: string;
  style?: TextStyle;
  /** The maximum number of lines; an additional line states how many lines were omitted. */
  maxLines?: number;
}

export class TextPage {
  readonly columns: number;
  readonly paint: Paint;
  #lines: string[] = [];

  constructor(columns: number, paint: Paint) {
    this.columns = columns;
    this.paint = paint;
  }

  /** Adds text of a record, escaped and wrapped. */
  addText(text: string, indent: number, options: PageTextOptions = {}): void {
    const { firstLinePrefix = "", style, maxLines } = options;
    const linePrefix = options.linePrefix ?? " ".repeat(measureWidth(firstLinePrefix));
    // A trailing line feed is removed, because it would add an empty line.
    const lines = wrapText(
      escapeUnsafe(text).replace(/\n$/, ""),
      this.columns - indent - measureWidth(firstLinePrefix),
    );
    const shownLines = maxLines === undefined || lines.length <= maxLines + 1 ? lines : lines.slice(0, maxLines);
    shownLines.forEach((line, index) => {
      this.addSafeLine(`${index === 0 ? firstLinePrefix : linePrefix}${line}`, indent, style);
    });
    const omitted = lines.length - shownLines.length;
    if (omitted > 0) this.addSafeLine(`${linePrefix}… ${omitted} more lines; --full shows them`, indent, "dim");
  }

  /** Adds text of a record as one escaped line, clipped to the width of the page. */
  addLine(text: string, indent: number, style?: TextStyle): void {
    this.addSafeLine(clipToWidth(escapeToLine(text), this.columns - indent), indent, style);
  }

  /** Adds a line without escaping it. The caller must have escaped the text of records in it. */
  addSafeLine(text: string, indent: number, style?: TextStyle): void {
    const line = text.trimEnd();
    if (line === "") this.#lines.push("");
    else this.#lines.push(" ".repeat(indent) + (style === undefined ? line : this.paint(style, line)));
  }

  /** Adds a blank line, unless the last line is blank. */
  addBlankLine(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  /** Returns the lines as text and clears the page. */
  takeText(): string {
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    return text;
  }
}
