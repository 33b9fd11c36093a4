// What somebody may have meant: the names that share most with one that nobody knows.

/** Looks among these names: up to `most` of them, the most alike first. */
export function nearestOf(names: readonly string[], most = 4): (name: string) => string[] {
  const known = [...new Set(names)].map((each) => ({ each, pairs: pairsOf(each) }));
  return (name) => {
    const pairs = pairsOf(name);
    return known
      .map(({ each, pairs: own }) => ({ each, score: likeness(pairs, own) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ each }) => each);
  };
}

/** Dice's coefficient over pairs of letters: cheap, and good enough for paths and names. */
function likeness(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size || 1);
}

/** Pairs as numbers: two letters of 16 bits each. */
function pairsOf(text: string): Set<number> {
  const lower = text.slice(0, 200).toLowerCase();
  const pairs = new Set<number>();
  for (let at = 0; at + 1 < lower.length; at++) pairs.add(lower.charCodeAt(at) * 0x1_0000 + lower.charCodeAt(at + 1));
  return pairs;
}
