// Offsets in a text: some providers count code points, the model counts UTF-16 units.

/** Converts offsets of one text both ways. Beyond its end both numberings continue by ones, so that no offset is lost. */
export class CodePointIndex {
  /** UTF-16 units of the text so far. */
  length = 0;
  /** Unit offsets of the characters that take two units. */
  readonly #surrogatePairs: number[] = [];
  /** True if the text so far ends in a high surrogate. */
  #endsInHighSurrogate = false;

  constructor(text: string) {
    this.append(text);
  }

  get codePointCount(): number {
    return this.length - this.#surrogatePairs.length;
  }

  /** Appends a further chunk of the text. */
  append(text: string): void {
    let at = 0;
    // A pair counts as one code point, also across chunks; a lone surrogate counts as one, too.
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

  /** Returns the unit at which a code point begins. */
  toUnitOffset(codePoint: number): number {
    return codePoint + this.#countPairs((pair, pairsBefore) => pair - pairsBefore < codePoint);
  }

  /** Returns the number of code points that begin before a unit. */
  toCodePointOffset(unit: number): number {
    return unit - this.#countPairs((pair) => pair + 1 < unit);
  }

  /** Counts the leading pairs for which a condition holds, by binary search; it must hold for a prefix of the pairs. */
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
