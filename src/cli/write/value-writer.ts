// Writes JSON values: one value per line, as the elements of a list, or as separate documents.
import { stringifyJson } from "../../model/index.ts";
import type { OutputSink } from "./output-sink.ts";

export interface ValueWriterOptions {
  /** The output format. In "json", `beginList` starts a list; in "jsonl", `beginList` has no effect. */
  format: "json" | "jsonl";
  pretty?: boolean;
}

export class ValueWriter {
  readonly #sink: OutputSink;
  readonly #allowsList: boolean;
  readonly #indent: number | undefined;
  #isListOpen = false;
  #isListEmpty = true;

  constructor(sink: OutputSink, { format, pretty = false }: ValueWriterOptions) {
    this.#sink = sink;
    this.#allowsList = format === "json";
    this.#indent = pretty ? 2 : undefined;
  }

  /** Begins a list, unless one is open; the values written until `end` are its elements. Does nothing for "jsonl". */
  beginList(): void {
    if (!this.#allowsList || this.#isListOpen) return;
    this.#isListOpen = true;
    this.#sink.write("[");
  }

  write(value: unknown): void {
    const text = stringifyJson(value, this.#indent);
    if (!this.#isListOpen) this.#sink.write(`${text}\n`);
    else this.#sink.write(`${this.#isListEmpty ? "" : ","}\n${text}`);
    this.#isListEmpty = false;
  }

  /** Closes an open list. */
  end(): void {
    if (this.#isListOpen) this.#sink.write(this.#isListEmpty ? "]\n" : "\n]\n");
    this.#isListOpen = false;
    this.#isListEmpty = true;
  }
}
