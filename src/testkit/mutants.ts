// Mutants of a wire value: every field deleted, retyped, or given a neighbour that nobody knows. As many as are wanted,
// chosen the same way every time; of places that differ only in list positions one stands for all.
import { sameJson } from "../model/json/index.ts";
import { isObject } from "../model/value-kind.ts";
import { evenly, patternOf } from "./choice.ts";
import type { Place } from "./places.ts";
import { places, withoutPlace, withPlace } from "./places.ts";

export const ODD: readonly unknown[] = [null, 0, "odd", true, [], {}, ["odd"], { odd: 1 }];
/** Fields that nobody knows; the second is one that careless code sets instead of keeping (B79). */
export const NEW: readonly [name: string, value: unknown][] = [
  ["brand_new", { field: 1 }],
  ["__proto__", { odd: 1 }],
];

export interface Mutant {
  /** What was done, for people. */
  what: string;
  path: string;
  wire: unknown;
}
type Recipe = Omit<Mutant, "wire"> & { make: () => unknown };

/** Objects with one more field. */
export function grownMutants(wire: unknown, limit: number, salt: string): Mutant[] {
  const recipes = onePerPattern(wire).flatMap(({ path, keys, value }) => {
    if (!isObject(value)) return [];
    return NEW.map(([name, field]): Recipe => {
      return { what: `a new field "${name}"`, path, make: () => withPlace(wire, [...keys, name], field) };
    });
  });
  return choose(recipes, limit, salt);
}

/** Values with one field deleted or retyped. */
export function oddMutants(wire: unknown, limit: number, salt: string): Mutant[] {
  const recipes = onePerPattern(wire).flatMap(({ path, keys, value }): Recipe[] => {
    const odd = ODD.filter((each) => !sameJson(each, value));
    const made = odd.map((each): Recipe => {
      return { what: `${JSON.stringify(each)} instead`, path, make: () => withPlace(wire, keys, each) };
    });
    if (keys.length > 0) made.push({ what: "nothing there", path, make: () => withoutPlace(wire, keys) });
    return made;
  });
  return choose(recipes, limit, salt);
}

/** The last of each kind of place: a list's last element has something before it. */
function onePerPattern(wire: unknown): Place[] {
  return [...new Map([...places(wire)].map((place) => [patternOf(place.path), place])).values()];
}

function choose(recipes: readonly Recipe[], limit: number, salt: string): Mutant[] {
  return evenly(recipes, limit, salt).map(({ what, path, make }) => ({ what, path, wire: make() }));
}
