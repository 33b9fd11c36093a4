// Writes JSON values: one per line, as the elements of a growing list, or one after another.
import { stringifyJson } from "../../model/index.ts";
import type { OutputSink } from "./output-sink.ts";

export interface ValueWriterOptions {
  /** "jsonl": one value per line. "json": a list after `beginList`, otherwise separate values. */
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

  /** Begins a list; the following values are its elements. */
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
