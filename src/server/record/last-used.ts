// A map that keeps the entries that were used last, in two generations: finding the oldest entry of a large `Map` whose
// first ones were deleted takes longer than everything else that is done with it.

export class LruMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #half: number;

  /** At most so many are kept, and at least half of them. */
  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const before = this.#old.get(key);
    if (before !== undefined) this.set(key, before);
    return before;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Gives an entry and forgets it. */
  take(key: Key): Value | undefined {
    const value = this.#young.get(key) ?? this.#old.get(key);
    this.#young.delete(key);
    this.#old.delete(key);
    return value;
  }
}
