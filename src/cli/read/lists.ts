// A list that is a whole JSON document: a conversation where it holds messages, which is one record, else many records.
import type { Cut } from "./document.ts";
import type { Piece } from "./piece.ts";
import { LONGEST, TOO_LONG } from "./piece.ts";

export class ListGatherer {
  /** What has come of a conversation; undefined where the values are records. */
  #texts: string[] | undefined;
  #length = 0;
  #line = 0;
  #isFirst = true;
  /** Nothing has come of the list in hand, not even a problem. */
  #isEmpty = true;
  readonly #isMessage: (text: string) => boolean;

  constructor(isMessage: (text: string) => boolean) {
    this.#isMessage = isMessage;
  }

  push(cuts: readonly Cut[]): Piece[] {
    const pieces: Piece[] = [];
    for (const cut of cuts) {
      if (cut.end === "list") this.#close(cut.line, pieces);
      else if (cut.listed === true && cut.problem === undefined) this.#add(cut, pieces);
      else {
        pieces.push(cut);
        if (cut.listed === true) this.#isEmpty = false;
      }
    }
    return pieces;
  }

  #add(piece: Piece, pieces: Piece[]): void {
    if (this.#isFirst && this.#isMessage(piece.text)) {
      this.#texts = [];
      this.#line = piece.line;
    }
    this.#isFirst = false;
    this.#isEmpty = false;
    if (this.#texts === undefined) pieces.push(piece);
    else {
      this.#length += piece.text.length + 1;
      if (this.#length < LONGEST) this.#texts.push(piece.text);
    }
  }

  /** A list without values is a conversation that has not begun. */
  #close(line: number, pieces: Piece[]): void {
    if (this.#length >= LONGEST) pieces.push({ line: this.#line, text: "", problem: TOO_LONG });
    else if (this.#texts !== undefined) pieces.push({ line: this.#line, text: `[${this.#texts.join(",")}]` });
    else if (this.#isEmpty) pieces.push({ line, text: "[]" });
    this.#texts = undefined;
    this.#length = 0;
    this.#isFirst = true;
    this.#isEmpty = true;
  }
}
