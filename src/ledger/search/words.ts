// Words, as every store sees them: a word is a run of letters, digits and marks, whatever its case and with or without
// accents; everything else only separates words. And the stretch of a text where they stand.

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Marks that go on a letter: what `remove_diacritics` of SQLite takes away. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Characters of a snippet on either side of what was found. */
const AROUND = 60;

/** A word without its case and accents; "" for accents alone. */
function foldWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize("NFD").replace(ACCENTS, "").toLowerCase().normalize("NFC");
}

/** A text without case and accents, for looking at parts of it. */
export const foldText = foldWord;

/** The words of a text, folded, and how often each occurs. */
export function countWords(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.matchAll(WORD)) {
    const folded = foldWord(word);
    if (folded !== "") words.set(folded, (words.get(folded) ?? 0) + 1);
  }
  return words;
}

/** The words of a text, folded, in their order: for an index that cuts words by itself. */
export function foldedText(text: string): string {
  return Array.from(text.matchAll(WORD), ([word]) => foldWord(word)).join(" ");
}

/** The words of a query, folded, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(countWords(text).keys());
}

/** The words of a query: those that must occur, and a last one that may be the beginning of one, where that is asked for. */
export interface Wanted {
  words: ReadonlySet<string>;
  /** "" where every word is whole. */
  beginning: string;
}

export function wantedBy({ text, prefix = false }: { text: string; prefix?: boolean }): Wanted {
  const words = new Set(wordsOf(text));
  const last = prefix ? (Array.from(text.matchAll(WORD), ([word]) => foldWord(word)).findLast(Boolean) ?? "") : "";
  words.delete(last);
  return { words, beginning: last };
}

/** A stretch of the text around the first of the words; its beginning where none is found. */
export function snippetOf(text: string, { words, beginning }: Wanted): string {
  let [from, end] = [0, 2 * AROUND];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const folded = foldWord(word);
    if (!words.has(folded) && (beginning === "" || !folded.startsWith(beginning))) continue;
    [from, end] = [index - AROUND, index + word.length + AROUND];
    break;
  }
  [from, end] = [boundary(text, from), boundary(text, end)];
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

/** The place itself, or the one before where it would cut a character in two. */
function boundary(text: string, at: number): number {
  const place = Math.min(Math.max(at, 0), text.length);
  const unit = text.charCodeAt(place);
  return place > 0 && unit >= 0xdc00 && unit < 0xe000 ? place - 1 : place;
}
