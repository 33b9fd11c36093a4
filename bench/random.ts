// Generates content for payloads, the same in every run.

export type Random = () => number;

// Returns a seeded random generator, so that every run measures the same texts.
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// The words of typical text, with punctuation, quotes, line breaks and some letters beyond ASCII.
const WORDS =
  `the of a model tool returns value when stream ends, and we read it again - but "there" is no way: to know about 3 or 42 items; see section 2.1 \`for\` more well-known details (of it) café maybe later.\n\n## A heading\n`.split(
    " ",
  );

export function prose(random: Random, length: number): string {
  let text = "";
  while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)] ?? ""} `;
  return text.slice(0, length);
}

export function base64(random: Random, length: number): string {
  const bytes = Uint8Array.from({ length: Math.ceil(length * 0.75) }, () => Math.floor(random() * 256));
  return Buffer.from(bytes).toString("base64").slice(0, length);
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Returns a text of random letters and digits, such as an id. */
export function token(random: Random, length: number): string {
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");
}
