// Splits a stream of text into the texts of complete JSON objects. The stream contains one body, a list of objects, or
// one object per line. The texts are not parsed here.

/** Matches a character that changes the nesting depth, begins or ends a string, or escapes the next character. */
const STRUCTURAL_CHARACTER = /["\\{}[\]]/g;

export class JsonObjectSplitter {
  /** The text so far of an object that is not complete. */
  #openObject = "";
  /** The nesting depth; 0 between objects, where only `[`, `,`, `]` and white space occur. */
  #depth = 0;
  #isInString = false;
  /** True if the last character was a backslash within a string. */
  #isEscaped = false;

  /** Adds a chunk of text and returns the text of each object that the chunk completes. */
  push(text: string): string[] {
    const objects: string[] = [];
    let from = this.#depth > 0 ? 0 : -1;
    let at = 0;
    if (this.#isEscaped && text !== "") {
      at = 1;
      this.#isEscaped = false;
    }
    STRUCTURAL_CHARACTER.lastIndex = at;
    for (let match = STRUCTURAL_CHARACTER.exec(text); match !== null; match = STRUCTURAL_CHARACTER.exec(text)) {
      const sign = match[0];
      if (this.#isInString) {
        if (sign === '"') this.#isInString = false;
        else if (sign === "\\") {
          if (match.index + 1 === text.length) this.#isEscaped = true;
          STRUCTURAL_CHARACTER.lastIndex = match.index + 2;
        }
      } else if (sign === "{" || (sign === "[" && this.#depth > 0)) {
        if (this.#depth++ === 0) from = match.index;
      } else if (this.#depth > 0 && (sign === "}" || sign === "]")) {
        if (--this.#depth > 0) continue;
        objects.push(this.#openObject + text.slice(from, match.index + 1));
        this.#openObject = "";
        from = -1;
      } else if (sign === '"' && this.#depth > 0) this.#isInString = true;
    }
    if (from >= 0) this.#openObject += text.slice(from);
    return objects;
  }
}
