// Extracts payloads from curl commands and HTTP messages, finds consecutive JSON documents in a text, and explains
// texts that are not JSON.
import { findStringEnd } from "../../json/json-document.ts";
import { readCurlBody } from "./curl.ts";

export interface UnwrappedText {
  body: string;
  /** Number of lines before the body; absent if the body is not a literal part of the text, as in a curl command. */
  line?: number;
  /** Sentence that states from which text the body was extracted. */
  remark: string;
}

/** Returns the body of a curl command or an HTTP message; undefined for other texts. */
export function unwrapText(text: string): UnwrappedText | undefined {
  const body = readCurlBody(text);
  if (body !== undefined) return { body, remark: "This is the body of a curl command." };
  return unwrapHttp(text);
}

const START_LINE = /^\s*(?:HTTP\/[\d.]+ \d{3}\b|[A-Z]+ \S+ HTTP\/[\d.]+)/;

/** Number of characters in which the start line of a further HTTP message is searched; its URL may be long. */
const MAX_START_LINE_LENGTH = 10_000;

/**
 * Returns the body of an HTTP message; undefined for other texts. Interim responses before the message, such as "100
 * Continue", are skipped.
 */
function unwrapHttp(text: string): UnwrappedText | undefined {
  let from = 0;
  for (
    let head = START_LINE.exec(text);
    head !== null;
    head = START_LINE.exec(text.slice(from, from + MAX_START_LINE_LENGTH))
  ) {
    const gap = /\r?\n[ \t]*\r?\n/g;
    gap.lastIndex = from + head[0].length;
    const separator = gap.exec(text);
    if (separator === null) return { body: "", remark: "The HTTP message has no body." };
    from = separator.index + separator[0].length;
  }
  if (from === 0) return undefined;
  return {
    body: text.slice(from),
    line: text.slice(0, from).split("\n").length - 1,
    remark: "This is the body of an HTTP message; its headers are ignored.",
  };
}

/**
 * Returns the offsets of the top-level lists and objects in a text. If the last one is not closed, its end is the end
 * of the text.
 */
export function findValueSpans(text: string): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  const signs = /["{}[\]]/g;
  let [depth, from] = [0, 0];
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [character] = match;
    if (character === '"') signs.lastIndex = findStringEnd(text, match.index);
    else if (character === "{" || character === "[") {
      if (depth === 0) from = match.index;
      depth++;
    } else if (--depth === 0) spans.push({ from, to: match.index + 1 });
  }
  if (depth > 0) spans.push({ from, to: text.length });
  return spans.filter((span) => text.slice(span.from, span.to) !== "[DONE]");
}

type TextHints = readonly [pattern: RegExp, hint: string][];

/** Hints for texts that users paste by mistake, by the start of the text. */
const START_HINTS: TextHints = [
  [
    /^<(!doctype|html|\?xml|[a-z]+[\s>])/i,
    "This looks like HTML or XML, perhaps an error page instead of an API response.",
  ],
  [/^[$#%>]?\s*curl\s/, "This looks like a curl command without a body: it has no -d, --data or --json."],
  [
    /^(const|let|var|import|export|await|function|client\.)\b/,
    "This looks like a program. Paste the JSON that it sends.",
  ],
  [/^(from|def|class|print\(|>>>)/, "This looks like Python. Paste the JSON that it sends, as json.dumps prints it."],
  [/^[\w-]+:\s/, "This looks like YAML or HTTP headers. Paste the JSON."],
];

/** Hints for common errors, by the text at the position of the error. */
const POSITION_HINTS: TextHints = [
  [/^'/, "JSON strings use double quotes; this looks like Python or JavaScript."],
  [/^(True|False|None)\b/, "JSON uses true, false and null; this looks like Python."],
  [/^(undefined|NaN|-?Infinity)\b/, "JSON does not support this JavaScript value."],
  [/^[A-Za-z_$][\w$]*\s*:/, "JSON keys need double quotes; this looks like a JavaScript object."],
  [/^(\/\/|\/\*|#)/, "JSON does not support comments."],
];

/** Returns a hint for a text with a JSON error at an offset; undefined if no hint applies. */
export function findHint(text: string, at: number): string | undefined {
  const rest = text.slice(at, at + 200);
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(Math.max(0, at - 200), at))) {
    return "JSON does not allow a comma after the last element.";
  }
  const isStart = text.slice(0, at).trim() === "";
  return [...(isStart ? START_HINTS : []), ...POSITION_HINTS].find(([pattern]) => pattern.test(rest))?.[1];
}
