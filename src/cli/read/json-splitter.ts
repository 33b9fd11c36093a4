// Splits bytes into JSON values: consecutive documents, or the elements of a document that is a list. Finds only the
// end of each value and does not parse the value. Unexpected bytes between values are reported as problems.
import type { RawRecord } from "./raw-record.ts";
import { MAX_RECORD_BYTES, createRawRecord, TOO_LONG_PROBLEM } from "./raw-record.ts";

/** The text of one value, or the end of the current list. */
export type SplitResult = (RawRecord & { end?: never }) | { end: "list"; line: number };

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * The number of bytes of a string that are read one by one. The end of a longer string is searched with Buffer.indexOf,
 * which is faster for long strings.
 */
const SHORT_STRING = 24;

function countBackslashesBefore(chunk: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return end - at;
}

/**
 * The position of the splitter: "between" two values, in a "value" (an object, list or string), or in a "word" (a
 * number or literal).
 */
type SplitterState = "between" | "value" | "word";

export class JsonSplitter {
  #state: SplitterState = "between";
  #inList = false;
  #needsComma = false;
  #afterComma = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** The line on which the current value begins. */
  #valueLine = 1;
  /** The line on which the current list begins. */
  #listLine = 1;
  #pending: Buffer[] = [];
  #pendingLength = 0;
  #results: SplitResult[] = [];

  /** Adds a chunk and returns the values and list ends that it completes. */
  push(chunk: Buffer): SplitResult[] {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "between") at = this.#readSeparator(chunk, at);
      else {
        const end = this.#state === "word" ? this.#findScalarEnd(chunk, at) : this.#findValueEnd(chunk, at);
        if (end < 0) {
          this.#addPending(chunk.subarray(at));
          break;
        }
        this.#finishValue(chunk, at, end);
        at = end;
      }
    }
    return this.#take();
  }

  /** Ends the input. Returns the last value, and problems for an incomplete value or list. */
  end(): SplitResult[] {
    if (this.#state === "word") this.#finishValue(Buffer.alloc(0), 0, 0);
    if (this.#state === "value") this.#addProblem("The input ends within this value.", this.#valueLine);
    if (this.#inList) {
      this.#addProblem(`The list that begins on line ${this.#listLine} has no end.`);
      this.#results.push({ end: "list", line: this.#line });
    }
    return this.#take();
  }

  #take(): SplitResult[] {
    const results = this.#results;
    this.#results = [];
    return results;
  }

  #addProblem(problem: string, line = this.#line): void {
    const result: SplitResult = { line, text: "", problem };
    if (this.#inList) result.listed = true;
    this.#results.push(result);
  }

  /** Reads one byte between values. Returns the position of the next byte, or `at` if a value begins there. */
  #readSeparator(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (byte === LINE_FEED) this.#line++;
    if (byte === LINE_FEED || byte === 32 || byte === 13 || byte === 9) return at + 1;
    if (this.#inList && byte === CLOSE) {
      if (this.#afterComma) this.#addProblem("There is a comma before the end of the list.");
      this.#inList = false;
      this.#results.push({ end: "list", line: this.#listLine });
      return at + 1;
    }
    if (this.#inList && byte === COMMA) {
      if (!this.#needsComma) this.#addProblem("There is a comma instead of a value.");
      this.#needsComma = false;
      this.#afterComma = true;
      return at + 1;
    }
    if (!this.#inList && byte === OPEN) {
      this.#inList = true;
      this.#needsComma = false;
      this.#afterComma = false;
      this.#listLine = this.#line;
      return at + 1;
    }
    if (this.#inList && this.#needsComma) this.#addProblem("A comma is missing between two values of the list.");
    this.#valueLine = this.#line;
    this.#state = byte === QUOTE || byte === OPEN || byte === OPEN_BRACE ? "value" : "word";
    return at;
  }

  /** Returns the position after the current object, list or string; -1 if the chunk does not contain its end. */
  #findValueEnd(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#isInString) {
        at = this.#findStringEnd(chunk, at);
        if (this.#isInString) return -1;
        if (this.#depth === 0) return at;
      }
      at = this.#findStructureEnd(chunk, at);
      if (this.#depth === 0 && !this.#isInString) return at;
    }
    return -1;
  }

  /**
   * Returns the position after the next opening quote or after the bracket that ends the value; the end of the chunk if
   * the chunk contains neither.
   */
  #findStructureEnd(chunk: Buffer, from: number): number {
    let depth = this.#depth;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#isInString = true;
        at++;
        break;
      }
      if (byte === OPEN_BRACE || byte === OPEN) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE) {
        if (--depth > 0) continue;
        at++;
        break;
      } else if (byte === LINE_FEED) this.#line++;
    }
    this.#depth = depth;
    return at;
  }

  /** Returns the position after the closing quote, or the end of the chunk if the string continues. */
  #findStringEnd(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at++;
    }
    const near = Math.min(chunk.length, at + SHORT_STRING);
    for (; at < near; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte === BACKSLASH) {
        // Skips the escaped byte, which can be the first byte of the next chunk.
        if (++at === chunk.length) this.#isEscaped = true;
      } else if (byte === LINE_FEED) this.#line++;
    }
    return at < chunk.length ? this.#findLongStringEnd(chunk, at) : chunk.length;
  }

  /**
   * Returns the same as #findStringEnd, with Buffer.indexOf. A quote ends the string unless an odd number of
   * backslashes precedes it. The byte at `from` is not escaped.
   */
  #findLongStringEnd(chunk: Buffer, from: number): number {
    let at = from;
    for (let quote = chunk.indexOf(QUOTE, at); quote >= 0; quote = chunk.indexOf(QUOTE, at)) {
      at = quote + 1;
      if (countBackslashesBefore(chunk, quote, from) % 2 === 1) continue;
      this.#isInString = false;
      return at;
    }
    this.#isEscaped = countBackslashesBefore(chunk, chunk.length, from) % 2 === 1;
    return chunk.length;
  }

  /**
   * Returns the position after the current number or literal, which white space or punctuation ends; -1 if the chunk
   * does not contain its end. Unexpected punctuation is returned as a value, so that parsing it reports an error.
   */
  #findScalarEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const isMark = byte === COMMA || byte === CLOSE || byte === CLOSE_BRACE || byte === QUOTE;
      if (isMark || byte <= 32 || byte === OPEN || byte === OPEN_BRACE)
        return at === from && this.#pendingLength === 0 ? at + 1 : at;
    }
    return -1;
  }

  #addPending(bytes: Buffer): void {
    this.#pendingLength += bytes.length;
    if (this.#pendingLength > MAX_RECORD_BYTES) this.#pending = [];
    else this.#pending.push(Buffer.from(bytes));
  }

  #finishValue(chunk: Buffer, from: number, end: number): void {
    let result: RawRecord;
    if (this.#pendingLength === 0) result = createRawRecord(chunk, from, end, this.#valueLine);
    else {
      this.#addPending(chunk.subarray(from, end));
      if (this.#pendingLength > MAX_RECORD_BYTES)
        result = { line: this.#valueLine, text: "", problem: TOO_LONG_PROBLEM };
      else result = createRawRecord(Buffer.concat(this.#pending), 0, this.#pendingLength, this.#valueLine);
    }
    if (this.#inList) result.listed = true;
    this.#results.push(result);
    this.#pending = [];
    this.#pendingLength = 0;
    this.#state = "between";
    this.#needsComma = true;
    this.#afterComma = false;
  }
}
