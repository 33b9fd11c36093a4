// An export of several threads as one file: a line that opens it and one that closes it with their number, so that a
// file that was cut off between two threads is noticed. The lines of the threads are those of single exports.
import { LedgerError } from "../errors.ts";
import { FORMAT, FORMAT_VERSION, writeLine } from "./format.ts";

/** The first line of a file of several threads. */
export const OPENING_LINE = writeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all" });

/** The last line of a file of so many threads. */
export function closingLine(threads: number): string {
  return writeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all-end", threads });
}

/** Counts the threads of a file between the line that opens it and the one that closes it. */
export class WholeFile {
  #threads: number | undefined;

  /** Takes the line where it opens or closes a file, and says whether it did. Throws where threads are missing. */
  takes(line: string, number: number): boolean {
    const text = `${line.trim()}\n`;
    if (text === OPENING_LINE) {
      try {
        this.end(number);
      } finally {
        this.#threads = 0;
      }
      return true;
    }
    const threads = this.#threads ?? 0;
    if (text.startsWith(CLOSING)) {
      this.#threads = undefined;
      if (text === closingLine(threads)) return true;
      throw refusal(number, `The file says another number of threads than have come, ${threads}; some are missing.`);
    }
    return false;
  }

  /** A thread begins. */
  count(): void {
    if (this.#threads !== undefined) this.#threads++;
  }

  /** There are no more lines, or another file begins. Throws where the file was not closed. */
  end(number: number): void {
    const threads = this.#threads;
    this.#threads = undefined;
    if (threads === undefined) return;
    throw refusal(
      number,
      `The file was cut off: it has no last line, and threads after the first ${threads} may be missing.`,
    );
  }
}

const CLOSING = closingLine(0).slice(0, -"0}\n".length);

function refusal(line: number, message: string): LedgerError {
  return new LedgerError("invalid-input", `Line ${line}: ${message}`, { line });
}
