// Creates and checks the opening line and the closing line of a file with several exported threads. Between them are
// the lines of the threads. The closing line contains the number of threads, so that an incomplete file is detected.
import { LedgerError } from "../errors.ts";
import { FORMAT, FORMAT_VERSION, encodeLine } from "./line-format.ts";

/** The opening line, which is the first line of a file with several threads. */
export const OPENING_LINE = encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all" });

/** Returns the closing line, which is the last line of a file with several threads. `threads` is their number. */
export function createClosingLine(threads: number): string {
  return encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all-end", threads });
}

/** Checks the opening and closing lines of files with several threads, and counts the threads between them. */
export class MultiThreadFile {
  #threads: number | undefined;

  /**
   * Returns true if a line is an opening or a closing line. Throws if the number in a closing line differs from the
   * number of threads since the opening line, or if an opening line follows another one without a closing line between
   * them.
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

  /**
   * Throws if there was an opening line but no closing line, because the file is then truncated. Called at the end of
   * the input, and at the opening line of the next file.
   */
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
