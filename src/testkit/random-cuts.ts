// Bytes cut into pieces at random, the same way each time for one seed.

/** Numbers from 0 to 1 that look random and follow from the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The bytes in pieces, most of them short and none empty: in the middle of characters, line breaks and events, too. */
export function cut(bytes: Uint8Array | string, random: () => number, longest = 400): Uint8Array[] {
  const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < all.length;) {
    // The square makes short pieces frequent without making long streams slow.
    const length = 1 + Math.floor(random() ** 2 * longest);
    pieces.push(all.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
