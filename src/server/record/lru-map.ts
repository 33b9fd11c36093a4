// A map of the most recently used entries, in two generations. A single `Map` would be slow: finding its oldest key
// takes longer the more leading keys were deleted.

export class LruMap<Key, Value> {
  #recent = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #generationSize: number;

  /** Holds at most `maxEntries`, and at least half of them. */
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

  /** Returns an entry and removes it. */
  take(key: Key): Value | undefined {
    const value = this.#recent.get(key) ?? this.#old.get(key);
    this.#recent.delete(key);
    this.#old.delete(key);
    return value;
  }
}
