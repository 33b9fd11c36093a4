// Splits the bytes of an event stream at event boundaries, so that an error event can be inserted between two events.

const LF = 10;
const CR = 13;
/** The end of an event, as a string, because `Buffer.lastIndexOf` searches for strings with native code. */
const DOUBLE_LF = "\n\n";

export class EventByteSplitter {
  /** The bytes of complete events that have not been taken yet. */
  #complete: Uint8Array[] = [];
  /** The bytes of the last event as long as it is incomplete. */
  #partial: Uint8Array[] = [];
  /** The last three bytes that arrived. They are needed because a blank line may span two chunks. */
  #lastBytes: readonly [number, number, number] = [0, 0, 0];

  push(chunk: Uint8Array): void {
    const { length } = chunk;
    if (length === 0) return;
    const end = this.#findEndOfEvents(chunk);
    const [, b, c] = this.#lastBytes;
    this.#lastBytes = [chunk[length - 3] ?? (length === 2 ? c : b), chunk[length - 2] ?? c, chunk[length - 1] ?? 0];
    if (end === 0) {
      this.#partial.push(chunk);
      return;
    }
    if (this.#partial.length > 0) {
      this.#complete.push(...this.#partial);
      this.#partial = [];
    }
    if (end === length) this.#complete.push(chunk);
    else {
      this.#complete.push(chunk.subarray(0, end));
      this.#partial.push(chunk.subarray(end));
    }
  }

  /** Removes and returns the bytes of all complete events; undefined if no event is complete. */
  take(): Uint8Array | undefined {
    const complete = this.#complete;
    if (complete.length === 0) return undefined;
    this.#complete = [];
    return complete.length === 1 ? complete[0] : Buffer.concat(complete);
  }

  /** Removes and returns all bytes, including those of an incomplete event; undefined if there are no bytes. */
  drain(): Uint8Array | undefined {
    this.#complete.push(...this.#partial);
    this.#partial = [];
    return this.take();
  }

  /** Returns the offset of the byte after the last blank line of a chunk; 0 if no event ends in the chunk. */
  #findEndOfEvents(chunk: Uint8Array): number {
    const { length } = chunk;
    if (chunk[length - 1] === LF && chunk[length - 2] === LF) return length;
    const plain = Buffer.from(chunk.buffer, chunk.byteOffset, length).lastIndexOf(DOUBLE_LF);
    if (plain >= 0) return plain + DOUBLE_LF.length;
    for (let at = length - 1; at >= 0; at -= 1) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) continue;
      const before = this.#byteAt(chunk, at - 1);
      // An event ends with a line end and a blank line: LF LF, CR CR, or CR LF CR LF. The condition is true at the last
      // byte.
      if (before === byte || (byte === LF && before === CR && this.#byteAt(chunk, at - 2) === LF)) return at + 1;
    }
    return 0;
  }

  /** Returns a byte of the chunk; a negative index refers to the bytes before the chunk. */
  #byteAt(chunk: Uint8Array, index: number): number | undefined {
    return index >= 0 ? chunk[index] : this.#lastBytes[this.#lastBytes.length + index];
  }
}
