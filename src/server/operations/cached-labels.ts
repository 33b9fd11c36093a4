// Caches label objects, so that a metric finds the series of its labels by object identity and formats their text once.
import type { Labels } from "./metrics.ts";

/**
 * Returns a function that calls `make` once for each pair of arguments and returns the cached labels. The arguments
 * must have few different values, because the cache never removes an entry.
 */
export function cacheLabels(
  make: (first: string, second: string) => Labels,
): (first: string, second: string) => Labels {
  const cache = new Map<string, Map<string, Labels>>();
  return (first, second) => {
    let row = cache.get(first);
    if (row === undefined) cache.set(first, (row = new Map()));
    let labels = row.get(second);
    if (labels === undefined) row.set(second, (labels = make(first, second)));
    return labels;
  };
}
