// Shows a text with highlighted search terms.
import { highlightTerms } from "./thread-rows.ts";

export function HighlightedText({ text, search }: { text: string; search: string }) {
  if (search === "") return text;
  let at = 0;
  return highlightTerms(text, search).map(({ text: spanText, isMatch }) => {
    const key = at;
    at += spanText.length;
    return isMatch ? <mark key={key}>{spanText}</mark> : <span key={key}>{spanText}</span>;
  });
}
