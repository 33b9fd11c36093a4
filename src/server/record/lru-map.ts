// Implements a map that keeps the most recently used entries. It consists of two generations, because deleting the
// oldest entries of a single `Map` is slow: the more leading keys were deleted, the longer the search for the oldest
// key takes.

export class LruMap<Key, Value> {
  #recent = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #generationSize: number;

  /**
   * Creates a map of at most `maxEntries`. A full map discards the half of its entries that was used least recently.
   */
  constructor(maxEntries: number) {
    this.#generationSize = Math.ceil(maxEntries / 2);
  }

  get size(): number {
    return this.#recent.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const before = this.#old.get(key);
    if (before !== undefined) this.set(key, before);
    return before;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#recent.set(key, value);
    if (this.#recent.size < this.#generationSize) return;
    this.#old = this.#recent;
    this.#recent = new Map();
  }

  /** Removes an entry and returns its value; undefined if there is no entry. */
  take(key: Key): Value | undefined {
    const value = this.#recent.get(key) ?? this.#old.get(key);
    this.#recent.delete(key);
    this.#old.delete(key);
    return value;
  }
}
