// Labels that are the very same objects for the same words: a metric finds the series of those at once, and their text is
// made only once.
import type { Labels } from "./metrics.ts";

/** `make` must depend on nothing but its words, which have few values. */
export function keptLabels(make: (first: string, second: string) => Labels): (first: string, second: string) => Labels {
  const kept = new Map<string, Map<string, Labels>>();
  return (first, second) => {
    let row = kept.get(first);
    if (row === undefined) kept.set(first, (row = new Map()));
    let labels = row.get(second);
    if (labels === undefined) row.set(second, (labels = make(first, second)));
    return labels;
  };
}
