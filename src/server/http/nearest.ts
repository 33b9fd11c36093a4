// What somebody may have meant: the names that share most with one that nobody knows.

/** Up to `most` of `names`, the most alike first. */
export function nearest(name: string, names: readonly string[], most = 4): string[] {
  const pairs = pairsOf(name);
  const scored = [...new Set(names)].map((each) => ({ each, score: likeness(pairs, pairsOf(each)) }));
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ each }) => each);
}

/** Dice's coefficient over pairs of letters: cheap, and good enough for paths and names. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size || 1);
}

function pairsOf(text: string): Set<string> {
  const lower = text.slice(0, 200).toLowerCase();
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < lower.length; at++) pairs.add(lower.slice(at, at + 2));
  return pairs;
}
