// A bounded choice that is the same every time: of many alike a few, of the rest an even selection.

/** The kind of a place: its path without the positions in lists. */
export function patternOf(path: string): string {
  return path.replaceAll(/\/\d+(?=\/|$)/g, "/N");
}

/** At most `each` of a kind, the first and the last among them, in their order. */
export function fewOfEach<T>(all: readonly T[], kindOf: (each: T) => string, each: number): T[] {
  const kinds = Map.groupBy(all, kindOf);
  const chosen = new Set([...kinds.values()].flatMap((alike) => evenly(alike, each)));
  return all.filter((one) => chosen.has(one));
}

/** At most `limit` of them, evenly spread; `salt` moves the choice, so that different samples try different ones. */
export function evenly<T>(all: readonly T[], limit: number, salt = ""): T[] {
  if (all.length <= limit) return [...all];
  if (limit <= 1) return all.slice(0, limit);
  const shift = salt === "" ? 0 : hash(salt) % all.length;
  const step = salt === "" ? (all.length - 1) / (limit - 1) : all.length / limit;
  const chosen = new Set(Array.from({ length: limit }, (_, index) => (Math.floor(index * step) + shift) % all.length));
  return all.filter((_, index) => chosen.has(index));
}

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
