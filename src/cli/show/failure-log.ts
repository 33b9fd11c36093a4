// Prints each failure as a line on standard error; after MAX_SHOWN_FAILURES the failures are only counted.
import type { CliIo } from "../io.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import type { Progress } from "./progress.ts";
import { createPaint } from "./style.ts";
import type { Paint } from "./style.ts";
import { escapeToLine } from "./escape-unsafe.ts";

const MAX_SHOWN_FAILURES = 100;

export class FailureLog {
  #count = 0;
  readonly #io: CliIo;
  readonly #progress: Progress;
  readonly #paint: Paint;
  readonly #hint: string;

  /** `hint` is a sentence that names the option that lists all failures, or an empty text. */
  constructor(io: CliIo, progress: Progress, hint: string) {
    this.#io = io;
    this.#progress = progress;
    this.#paint = createPaint(io.stderr, io.env);
    this.#hint = hint;
  }

  add({ message }: RecordFailure, { file, line }: { file: string; line: number }): void {
    this.#count++;
    if (this.#count > MAX_SHOWN_FAILURES + 1) return;
    this.#progress.clear();
    const position = escapeToLine(`${file}:${line}:`);
    const text =
      this.#count > MAX_SHOWN_FAILURES
        ? `More records failed; further failures are only counted. ${this.#hint}`
        : `${this.#paint("bold", position)} ${escapeToLine(message)}`;
    this.#io.stderr.write(`${text}\n`);
  }
}
