// The lines of an import, counted, one at a time. Blank ones are passed over.
import { Fields } from "./fields.ts";
import { WholeFile } from "./whole.ts";

export class Lines {
  /** The line that was read last, from 1. */
  line = 0;
  readonly #source: AsyncGenerator<string, void, void>;

  constructor(source: Iterable<string> | AsyncIterable<string>) {
    this.#source = singly(source);
  }

  #ahead: Fields | undefined;
  readonly #file = new WholeFile();

  /** Whether there is another thread. Lines that open or close a file of several are taken here. */
  async hasMore(): Promise<boolean> {
    for (;;) {
      const text = await this.#nextText();
      if (text === undefined) {
        this.#file.end(this.line);
        return false;
      }
      if (this.#file.takes(text, this.line)) continue;
      this.#file.count();
      this.#ahead = new Fields(text, this.line);
      return true;
    }
  }

  /** The next line that is not blank; undefined at the end. */
  async next(): Promise<Fields | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined) return ahead;
    const text = await this.#nextText();
    return text === undefined ? undefined : new Fields(text, this.line);
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

/** A text may hold several lines, with or without a line feed behind the last; no line goes over two texts. */
async function* singly(source: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void, void> {
  for await (const text of source) {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    yield* lines;
  }
}
