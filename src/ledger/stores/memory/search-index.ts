// Implements the search index of a memory store: counts the words of each text and ranks texts for a query.
import { countTerms, type QueryTerms } from "../../search/tokenize.ts";

/** The text of a message, and the words that it contains. */
export interface IndexedText {
  readonly text: string;
  /** The number of occurrences of each word in the text. */
  readonly terms: ReadonlyMap<string, number>;
}

export function createIndexedText(text: string): IndexedText {
  return { text, terms: countTerms(text) };
}

/**
 * Returns the score of a text for a query; 0 if the text lacks a word of the query. The score grows with the number of
 * occurrences and shrinks with the length of the text.
 */
export function rankText({ text, terms }: IndexedText, query: QueryTerms): number {
  let sum = 0;
  if (query.prefix !== "") {
    for (const [term, count] of terms) if (term.startsWith(query.prefix)) sum += count;
    if (sum === 0) return 0;
  }
  for (const term of query.terms) {
    const count = terms.get(term);
    if (count === undefined) return 0;
    sum += count;
  }
  return sum / Math.log2(text.length + 2);
}
