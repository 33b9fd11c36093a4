// Splits a stream of text into complete JSON objects: one body, the elements of a list, or one object per line. Finds
// the end of each object only; parseJson parses it.

/** The characters that change the depth or the string state. */
const STRUCTURAL_CHARACTER = /["\\{}[\]]/g;

export class JsonObjectSplitter {
  /** The text so far of the object that is not complete. */
  #openObject = "";
  /** The nesting depth; 0 between objects, where only `[`, `,`, `]` and white space occur. */
  #depth = 0;
  #isInString = false;
  /** True if the last character was a backslash within a string. */
  #isEscaped = false;

  /** Adds text and returns the objects that are complete. */
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
