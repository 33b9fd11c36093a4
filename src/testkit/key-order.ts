// Schemas, tools that a dialect keeps verbatim, and the inputs of calls: a model reads them as text, so that the order
// of their keys counts. Where they stand on the wire is found by what they say.
import { isObject } from "../model/value-kind.ts";
import type { Difference } from "./differences.ts";
import { places, valueAt } from "./places.ts";

const READ = /^(\/tools\/\d+\/(inputSchema|outputSchema|grammar|value)|\/output\/schema|.*\/parts\/\d+\/input)$/;

/** The objects on the wire that the model holds where order counts, and whose keys now come in another order. */
export function orderDifferences(value: unknown, was: unknown, is: unknown): Difference[] {
  const ordered = new Set<string>();
  for (const place of places(value))
    if (READ.test(place.path) && isObject(place.value)) ordered.add(sorted(place.value));
  if (ordered.size === 0) return [];
  const found: Difference[] = [];
  for (const { path, keys, value: there } of places(was)) {
    if (!isObject(there) || !ordered.has(sorted(there))) continue;
    const now = valueAt(is, keys);
    if (JSON.stringify(now) !== JSON.stringify(there)) found.push({ path, was: there, is: now });
  }
  return found;
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)
    .join()}}`;
}
