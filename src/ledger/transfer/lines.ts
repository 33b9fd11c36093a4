// The lines of an import, counted, one at a time. Blank ones are passed over.
import { Fields } from "./fields.ts";

export class Lines {
  /** The line that was read last, from 1. */
  line = 0;
  private readonly source: AsyncGenerator<string, void, void>;

  constructor(source: Iterable<string> | AsyncIterable<string>) {
    this.source = singly(source);
  }

  private ahead: Fields | undefined;

  async hasMore(): Promise<boolean> {
    this.ahead ??= await this.next();
    return this.ahead !== undefined;
  }

  /** The next line that is not blank; undefined at the end. */
  async next(): Promise<Fields | undefined> {
    const { ahead } = this;
    this.ahead = undefined;
    if (ahead !== undefined) return ahead;
    for (;;) {
      const next = await this.source.next();
      if (next.done === true) return undefined;
      this.line++;
      if (next.value.trim() !== "") return new Fields(next.value, this.line);
    }
  }

  async close(): Promise<void> {
    await this.source.return();
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
