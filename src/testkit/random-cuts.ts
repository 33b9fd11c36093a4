// Cuts bytes into chunks of random length. The same seed always gives the same chunks.

/** Creates a generator of pseudo-random numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Cuts bytes into non-empty chunks, most of them short. A cut can be within a character, a line break or an event. */
export function cutRandomly(bytes: Uint8Array | string, random: () => number, longest = 400): Uint8Array[] {
  const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < all.length;) {
    // The square makes short chunks frequent, while some long chunks limit the time for long streams.
    const length = 1 + Math.floor(random() ** 2 * longest);
    chunks.push(all.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
