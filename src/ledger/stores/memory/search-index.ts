// The search index of a memory store: the counted words of each text, and its rank for a query.
import { countTerms, type QueryTerms } from "../../search/tokenize.ts";

/** A message's text and its words. */
export interface IndexedText {
  readonly text: string;
  /** The number of occurrences of each word. */
  readonly terms: ReadonlyMap<string, number>;
}

export function createIndexedText(text: string): IndexedText {
  return { text, terms: countTerms(text) };
}

/** Returns the rank of a text; 0 if a word is missing. More occurrences rank higher, and more so in a short text. */
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
