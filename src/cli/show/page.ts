// Lines of text for people: wrapped to a width, indented, painted. All foreign text comes in through `add` and is made
// visible here, so that no part of a conversation reaches the terminal raw.
import type { Format, Paint } from "./style.ts";
import { visible, visibleLine } from "./visible.ts";
import { clipTo, widthOf } from "./width.ts";
import { wrap } from "./wrap.ts";

export interface Block {
  /** What stands before the first line; the others are indented as far. */
  mark?: string;
  /** What stands before every line, instead of spaces. */
  rail?: string;
  style?: Format;
  /** Show only so many lines, and say how many there are. */
  most?: number;
}

export class Page {
  readonly columns: number;
  readonly paint: Paint;
  #lines: string[] = [];

  constructor(columns: number, paint: Paint) {
    this.columns = columns;
    this.paint = paint;
  }

  /** Foreign text at an indentation. */
  add(text: string, indent: number, { mark = "", rail, style, most }: Block = {}): void {
    const hanging = rail ?? " ".repeat(widthOf(mark));
    // A line feed at the end ends the last line; it begins none.
    const lines = wrap(visible(text).replace(/\n$/, ""), this.columns - indent - widthOf(mark));
    const shown = most === undefined || lines.length <= most + 1 ? lines : lines.slice(0, most);
    shown.forEach((line, index) => this.put(`${index === 0 ? mark : hanging}${line}`, indent, style));
    const left = lines.length - shown.length;
    if (left > 0) this.put(`${hanging}… ${left} more lines; --full shows them`, indent, "dim");
  }

  /** Foreign text on one line, cut where it is too long. */
  line(text: string, indent: number, style?: Format): void {
    this.put(clipTo(visibleLine(text), this.columns - indent), indent, style);
  }

  /** Our own text, safe already. */
  put(text: string, indent: number, style?: Format): void {
    const line = text.trimEnd();
    if (line === "") this.#lines.push("");
    else this.#lines.push(" ".repeat(indent) + (style === undefined ? line : this.paint(style, line)));
  }

  /** A blank line, never two. */
  space(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  /** Everything since the last time. */
  take(): string {
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    return text;
  }
}
