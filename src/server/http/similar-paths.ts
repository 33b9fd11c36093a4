// Finds the known paths that are most similar to an unknown path.

/** Returns a function that finds the `max` known names that are most similar to its argument, most similar first. */
export function createSimilarFinder(names: readonly string[], max = 4): (name: string) => string[] {
  const known = [...new Set(names)];
  const sizes: number[] = [];
  /** The indexes of the known names that contain a letter pair, by letter pair. */
  const indexesByPair = new Map<number, number[]>();
  for (const [index, each] of known.entries()) {
    const pairs = letterPairs(each);
    sizes.push(pairs.size);
    for (const pair of pairs) indexesByPair.set(pair, [...(indexesByPair.get(pair) ?? []), index]);
  }
  return (name) => {
    const pairs = letterPairs(name);
    const shared = new Uint16Array(known.length);
    for (const pair of pairs)
      for (const index of indexesByPair.get(pair) ?? []) shared[index] = (shared[index] ?? 0) + 1;
    // The score is Dice's coefficient of the letter pairs, which is fast and exact enough for paths.
    const score = (index: number): number => (2 * (shared[index] ?? 0)) / (pairs.size + (sizes[index] ?? 0) || 1);
    return known
      .map((each, index) => ({ each, score: score(index) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, max)
      .map(({ each }) => each);
  };
}

/** Returns the pairs of adjacent letters of a text. A pair is one number with 16 bits for each letter. */
function letterPairs(text: string): Set<number> {
  const lower = text.slice(0, 200).toLowerCase();
  const pairs = new Set<number>();
  for (let at = 0; at + 1 < lower.length; at++) pairs.add(lower.charCodeAt(at) * 0x1_0000 + lower.charCodeAt(at + 1));
  return pairs;
}
