// Text that comes in pieces → the whole JSON objects in it: one body, the elements of a list, or one per line. It only
// finds where each ends; reading them is parseJson's work.

/** What can change the depth, or whether a bracket counts. */
const SIGN = /["\\{}[\]]/g;

export class JsonValues {
  /** The pieces of the object in hand. */
  #pieces = "";
  /** How deep within an object the reader is; 0 between objects, where only `[`, `,`, `]` and spaces are expected. */
  #depth = 0;
  #isInString = false;
  /** The last sign was a backslash within a string. */
  #isEscaped = false;

  /** The objects that are complete now. */
  push(text: string): string[] {
    const found: string[] = [];
    let from = this.#depth > 0 ? 0 : -1;
    let at = 0;
    if (this.#isEscaped && text !== "") {
      at = 1;
      this.#isEscaped = false;
    }
    SIGN.lastIndex = at;
    for (let match = SIGN.exec(text); match !== null; match = SIGN.exec(text)) {
      const sign = match[0];
      if (this.#isInString) {
        if (sign === '"') this.#isInString = false;
        else if (sign === "\\") {
          if (match.index + 1 === text.length) this.#isEscaped = true;
          SIGN.lastIndex = match.index + 2;
        }
      } else if (sign === "{" || (sign === "[" && this.#depth > 0)) {
        if (this.#depth++ === 0) from = match.index;
      } else if (this.#depth > 0 && (sign === "}" || sign === "]")) {
        if (--this.#depth > 0) continue;
        found.push(this.#pieces + text.slice(from, match.index + 1));
        this.#pieces = "";
        from = -1;
      } else if (sign === '"' && this.#depth > 0) this.#isInString = true;
    }
    if (from >= 0) this.#pieces += text.slice(from);
    return found;
  }
}
