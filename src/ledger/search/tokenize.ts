// Splits texts into words in the same way for every store, and creates snippets. A word is a sequence of letters,
// digits and marks; all other characters separate words. Words are compared without case and accents.

/** Matches a word. */
export const TERM_PATTERN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Matches the combining accents that SQLite's option `remove_diacritics` removes. */
const ACCENTS = /[\u0300-\u036f]/g;
/** The number of characters that a snippet contains before the matching word, and after it. */
const SNIPPET_MARGIN = 60;

/** Returns a word in lower case and without accents; "" if the word consists only of accents. */
function foldTerm(term: string): string {
  if (ASCII.test(term)) return term.toLowerCase();
  return term.normalize("NFD").replace(ACCENTS, "").toLowerCase().normalize("NFC");
}

/** Returns a text in lower case and without accents, for substring tests. */
export const foldText = foldTerm;

/** Returns the folded words of a text with their counts. */
export function countTerms(text: string): Map<string, number> {
  const terms = new Map<string, number>();
  for (const [term] of text.matchAll(TERM_PATTERN)) {
    const folded = foldTerm(term);
    if (folded !== "") terms.set(folded, (terms.get(folded) ?? 0) + 1);
  }
  return terms;
}

/** Returns the folded words of a text in their order, separated by spaces, for SQLite's own tokenizer. */
export function toFoldedTerms(text: string): string {
  return Array.from(text.matchAll(TERM_PATTERN), ([term]) => foldTerm(term)).join(" ");
}

/** Returns the folded words of a text, without duplicates. */
export function listTerms(text: string): ReadonlySet<string> {
  return new Set(countTerms(text).keys());
}

/** The folded words of a query. */
export interface QueryTerms {
  /** The words that a message must contain. */
  terms: ReadonlySet<string>;
  /** The beginning of a further word that a message must contain; "" if there is none. */
  prefix: string;
}

export function parseQuery({ text, prefix = false }: { text: string; prefix?: boolean }): QueryTerms {
  const terms = new Set(listTerms(text));
  const last = prefix
    ? (Array.from(text.matchAll(TERM_PATTERN), ([term]) => foldTerm(term)).findLast(Boolean) ?? "")
    : "";
  terms.delete(last);
  return { terms, prefix: last };
}

/** Returns the text around the first word that matches the query; the beginning of the text if no word matches. */
export function createSnippet(text: string, { terms, prefix }: QueryTerms): string {
  let [from, end] = [0, 2 * SNIPPET_MARGIN];
  for (const { 0: term, index } of text.matchAll(TERM_PATTERN)) {
    const folded = foldTerm(term);
    if (!terms.has(folded) && (prefix === "" || !folded.startsWith(prefix))) continue;
    [from, end] = [index - SNIPPET_MARGIN, index + term.length + SNIPPET_MARGIN];
    break;
  }
  [from, end] = [toCharacterBoundary(text, from), toCharacterBoundary(text, end)];
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

/** Returns the index, limited to the length of the text, and reduced by 1 if it would cut a surrogate pair. */
function toCharacterBoundary(text: string, at: number): number {
  const index = Math.min(Math.max(at, 0), text.length);
  const unit = text.charCodeAt(index);
  return index > 0 && unit >= 0xdc00 && unit < 0xe000 ? index - 1 : index;
}
