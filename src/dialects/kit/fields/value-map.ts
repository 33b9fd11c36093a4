// A two-way table of values that map one to one, such as roles and finish reasons.

/** Pairs of a model value and a wire value. If several pairs share a value, its first pair is the plain one. */
export class ValueMap<ModelValue extends string, WireValue extends string> {
  readonly #wireValues = new Map<string, WireValue>();
  readonly #modelValues = new Map<string, ModelValue>();

  constructor(pairs: readonly (readonly [model: ModelValue, wire: WireValue])[]) {
    for (const [model, wire] of pairs) {
      if (!this.#wireValues.has(model)) this.#wireValues.set(model, wire);
      if (!this.#modelValues.has(wire)) this.#modelValues.set(wire, model);
    }
  }

  toWire(model: string): WireValue | undefined {
    return this.#wireValues.get(model);
  }

  toModel(wire: string): ModelValue | undefined {
    return this.#modelValues.get(wire);
  }
}
