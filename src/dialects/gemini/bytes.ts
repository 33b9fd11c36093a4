// Positions in a text: Gemini counts bytes of UTF-8, the model counts UTF-16 units.

/** The two numberings of one text, both ways. */
export class Bytes {
  /** How many bytes there are before each unit, and before the end. */
  readonly #before: Uint32Array;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#before = new Uint32Array(text.length + 1);
    let bytes = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      // Four bytes are two units: half of them for each. A half alone goes out as U+FFFD.
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : this.#isPair(at) || this.#isPair(at - 1) ? 2 : 3;
      this.#before[at + 1] = bytes;
    }
  }

  /** Whether a character that takes two units begins there. */
  #isPair(at: number): boolean {
    return (this.#text.charCodeAt(at) & 0xfc00) === 0xd800 && (this.#text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  }

  /** How many bytes there are before a unit. */
  byte(unit: number): number {
    return this.#before[Math.min(unit, this.#text.length)] ?? 0;
  }

  /** The unit before which there are so many bytes; undefined where no character begins there. */
  unit(byte: unknown): number | undefined {
    let [low, high] = [0, this.#text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.byte(middle) < Number(byte)) low = middle + 1;
      else high = middle;
    }
    return this.#before[low] === byte && !this.#isPair(low - 1) ? low : undefined;
  }
}
