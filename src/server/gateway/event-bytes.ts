// Bytes of an event stream on their way through: whole events only, so that whatever must be said next stands between
// two of them.

const LF = 10;
const CR = 13;
/** Node's search of bytes for a text. */
const DOUBLE_LF = "\n\n";

export class EventBytes {
  /** Whole events. */
  #whole: Uint8Array[] = [];
  /** The beginning of the next one. */
  #begun: Uint8Array[] = [];
  /** The last three bytes that came: a blank line may lie across two pieces. */
  #last: readonly [number, number, number] = [0, 0, 0];

  push(chunk: Uint8Array): void {
    const { length } = chunk;
    if (length === 0) return;
    const end = this.#endOfEvents(chunk);
    const [, b, c] = this.#last;
    this.#last = [chunk[length - 3] ?? (length === 2 ? c : b), chunk[length - 2] ?? c, chunk[length - 1] ?? 0];
    if (end === 0) {
      this.#begun.push(chunk);
      return;
    }
    if (this.#begun.length > 0) {
      this.#whole.push(...this.#begun);
      this.#begun = [];
    }
    if (end === length) this.#whole.push(chunk);
    else {
      this.#whole.push(chunk.subarray(0, end));
      this.#begun.push(chunk.subarray(end));
    }
  }

  /** All whole events that have come; undefined where there are none. */
  take(): Uint8Array | undefined {
    const whole = this.#whole;
    if (whole.length === 0) return undefined;
    this.#whole = [];
    return whole.length === 1 ? whole[0] : Buffer.concat(whole);
  }

  /** Everything that has come, whole or not. */
  drain(): Uint8Array | undefined {
    this.#whole.push(...this.#begun);
    this.#begun = [];
    return this.take();
  }

  /** Where the last whole event ends in a piece: behind its last blank line; 0 where there is none. */
  #endOfEvents(chunk: Uint8Array): number {
    const { length } = chunk;
    if (chunk[length - 1] === LF && chunk[length - 2] === LF) return length;
    const plain = Buffer.from(chunk.buffer, chunk.byteOffset, length).lastIndexOf(DOUBLE_LF);
    if (plain >= 0) return plain + DOUBLE_LF.length;
    for (let at = length - 1; at >= 0; at -= 1) {
      const sign = chunk[at];
      if (sign !== LF && sign !== CR) continue;
      const before = this.#at(chunk, at - 1);
      // LF LF, CR CR, or CR LF CR LF.
      if (before === sign || (sign === LF && before === CR && this.#at(chunk, at - 2) === LF)) return at + 1;
    }
    return 0;
  }

  /** A byte of a piece, or of what came before it. */
  #at(chunk: Uint8Array, index: number): number | undefined {
    return index >= 0 ? chunk[index] : this.#last[this.#last.length + index];
  }
}
