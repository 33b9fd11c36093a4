// What payloads come wrapped in when they are copied from somewhere: commands of a shell, HTTP messages, several documents
// after each other. And what a text looks like that is nothing of the sort.
import { endOfString } from "../../json/document.ts";
import { bodyOfCurl } from "./curl.ts";

export interface Unwrapped {
  body: string;
  /** How many lines stand before the body; undefined where its lines are not those of the text. */
  line?: number;
  /** What was done, in words. */
  remark: string;
}

/** The payload in a text that holds it in something else; undefined where it is no such text. */
export function unwrapText(text: string): Unwrapped | undefined {
  const body = bodyOfCurl(text);
  if (body !== undefined) return { body, remark: "This is the body of a curl command." };
  return unwrapHttp(text);
}

const START_LINE = /^\s*(?:HTTP\/[\d.]+ \d{3}\b|[A-Z]+ \S+ HTTP\/[\d.]+)/;

/** An address may be long. */
const LONGEST_START = 10_000;

/** The body of an HTTP message. Before the last there may be others, without a body: "100 Continue". */
function unwrapHttp(text: string): Unwrapped | undefined {
  let from = 0;
  for (
    let head = START_LINE.exec(text);
    head !== null;
    head = START_LINE.exec(text.slice(from, from + LONGEST_START))
  ) {
    const gap = /\r?\n[ \t]*\r?\n/g;
    gap.lastIndex = from + head[0].length;
    const found = gap.exec(text);
    if (found === null) return { body: "", remark: "This is the head of an HTTP message, without a body." };
    from = found.index + found[0].length;
  }
  if (from === 0) return undefined;
  return {
    body: text.slice(from),
    line: text.slice(0, from).split("\n").length - 1,
    remark: "This is the body of an HTTP message; its head is left aside.",
  };
}

/** Where lists and objects at the top of a text begin and end. What is cut off ends with the text. */
export function valueSpans(text: string): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  const signs = /["{}[\]]/g;
  let [depth, from] = [0, 0];
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [sign] = match;
    if (sign === '"') signs.lastIndex = endOfString(text, match.index);
    else if (sign === "{" || sign === "[") {
      if (depth === 0) from = match.index;
      depth++;
    } else if (--depth === 0) spans.push({ from, to: match.index + 1 });
  }
  if (depth > 0) spans.push({ from, to: text.length });
  return spans.filter((span) => text.slice(span.from, span.to) !== "[DONE]");
}

type Guesses = readonly [pattern: RegExp, words: string][];

/** Kinds of text that are pasted by mistake, by how they begin. */
const WHOLE: Guesses = [
  [
    /^<(!doctype|html|\?xml|[a-z]+[\s>])/i,
    "It looks like HTML or XML: a page about an error, perhaps, and no API's answer.",
  ],
  [/^[$#%>]?\s*curl\s/, "It looks like a curl command without a body: there is no -d, --data or --json in it."],
  [
    /^(const|let|var|import|export|await|function|client\.)\b/,
    "It looks like a program: paste the JSON that it sends.",
  ],
  [/^(from|def|class|print\(|>>>)/, "It looks like Python: paste the JSON that it sends; json.dumps writes it."],
  [/^[\w-]+:\s/, "It looks like YAML, or like headers: paste the JSON."],
];

/** What is no JSON at the place where it is none. */
const AT_PLACE: Guesses = [
  [/^'/, "It looks like a value of Python or JavaScript: JSON has double quotes."],
  [/^(True|False|None)\b/, "It looks like a value of Python: JSON has true, false and null."],
  [/^(undefined|NaN|-?Infinity)\b/, "It looks like a value of JavaScript: JSON has no word for it."],
  [/^[A-Za-z_$][\w$]*\s*:/, "It looks like an object of JavaScript: in JSON keys stand in double quotes."],
  [/^(\/\/|\/\*|#)/, "It looks like a comment: JSON has none."],
];

/** What a text looks like that is no JSON at a place, in a sentence. */
export function guessOf(text: string, at: number): string | undefined {
  const rest = text.slice(at, at + 200);
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(Math.max(0, at - 200), at))) {
    return "In JSON no comma follows the last of a list or an object.";
  }
  const isStart = text.slice(0, at).trim() === "";
  return [...(isStart ? WHOLE : []), ...AT_PLACE].find(([pattern]) => pattern.test(rest))?.[1];
}
