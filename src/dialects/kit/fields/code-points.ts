// Converts offsets in a text: some providers count code points, canonical annotations count UTF-16 code units.

/**
 * Converts offsets in one text between code points and UTF-16 code units. Beyond the end of the text, each code point
 * counts as one unit, so an offset that is too large survives the conversion in both directions.
 */
export class CodePointIndex {
  /** The length of the text so far, in UTF-16 code units. */
  length = 0;
  /** The unit offsets of the surrogate pairs, which are characters of two units, in ascending order. */
  readonly #surrogatePairs: number[] = [];
  /** True if the text so far ends in a high surrogate. */
  #endsInHighSurrogate = false;

  constructor(text: string) {
    this.append(text);
  }

  get codePointCount(): number {
    return this.length - this.#surrogatePairs.length;
  }

  /** Appends a chunk to the text. */
  append(text: string): void {
    let at = 0;
    // A high surrogate at the end of the previous chunk and a low surrogate at the start of this chunk are one code
    // point. A lone surrogate is a code point, too.
    if (this.#endsInHighSurrogate && (text.charCodeAt(0) & 0xfc00) === 0xdc00) {
      this.#surrogatePairs.push(this.length - 1);
      at = 1;
    }
    if (text.length > 0) this.#endsInHighSurrogate = false;
    for (; at < text.length; at++) {
      if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
      if ((text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) this.#surrogatePairs.push(this.length + at++);
      else this.#endsInHighSurrogate = at === text.length - 1;
    }
    this.length += text.length;
  }

  /** Returns the offset of the unit at which a code point begins. */
  toUnitOffset(codePoint: number): number {
    return codePoint + this.#countPairs((pair, pairsBefore) => pair - pairsBefore < codePoint);
  }

  /** Returns the number of code points that begin before a unit, which is the code point offset of that unit. */
  toCodePointOffset(unit: number): number {
    return unit - this.#countPairs((pair) => pair + 1 < unit);
  }

  /**
   * Counts the surrogate pairs for which a condition holds, by binary search. These pairs must precede all pairs for
   * which it does not hold.
   */
  #countPairs(condition: (pair: number, pairsBefore: number) => boolean): number {
    let [low, high] = [0, this.#surrogatePairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (condition(this.#surrogatePairs[middle] ?? 0, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
