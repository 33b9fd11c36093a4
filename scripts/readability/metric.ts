// The contract of a readability metric: a number for a repository, and the places that it counts.
import type { Position } from "./sources.ts";

export interface Measurement {
  value: number;
  /** Further numbers: parts of the value, or totals to compare the value with. */
  details: Readonly<Record<string, number>>;
  positions: readonly Position[];
}

export interface Metric {
  readonly id: string;
  /** One sentence that describes the counted places. */
  readonly title: string;
  /** Measures the repository in a folder. */
  measure(root: string): Measurement;
}

/** Counts the items of a list by key; the most frequent key is first. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}
