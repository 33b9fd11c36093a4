// ULIDs: ids that sort by the time they were made, and within a millisecond by their order.

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LETTERS = 10;
const RANDOM_LETTERS = 16;

/** A maker of ULIDs from a clock and a source of random bytes. */
export function ulids(clock: () => number, random: (count: number) => Uint8Array): () => string {
  let last = -1;
  let digits: number[] = [];
  return () => {
    const now = clock();
    if (now > last) {
      last = now;
      digits = Array.from(random(RANDOM_LETTERS), (byte) => byte % 32);
    } else {
      // The same time again, or a clock that went back: one more than before.
      let at = digits.length - 1;
      while (at > 0 && digits[at] === 31) digits[at--] = 0;
      digits[at] = ((digits[at] ?? 0) + 1) % 32;
    }
    return timeLetters(last) + digits.map((digit) => LETTERS[digit]).join("");
  };
}

function timeLetters(time: number): string {
  let text = "";
  for (let left = time, count = 0; count < TIME_LETTERS; count++, left = Math.floor(left / 32)) {
    text = (LETTERS[left % 32] ?? "") + text;
  }
  return text;
}
