// A map that keeps the entries that were used last.

export class LastUsed<Key, Value> {
  private readonly entries = new Map<Key, Value>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.take(key);
    if (value !== undefined) this.entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.most) return;
    // The first one is the one that was not used for longest.
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
  }

  /** Gives an entry and forgets it. */
  take(key: Key): Value | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.entries.delete(key);
    return value;
  }
}
