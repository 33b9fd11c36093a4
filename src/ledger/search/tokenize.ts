// Splits texts into words, the same for every store: a word is a run of letters, digits and marks, compared without
// case and accents; all other characters separate words. Also creates snippets.

const TERM_PATTERN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const ASCII = /^[\0-\x7f]*$/;
/** Combining accents, the same that SQLite's `remove_diacritics` removes. */
const ACCENTS = /[\u0300-\u036f]/g;
/** The number of characters of a snippet before and after the match. */
const SNIPPET_MARGIN = 60;

/** Returns a word without case and accents; "" for accents alone. */
function foldTerm(term: string): string {
  if (ASCII.test(term)) return term.toLowerCase();
  return term.normalize("NFD").replace(ACCENTS, "").toLowerCase().normalize("NFC");
}

/** Returns a text without case and accents, for substring tests. */
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

/** Returns the folded words of a text in their order, for an index that splits words itself. */
export function toFoldedTerms(text: string): string {
  return Array.from(text.matchAll(TERM_PATTERN), ([term]) => foldTerm(term)).join(" ");
}

/** Returns the folded words of a query, each once. */
export function listTerms(text: string): ReadonlySet<string> {
  return new Set(countTerms(text).keys());
}

/** The words of a query that must occur, and the last word if it may be a prefix. */
export interface QueryTerms {
  terms: ReadonlySet<string>;
  /** "" if every word is whole. */
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

/** Returns the part of the text around the first match; its beginning if there is none. */
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

/** Returns the index, or the one before if it would cut a surrogate pair. */
function toCharacterBoundary(text: string, at: number): number {
  const index = Math.min(Math.max(at, 0), text.length);
  const unit = text.charCodeAt(index);
  return index > 0 && unit >= 0xdc00 && unit < 0xe000 ? index - 1 : index;
}
