// Values to text: a line each, a JSON list that grows as its elements come, or values on their own.
import { stringifyJson } from "../../model/index.ts";
import type { Sink } from "./sink.ts";

export interface ValueOptions {
  /** "json" for a list, where `begin` says that there is one, or values by themselves; "jsonl" for a line each. */
  format: "json" | "jsonl";
  pretty?: boolean;
}

export class ValueWriter {
  readonly #sink: Sink;
  readonly #isList: boolean;
  readonly #indent: number | undefined;
  #isOpen = false;
  #isEmpty = true;

  constructor(sink: Sink, { format, pretty = false }: ValueOptions) {
    this.#sink = sink;
    this.#isList = format === "json";
    this.#indent = pretty ? 2 : undefined;
  }

  /** The values that follow are elements of a list. */
  begin(): void {
    if (!this.#isList || this.#isOpen) return;
    this.#isOpen = true;
    this.#sink.write("[");
  }

  write(value: unknown): void {
    const text = stringifyJson(value, this.#indent);
    if (!this.#isOpen) this.#sink.write(`${text}\n`);
    else this.#sink.write(`${this.#isEmpty ? "" : ","}\n${text}`);
    this.#isEmpty = false;
  }

  /** Closes a list that was begun. */
  end(): void {
    if (this.#isOpen) this.#sink.write(this.#isEmpty ? "]\n" : "\n]\n");
    this.#isOpen = false;
    this.#isEmpty = true;
  }
}
