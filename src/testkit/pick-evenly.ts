// Selects a limited number of items, evenly spread over a list. The same list always gives the same selection.

/** Returns a path with every list index replaced by `N`, so that paths of the same field are equal. */
export function toPathPattern(path: string): string {
  return path.replaceAll(/\/\d+(?=\/|$)/g, "/N");
}

/** Returns at most `limit` items per group, with the first and the last item of the group, in the original order. */
export function pickPerGroup<T>(items: readonly T[], groupOf: (item: T) => string, limit: number): T[] {
  const groups = Map.groupBy(items, groupOf);
  const picked = new Set([...groups.values()].flatMap((group) => pickEvenly(group, limit)));
  return items.filter((item) => picked.has(item));
}

/** Returns at most `limit` items, evenly spread. `salt` shifts the selection, so that samples use different items. */
export function pickEvenly<T>(items: readonly T[], limit: number, salt = ""): T[] {
  if (items.length <= limit) return [...items];
  if (limit <= 1) return items.slice(0, limit);
  const shift = salt === "" ? 0 : hash(salt) % items.length;
  const step = salt === "" ? (items.length - 1) / (limit - 1) : items.length / limit;
  const indexes = new Set(
    Array.from({ length: limit }, (_, index) => (Math.floor(index * step) + shift) % items.length),
  );
  return items.filter((_, index) => indexes.has(index));
}

function hash(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
