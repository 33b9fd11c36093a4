// A vocabulary, two ways: one table instead of two mappers.

/** Pairs of words: the model's and the wire's. Of several pairs with one word, the first is the plain one. */
export class Terms<Ours extends string, Theirs extends string> {
  readonly #toTheirs = new Map<string, Theirs>();
  readonly #toOurs = new Map<string, Ours>();

  constructor(pairs: readonly (readonly [ours: Ours, theirs: Theirs])[]) {
    for (const [ours, theirs] of pairs) {
      if (!this.#toTheirs.has(ours)) this.#toTheirs.set(ours, theirs);
      if (!this.#toOurs.has(theirs)) this.#toOurs.set(theirs, ours);
    }
  }

  /** The wire's plain word for one of the model's. */
  theirs(ours: string): Theirs | undefined {
    return this.#toTheirs.get(ours);
  }

  /** The model's word for one of the wire's. */
  ours(theirs: string): Ours | undefined {
    return this.#toOurs.get(theirs);
  }
}
