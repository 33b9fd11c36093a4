// The search index of a memory store: the words of each text, counted, and how well a text answers a query.
import { countWords, type Wanted } from "../../search/words.ts";

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
export function rank({ text, words }: IndexedText, wanted: Wanted): number {
  let sum = 0;
  if (wanted.beginning !== "") {
    for (const [word, count] of words) if (word.startsWith(wanted.beginning)) sum += count;
    if (sum === 0) return 0;
  }
  for (const word of wanted.words) {
    const count = words.get(word);
    if (count === undefined) return 0;
    sum += count;
  }
  return sum / Math.log2(text.length + 2);
}
