// Creates and checks the first and the last line of a file with several exported threads. The last line contains the
// number of threads, so that an incomplete file is detected. Between the two lines are the lines of the individual
// threads.
import { LedgerError } from "../errors.ts";
import { FORMAT, FORMAT_VERSION, encodeLine } from "./line-format.ts";

/** The first line of a file with several threads. */
export const OPENING_LINE = encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all" });

/** Returns the last line of a file that contains `threads` threads. */
export function createClosingLine(threads: number): string {
  return encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all-end", threads });
}

/** Checks the first and the last line of a file with several threads, and counts the threads between them. */
export class MultiThreadFile {
  #threads: number | undefined;

  /**
   * Returns true if a line is the first or the last line of a file with several threads. Throws if the number in the
   * last line differs from the number of threads, or if a first line follows although the file before it has no last
   * line.
   */
  consume(line: string, lineNumber: number): boolean {
    const text = `${line.trim()}\n`;
    if (text === OPENING_LINE) {
      try {
        this.end(lineNumber);
      } finally {
        this.#threads = 0;
      }
      return true;
    }
    const threads = this.#threads ?? 0;
    if (text.startsWith(CLOSING_PREFIX)) {
      this.#threads = undefined;
      if (text === createClosingLine(threads)) return true;
      throw createLineError(
        lineNumber,
        `The file's thread count differs from the ${threads} threads that were read; threads are missing.`,
      );
    }
    return false;
  }

  /** Counts a thread. Called before the lines of each thread are read. */
  addThread(): void {
    if (this.#threads !== undefined) this.#threads++;
  }

  /** Throws if the current file has no last line. Called at the end of the input and before the next file. */
  end(lineNumber: number): void {
    const threads = this.#threads;
    this.#threads = undefined;
    if (threads === undefined) return;
    throw createLineError(
      lineNumber,
      `The file is incomplete: it has no last line, and threads after the first ${threads} may be missing.`,
    );
  }
}

const CLOSING_PREFIX = createClosingLine(0).slice(0, -"0}\n".length);

function createLineError(line: number, message: string): LedgerError {
  return new LedgerError("invalid-input", `Line ${line}: ${message}`, { line });
}
