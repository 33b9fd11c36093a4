// The order of ids, the same in every store.

/** The order of two ids as bytes of UTF-8. It is the order of JavaScript's strings but for characters beyond 16 bits. */
export function compareIds(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a === b) continue;
    // A surrogate stands for a character beyond U+FFFF, yet has a smaller number than U+E000 to U+FFFF.
    const isAlike = isSurrogate(a) === isSurrogate(b);
    return isAlike || a < 0xd800 || b < 0xd800 ? a - b : b - a;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}
