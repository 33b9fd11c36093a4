// Creates mutants of a wire value, in which one field is deleted, added or has a value of another type. The selection
// is deterministic and has one node per path pattern.
import { sameJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { pickEvenly, toPathPattern } from "../pick-evenly.ts";
import type { JsonNode } from "../json/json-nodes.ts";
import { walkJson, removeAt, replaceAt } from "../json/json-nodes.ts";

export const ODD_VALUES: readonly unknown[] = [null, 0, "odd", true, [], {}, ["odd"], { odd: 1 }];
/**
 * Fields that no dialect has. `__proto__` is one of them, because an assignment with `=` would change the prototype of
 * the object instead (B79).
 */
export const UNKNOWN_FIELDS: readonly [name: string, value: unknown][] = [
  ["brand_new", { field: 1 }],
  ["__proto__", { odd: 1 }],
];

export interface WireMutant {
  /** The description of the change, which failure messages contain. */
  change: string;
  path: string;
  wire: unknown;
}
type MutantRecipe = Omit<WireMutant, "wire"> & { make: () => unknown };

/** Returns mutants with one more field in an object. */
export function createNewFieldMutants(wire: unknown, limit: number, salt: string): WireMutant[] {
  const recipes = listNodePerPattern(wire).flatMap(({ path, keys, value }) => {
    if (!isObject(value)) return [];
    return UNKNOWN_FIELDS.map(([name, field]): MutantRecipe => {
      return { change: `a new field "${name}"`, path, make: () => replaceAt(wire, [...keys, name], field) };
    });
  });
  return selectMutants(recipes, limit, salt);
}

/** Returns mutants with one field deleted or retyped. */
export function createOddValueMutants(wire: unknown, limit: number, salt: string): WireMutant[] {
  const recipes = listNodePerPattern(wire).flatMap(({ path, keys, value }): MutantRecipe[] => {
    const odd = ODD_VALUES.filter((each) => !sameJson(each, value));
    const made = odd.map((each): MutantRecipe => {
      return { change: `${JSON.stringify(each)} instead`, path, make: () => replaceAt(wire, keys, each) };
    });
    if (keys.length > 0) made.push({ change: "a missing value", path, make: () => removeAt(wire, keys) });
    return made;
  });
  return selectMutants(recipes, limit, salt);
}

/**
 * Returns one node of each path pattern: the last one, because the last element of a list also tests elements with
 * predecessors.
 */
function listNodePerPattern(wire: unknown): JsonNode[] {
  return [...new Map([...walkJson(wire)].map((node) => [toPathPattern(node.path), node])).values()];
}

function selectMutants(recipes: readonly MutantRecipe[], limit: number, salt: string): WireMutant[] {
  return pickEvenly(recipes, limit, salt).map(({ change, path, make }) => ({ change, path, wire: make() }));
}
