// Positions in a text: providers that count characters count code points, the model counts UTF-16 units.

/** The two numberings of one text, both ways. Beyond its end both go on by ones, so that no position is lost. */
export class CodePoints {
  readonly length: number;
  /** Where the characters are that take two units. */
  private readonly pairs: number[] = [];

  constructor(text: string) {
    this.length = text.length;
    for (let at = 0; at < text.length - 1; at++) {
      // Two halves in a row are one character; a half alone is one, too.
      if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
        this.pairs.push(at++);
      }
    }
  }

  /** The unit at which a code point begins. */
  units(point: number): number {
    return point + this.count((pair, before) => pair - before < point);
  }

  /** How many code points begin before a unit. */
  points(unit: number): number {
    return unit - this.count((pair) => pair + 1 < unit);
  }

  /** How many pairs hold a condition that holds up to some pair and no further. */
  private count(holds: (pair: number, before: number) => boolean): number {
    let [low, high] = [0, this.pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.pairs[middle] ?? 0, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
