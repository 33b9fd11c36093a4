// Search in a memory store: which words a text has, and where they stand. A word is a run of letters and digits,
// whatever its case; everything else only separates words.

/** A message's text as the search sees it. */
export interface IndexedText {
  readonly text: string;
  /** How often each word occurs. */
  readonly words: ReadonlyMap<string, number>;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Characters of a snippet on either side of what was found. */
const AROUND = 60;

function folded(word: string): string {
  return word.normalize("NFC").toLowerCase();
}

export function indexed(text: string): IndexedText {
  const words = new Map<string, number>();
  for (const [word] of text.matchAll(WORD)) words.set(folded(word), (words.get(folded(word)) ?? 0) + 1);
  return { text, words };
}

/** The words of a query, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(WORD)].map(([word]) => folded(word)));
}

/** How well a text answers; 0 where a word is missing. More occurrences are better, in a short text more so. */
export function rank({ text, words }: IndexedText, wanted: ReadonlySet<string>): number {
  let sum = 0;
  for (const word of wanted) {
    const count = words.get(word);
    if (count === undefined) return 0;
    sum += count;
  }
  return sum / Math.log2(text.length + 2);
}

/** A stretch of the text around the first word that was wanted. */
export function snippetOf(text: string, wanted: ReadonlySet<string>): string {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.has(folded(word))) continue;
    const [from, end] = [boundary(text, index - AROUND), boundary(text, index + word.length + AROUND)];
    return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
  }
  return "";
}

/** The place itself, or the one before where it would cut a character in two. */
function boundary(text: string, at: number): number {
  const place = Math.min(Math.max(at, 0), text.length);
  const unit = text.charCodeAt(place);
  return place > 0 && unit >= 0xdc00 && unit < 0xe000 ? place - 1 : place;
}
