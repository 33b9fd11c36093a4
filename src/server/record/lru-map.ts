// A map that contains only the most recently used entries. It has two generations, because a single `Map` would be
// slow: the search for its oldest key takes longer the more leading keys were deleted.

export class LruMap<Key, Value> {
  #recent = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #generationSize: number;

  /** The map contains at most `maxEntries`. When it is full, the half that was used least recently is discarded. */
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

  /** Removes an entry and returns its value. */
  take(key: Key): Value | undefined {
    const value = this.#recent.get(key) ?? this.#old.get(key);
    this.#recent.delete(key);
    this.#old.delete(key);
    return value;
  }
}
