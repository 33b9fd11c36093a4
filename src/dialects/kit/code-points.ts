// Positions in a text: providers that count characters count code points, the model counts UTF-16 units.

/** The two numberings of one text, both ways. Beyond its end both go on by ones, so that no position is lost. */
export class CodePoints {
  length = 0;
  /** Where the characters are that take two units. */
  readonly #pairs: number[] = [];
  /** The text so far ends in the first half of a character. */
  #isHalf = false;

  constructor(text: string) {
    this.append(text);
  }

  /** How many characters there are. */
  get count(): number {
    return this.length - this.#pairs.length;
  }

  /** The text goes on. */
  append(text: string): void {
    let at = 0;
    // Two halves in a row are one character; a half alone is one, too.
    if (this.#isHalf && (text.charCodeAt(0) & 0xfc00) === 0xdc00) {
      this.#pairs.push(this.length - 1);
      at = 1;
    }
    if (text.length > 0) this.#isHalf = false;
    for (; at < text.length; at++) {
      if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
      if ((text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) this.#pairs.push(this.length + at++);
      else this.#isHalf = at === text.length - 1;
    }
    this.length += text.length;
  }

  /** The unit at which a code point begins. */
  units(point: number): number {
    return point + this.#counted((pair, before) => pair - before < point);
  }

  /** How many code points begin before a unit. */
  points(unit: number): number {
    return unit - this.#counted((pair) => pair + 1 < unit);
  }

  /** How many pairs hold a condition that holds up to some pair and no further. */
  #counted(holds: (pair: number, before: number) => boolean): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.#pairs[middle] ?? 0, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
