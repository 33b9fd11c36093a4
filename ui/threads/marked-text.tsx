// A text in which the words of a search are marked.
import { markWords } from "./rows.ts";

export function MarkedText({ text, search }: { text: string; search: string }) {
  if (search === "") return text;
  let at = 0;
  return markWords(text, search).map(({ text: words, marked }) => {
    const key = at;
    at += words.length;
    return marked ? <mark key={key}>{words}</mark> : <span key={key}>{words}</span>;
  });
}
