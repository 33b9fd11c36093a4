// JSON with line breaks, made from its text alone: digits, spelling, doubled keys and the order of everything stay as they
// were written, and a text that is not complete yet is laid out as far as it goes.

const INDENT = "  ";
/** Deeper levels are not indented any more: the text would grow with the square of its depth. */
const MAX_DEPTH = 40;

const OPENING = "{[";
const CLOSING = "}]";
const SPACE = " \t\n\r";

/** What fits on a line stays on it. */
const SHORT = 72;

export function prettyJson(text: string): string {
  if (text.length <= SHORT && !text.includes("\n")) return text;
  const out: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const end = stringEnd(text, at);
      out.push(text.slice(at, end));
      at = end;
      continue;
    }
    if (OPENING.includes(sign)) {
      const next = skipSpace(text, at + 1);
      if (next < text.length && CLOSING.includes(text.charAt(next))) {
        out.push(sign, text.charAt(next));
        at = next + 1;
        continue;
      }
      depth += 1;
      out.push(sign, lineAt(depth));
    } else if (CLOSING.includes(sign)) {
      depth = Math.max(0, depth - 1);
      out.push(lineAt(depth), sign);
    } else if (sign === ",") out.push(sign, lineAt(depth));
    else if (sign === ":") out.push(": ");
    else if (!SPACE.includes(sign)) out.push(sign);
    at += 1;
  }
  return out.join("");
}

function lineAt(depth: number): string {
  return depth > MAX_DEPTH ? "" : `\n${INDENT.repeat(depth)}`;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return at;
}

/** Behind the closing quote; the end, where there is none. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charAt(at - 1 - escapes) === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Whether a text is meant as JSON: an object or an array. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[{[][\s\S]*[}\]]\s*$/.test(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text);
}
