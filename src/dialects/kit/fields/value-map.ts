// Converts between canonical values and wire values, such as roles and finish reasons, with a table of pairs.

/** Pairs of a canonical value and a wire value. If a value is in several pairs, it is converted by the first pair. */
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
