// The words of a query, and the stretch of a text where they stand, as SQLite's index sees words: letters, digits and
// marks, whatever their case and with or without accents.

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;
/** Characters of a snippet on either side of what was found. */
const AROUND = 60;

/** The words of a text, each once. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.match(WORD))];
}

/** A stretch of the text around the first of the words; its beginning where none is found. */
export function snippetOf(text: string, words: readonly string[]): string {
  const wanted = new Set(words.map(folded));
  let [from, end] = [0, 2 * AROUND];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.has(folded(word))) continue;
    [from, end] = [index - AROUND, index + word.length + AROUND];
    break;
  }
  [from, end] = [boundary(text, from), boundary(text, end)];
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

function folded(word: string): string {
  return word.normalize("NFD").replace(ACCENTS, "").toLowerCase();
}

/** The place itself, or the one before where it would cut a character in two. */
function boundary(text: string, at: number): number {
  const place = Math.min(Math.max(at, 0), text.length);
  const unit = text.charCodeAt(place);
  return place > 0 && unit >= 0xdc00 && unit < 0xe000 ? place - 1 : place;
}
