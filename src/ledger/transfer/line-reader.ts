// Reads and counts the lines of an import, one at a time. Blank lines are skipped.
import { LineFields } from "./line-fields.ts";
import { MultiThreadFile } from "./multi-thread-file.ts";

/** Reads the lines of an import, and counts them for error messages. */
export class LineReader {
  /** The number of the last line that was read. The first line is 1. */
  line = 0;
  readonly #source: AsyncGenerator<string, void, void>;

  constructor(source: Iterable<string> | AsyncIterable<string>) {
    this.#source = splitLines(source);
  }

  #nextFields: LineFields | undefined;
  readonly #file = new MultiThreadFile();

  /**
   * True if another thread follows. Skips and checks the opening line and the closing line (`MultiThreadFile`), which
   * stand before and after the threads of a file with several threads.
   */
  async hasMore(): Promise<boolean> {
    for (;;) {
      const text = await this.#nextText();
      if (text === undefined) {
        this.#file.end(this.line);
        return false;
      }
      if (this.#file.consume(text, this.line)) continue;
      this.#file.addThread();
      this.#nextFields = new LineFields(text, this.line);
      return true;
    }
  }

  /** Returns the fields of the next line that is not blank; undefined at the end of the input. */
  async next(): Promise<LineFields | undefined> {
    const fields = this.#nextFields;
    this.#nextFields = undefined;
    if (fields !== undefined) return fields;
    const text = await this.#nextText();
    return text === undefined ? undefined : new LineFields(text, this.line);
  }

  async #nextText(): Promise<string | undefined> {
    for (;;) {
      const next = await this.#source.next();
      if (next.done === true) return undefined;
      this.line++;
      if (next.value.trim() !== "") return next.value;
    }
  }

  async close(): Promise<void> {
    await this.#source.return();
  }
}

/**
 * Splits texts into lines. A text may contain several lines, with or without a final line feed; a line never spans two
 * texts.
 */
async function* splitLines(source: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void, void> {
  for await (const text of source) {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
  }
}
