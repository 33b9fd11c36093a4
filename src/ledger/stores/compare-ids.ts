// Defines the order of ids, which is the same in every store.

/** Compares two ids as UTF-8 bytes. JavaScript orders strings in the same way, except for characters beyond U+FFFF. */
export function compareIds(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a === b) continue;
    // A surrogate is smaller than the code units U+E000 to U+FFFF, but represents a character that must sort after
    // them, so their order is reversed.
    const isSameKind = isSurrogate(a) === isSurrogate(b);
    return isSameKind || a < 0xd800 || b < 0xd800 ? a - b : b - a;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}
