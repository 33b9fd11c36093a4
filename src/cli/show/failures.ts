// Failures as they happen: a line each on standard error, and after many only their number.
import type { CliIo } from "../io.ts";
import type { Failure } from "../write/report.ts";
import type { Progress } from "./progress.ts";
import { paintFor } from "./style.ts";
import type { Paint } from "./style.ts";
import { visibleLine } from "./visible.ts";

const SHOWN = 100;

export class FailureLog {
  #count = 0;
  readonly #io: CliIo;
  readonly #progress: Progress;
  readonly #paint: Paint;
  readonly #hint: string;

  /** `hint` says where all of them can be found. */
  constructor(io: CliIo, progress: Progress, hint: string) {
    this.#io = io;
    this.#progress = progress;
    this.#paint = paintFor(io.stderr, io.env);
    this.#hint = hint;
  }

  add({ message }: Failure, { file, line }: { file: string; line: number }): void {
    this.#count++;
    if (this.#count > SHOWN + 1) return;
    this.#progress.clear();
    const place = visibleLine(`${file}:${line}:`);
    const text =
      this.#count > SHOWN
        ? `More records fail; the rest of them are only counted here. ${this.#hint}`
        : `${this.#paint("bold", place)} ${visibleLine(message)}`;
    this.#io.stderr.write(`${text}\n`);
  }
}
