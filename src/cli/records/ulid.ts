// Generates ULIDs: ids that sort by creation time, and within one millisecond by creation order.

const CROCKFORD_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** Returns a generator of ULIDs that uses the given clock and random bytes. */
export function createUlidGenerator(clock: () => number, random: (count: number) => Uint8Array): () => string {
  let last = -1;
  let digits: number[] = [];
  return () => {
    const now = clock();
    if (now > last) {
      last = now;
      digits = Array.from(random(RANDOM_DIGITS), (byte) => byte % 32);
    } else {
      // The clock has not advanced, so the random digits are incremented to preserve the order of the ids.
      let at = digits.length - 1;
      while (at > 0 && digits[at] === 31) digits[at--] = 0;
      digits[at] = ((digits[at] ?? 0) + 1) % 32;
    }
    return encodeTime(last) + digits.map((digit) => CROCKFORD_DIGITS[digit]).join("");
  };
}

function encodeTime(time: number): string {
  let text = "";
  for (let left = time, count = 0; count < TIME_DIGITS; count++, left = Math.floor(left / 32)) {
    text = (CROCKFORD_DIGITS[left % 32] ?? "") + text;
  }
  return text;
}
