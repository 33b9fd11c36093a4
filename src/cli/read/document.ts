// Bytes → the JSON values in them: whole documents one after the other, and the elements of a list that is a whole
// document, each as it arrives. It only finds where a value ends. What stands between values and should not is a
// problem of its own, so that nothing vanishes there.
import type { Piece } from "./piece.ts";
import { LONGEST, pieceOf, TOO_LONG } from "./piece.ts";

/** A value, or the end of a list of values. */
export type Cut = (Piece & { end?: never }) | { end: "list"; line: number };

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Strings longer than this are worth a search by the engine. */
const NEAR = 24;

function backslashesBefore(chunk: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return end - at;
}

/** What the reader is in: between values; an object, list or text; a number or a word. */
type Place = "between" | "value" | "word";

export class DocumentSplitter {
  #place: Place = "between";
  #inList = false;
  #needsComma = false;
  #afterComma = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** Where the value in hand, or the list, begins. */
  #valueLine = 1;
  #listLine = 1;
  #held: Buffer[] = [];
  #heldLength = 0;
  #cuts: Cut[] = [];

  /** What is complete now. */
  push(chunk: Buffer): Cut[] {
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === "between") at = this.#between(chunk, at);
      else {
        const end = this.#place === "word" ? this.#wordEnd(chunk, at) : this.#valueEnd(chunk, at);
        if (end < 0) {
          this.#hold(chunk.subarray(at));
          break;
        }
        this.#finish(chunk, at, end);
        at = end;
      }
    }
    return this.#take();
  }

  /** What is left when no more bytes come. */
  end(): Cut[] {
    if (this.#place === "word") this.#finish(Buffer.alloc(0), 0, 0);
    if (this.#place === "value") this.#complain("The input ends within this value.", this.#valueLine);
    if (this.#inList) {
      this.#complain(`The list that begins on line ${this.#listLine} has no end.`);
      this.#cuts.push({ end: "list", line: this.#line });
    }
    return this.#take();
  }

  #take(): Cut[] {
    const cuts = this.#cuts;
    this.#cuts = [];
    return cuts;
  }

  #complain(problem: string, line = this.#line): void {
    const cut: Cut = { line, text: "", problem };
    if (this.#inList) cut.listed = true;
    this.#cuts.push(cut);
  }

  /** Reads one byte between values; a value begins with a byte that is left to it. */
  #between(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (byte === LINE_FEED) this.#line++;
    if (byte === LINE_FEED || byte === 32 || byte === 13 || byte === 9) return at + 1;
    if (this.#inList && byte === CLOSE) {
      if (this.#afterComma) this.#complain("A comma stands before the end of the list.");
      this.#inList = false;
      this.#cuts.push({ end: "list", line: this.#listLine });
      return at + 1;
    }
    if (this.#inList && byte === COMMA) {
      if (!this.#needsComma) this.#complain("A comma stands where a value should.");
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
    if (this.#inList && this.#needsComma) this.#complain("A comma is missing between two values of the list.");
    this.#valueLine = this.#line;
    this.#place = byte === QUOTE || byte === OPEN || byte === OPEN_BRACE ? "value" : "word";
    return at;
  }

  /** Where the object, list or text in hand ends, exclusive; negative where it goes on. */
  #valueEnd(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#isInString) {
        at = this.#stringEnd(chunk, at);
        if (this.#isInString) return -1;
        if (this.#depth === 0) return at;
      }
      at = this.#structureEnd(chunk, at);
      if (this.#depth === 0 && !this.#isInString) return at;
    }
    return -1;
  }

  /** Goes on to where a string begins, or behind the bracket that ends the value. */
  #structureEnd(chunk: Buffer, from: number): number {
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

  /** Goes on behind the quote that ends the string, or to the end of the chunk. Long strings are searched by the engine. */
  #stringEnd(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at++;
    }
    const near = Math.min(chunk.length, at + NEAR);
    for (; at < near; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte === BACKSLASH) {
        // What it escapes is skipped, in the next chunk if need be.
        if (++at === chunk.length) this.#isEscaped = true;
      } else if (byte === LINE_FEED) this.#line++;
    }
    return at < chunk.length ? this.#farEnd(chunk, at) : chunk.length;
  }

  /** A quote ends the string unless an odd number of backslashes stands before it. `from` is not escaped. */
  #farEnd(chunk: Buffer, from: number): number {
    let at = from;
    for (let quote = chunk.indexOf(QUOTE, at); quote >= 0; quote = chunk.indexOf(QUOTE, at)) {
      at = quote + 1;
      if (backslashesBefore(chunk, quote, from) % 2 === 1) continue;
      this.#isInString = false;
      return at;
    }
    this.#isEscaped = backslashesBefore(chunk, chunk.length, from) % 2 === 1;
    return chunk.length;
  }

  /** Numbers and words end before a space or a mark; a mark that begins nothing is a word by itself. */
  #wordEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const isMark = byte === COMMA || byte === CLOSE || byte === CLOSE_BRACE || byte === QUOTE;
      if (isMark || byte <= 32 || byte === OPEN || byte === OPEN_BRACE)
        return at === from && this.#heldLength === 0 ? at + 1 : at;
    }
    return -1;
  }

  #hold(bytes: Buffer): void {
    this.#heldLength += bytes.length;
    if (this.#heldLength > LONGEST) this.#held = [];
    else this.#held.push(Buffer.from(bytes));
  }

  #finish(chunk: Buffer, from: number, end: number): void {
    let cut: Piece;
    if (this.#heldLength === 0) cut = pieceOf(chunk, from, end, this.#valueLine);
    else {
      this.#hold(chunk.subarray(from, end));
      if (this.#heldLength > LONGEST) cut = { line: this.#valueLine, text: "", problem: TOO_LONG };
      else cut = pieceOf(Buffer.concat(this.#held), 0, this.#heldLength, this.#valueLine);
    }
    if (this.#inList) cut.listed = true;
    this.#cuts.push(cut);
    this.#held = [];
    this.#heldLength = 0;
    this.#place = "between";
    this.#needsComma = true;
    this.#afterComma = false;
  }
}
