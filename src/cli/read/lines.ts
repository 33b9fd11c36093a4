// Bytes → lines that are not blank, whatever the chunks. Bytes are searched, and only whole lines become text, so that
// no character is ever cut in two.
import type { Piece } from "./piece.ts";
import { LONGEST, pieceOf, TOO_LONG } from "./piece.ts";

const LINE_FEED = 10;
const BLANK = /^\s*$/;

export class LineSplitter {
  /** Copies of what has come of a line that goes on. */
  #held: Buffer[] = [];
  #heldLength = 0;
  #line = 1;
  readonly #longest: number;

  constructor(longest = LONGEST) {
    this.#longest = longest;
  }

  /** The lines that are complete now. */
  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      if (this.#heldLength === 0) this.#add(pieces, chunk, from, at);
      else {
        this.#hold(chunk.subarray(from, at));
        this.#release(pieces);
      }
      from = at + 1;
      this.#line++;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return pieces;
  }

  /** The last line, where nothing ends it. */
  end(): Piece[] {
    const pieces: Piece[] = [];
    if (this.#heldLength > 0) this.#release(pieces);
    return pieces;
  }

  /** What cannot become a text is counted, but not kept. */
  #hold(bytes: Buffer): void {
    this.#heldLength += bytes.length;
    if (this.#heldLength > this.#longest) this.#held = [];
    else this.#held.push(Buffer.from(bytes));
  }

  #release(pieces: Piece[]): void {
    if (this.#heldLength > this.#longest) pieces.push({ line: this.#line, text: "", problem: TOO_LONG });
    else this.#add(pieces, Buffer.concat(this.#held), 0, this.#heldLength);
    this.#held = [];
    this.#heldLength = 0;
  }

  #add(pieces: Piece[], bytes: Buffer, from: number, to: number): void {
    // Blank lines are short or begin with a space; a test of every line would be dear.
    if (to - from <= 1 || (bytes[from] ?? 0) <= 32) {
      if (BLANK.test(bytes.toString("utf8", from, to))) return;
    }
    pieces.push(pieceOf(bytes, from, to, this.#line));
  }
}
