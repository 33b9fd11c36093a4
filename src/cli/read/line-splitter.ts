// Splits bytes into lines and skips blank lines. Only complete lines are decoded, because the end of a chunk can be
// within a character.
import type { RawRecord } from "./raw-record.ts";
import { MAX_RECORD_BYTES, createRawRecord, TOO_LONG_PROBLEM } from "./raw-record.ts";

const LINE_FEED = 10;
const BLANK = /^\s*$/;

export class LineSplitter {
  /** Copies of the bytes of the incomplete line; empty if the line is too long. */
  #pending: Buffer[] = [];
  #pendingLength = 0;
  #line = 1;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_RECORD_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk and returns the lines that it completes. */
  push(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      if (this.#pendingLength === 0) this.#add(records, chunk, from, at);
      else {
        this.#addPending(chunk.subarray(from, at));
        this.#finishLine(records);
      }
      from = at + 1;
      this.#line++;
    }
    if (from < chunk.length) this.#addPending(chunk.subarray(from));
    return records;
  }

  /** Ends the input. Returns the last line if no line feed ended it, otherwise an empty list. */
  end(): RawRecord[] {
    const records: RawRecord[] = [];
    if (this.#pendingLength > 0) this.#finishLine(records);
    return records;
  }

  /** Adds bytes to the incomplete line. The bytes of a line that is too long are counted but not stored. */
  #addPending(bytes: Buffer): void {
    this.#pendingLength += bytes.length;
    if (this.#pendingLength > this.#maxBytes) this.#pending = [];
    else this.#pending.push(Buffer.from(bytes));
  }

  #finishLine(records: RawRecord[]): void {
    if (this.#pendingLength > this.#maxBytes) records.push({ line: this.#line, text: "", problem: TOO_LONG_PROBLEM });
    else this.#add(records, Buffer.concat(this.#pending), 0, this.#pendingLength);
    this.#pending = [];
    this.#pendingLength = 0;
  }

  #add(records: RawRecord[], bytes: Buffer, from: number, to: number): void {
    // Only lines that are short or begin with white space can be blank; to test every line would be slow.
    if (to - from <= 1 || (bytes[from] ?? 0) <= 32) {
      if (BLANK.test(bytes.toString("utf8", from, to))) return;
    }
    records.push(createRawRecord(bytes, from, to, this.#line));
  }
}
