// Converts text offsets, because Gemini counts UTF-8 bytes and the canonical model counts UTF-16 code units.

/** Converts offsets in one text between UTF-8 bytes and UTF-16 code units. */
export class Utf8Offsets {
  /** Number of UTF-8 bytes before each code unit, and before the end of the text. */
  readonly #bytesBefore: Uint32Array;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#bytesBefore = new Uint32Array(text.length + 1);
    let bytes = 0;
    for (let at = 0; at < text.length; at++) {
      const codeUnit = text.charCodeAt(at);
      // A surrogate pair has four bytes in UTF-8, counted as two for each code unit. A lone surrogate is sent as
      // U+FFFD, which has three bytes.
      bytes += codeUnit < 0x80 ? 1 : codeUnit < 0x800 ? 2 : this.#isPairAt(at) || this.#isPairAt(at - 1) ? 2 : 3;
      this.#bytesBefore[at + 1] = bytes;
    }
  }

  /** True if a surrogate pair begins at the index. */
  #isPairAt(at: number): boolean {
    return (this.#text.charCodeAt(at) & 0xfc00) === 0xd800 && (this.#text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  }

  /** Returns the number of bytes before the code unit at an index. */
  toByte(unit: number): number {
    return this.#bytesBefore[Math.min(unit, this.#text.length)] ?? 0;
  }

  /** Returns the index of the code unit at a byte offset; undefined if no character begins there. */
  toUnit(byte: unknown): number | undefined {
    let [low, high] = [0, this.#text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.toByte(middle) < Number(byte)) low = middle + 1;
      else high = middle;
    }
    return this.#bytesBefore[low] === byte && !this.#isPairAt(low - 1) ? low : undefined;
  }
}
