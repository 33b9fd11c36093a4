// What somebody may have meant: the names that share most with one that nobody knows.

/** Looks among these names: up to `most` of them, the most alike first. */
export function nearestOf(names: readonly string[], most = 4): (name: string) => string[] {
  const known = [...new Set(names)];
  const sizes: number[] = [];
  /** Which names have a pair of letters. */
  const having = new Map<number, number[]>();
  for (const [index, each] of known.entries()) {
    const pairs = pairsOf(each);
    sizes.push(pairs.size);
    for (const pair of pairs) having.set(pair, [...(having.get(pair) ?? []), index]);
  }
  return (name) => {
    const pairs = pairsOf(name);
    const shared = new Uint16Array(known.length);
    for (const pair of pairs) for (const index of having.get(pair) ?? []) shared[index] = (shared[index] ?? 0) + 1;
    // Dice's coefficient over pairs of letters: cheap, and good enough for paths and names.
    const score = (index: number): number => (2 * (shared[index] ?? 0)) / (pairs.size + (sizes[index] ?? 0) || 1);
    return known
      .map((each, index) => ({ each, score: score(index) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ each }) => each);
  };
}

/** Pairs as numbers: two letters of 16 bits each. */
function pairsOf(text: string): Set<number> {
  const lower = text.slice(0, 200).toLowerCase();
  const pairs = new Set<number>();
  for (let at = 0; at + 1 < lower.length; at++) pairs.add(lower.charCodeAt(at) * 0x1_0000 + lower.charCodeAt(at + 1));
  return pairs;
}
