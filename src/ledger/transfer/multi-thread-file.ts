// The first and last line of an export of several threads; the last one contains their number, so that an incomplete
// file is detected. The lines between them are those of single exports.
import { LedgerError } from "../errors.ts";
import { FORMAT, FORMAT_VERSION, encodeLine } from "./line-format.ts";

/** The first line of a file of several threads. */
export const OPENING_LINE = encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all" });

/** Returns the last line of a file with this many threads. */
export function createClosingLine(threads: number): string {
  return encodeLine({ format: FORMAT, version: FORMAT_VERSION, kind: "all-end", threads });
}

/** Counts the threads of a file between its first and last line. */
export class MultiThreadFile {
  #threads: number | undefined;

  /** Returns true if the line is the first or last line of a file. Throws if threads are missing. */
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

  /** Called at the beginning of a thread. */
  addThread(): void {
    if (this.#threads !== undefined) this.#threads++;
  }

  /** Called after the last line, or before another file. Throws if the file has no last line. */
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
