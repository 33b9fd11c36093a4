// The search index of a memory store: the words of each text, counted, and how well a text answers a query.
import { countWords } from "../../search/words.ts";

/** A message's text as the search sees it. */
export interface IndexedText {
  readonly text: string;
  /** How often each word occurs. */
  readonly words: ReadonlyMap<string, number>;
}

export function indexed(text: string): IndexedText {
  return { text, words: countWords(text) };
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
