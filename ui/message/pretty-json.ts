// Formats JSON text with line breaks, without parsing it. Digits, escapes, duplicate keys and the order of keys stay as
// written, and incomplete JSON is formatted up to its end.

const INDENT = "  ";
/**
 * Maximum nesting depth with line breaks and indentation. Without a limit, the indentation would grow with the square
 * of the depth.
 */
const MAX_DEPTH = 40;

const OPENING = "{[";
const CLOSING = "}]";
const SPACE = " \t\n\r";

/** Texts up to this length without a line break are returned unchanged. */
const MAX_ONE_LINE_LENGTH = 72;

export function prettyJson(text: string): string {
  if (text.length <= MAX_ONE_LINE_LENGTH && !text.includes("\n")) return text;
  const out: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = findStringEnd(text, at);
      out.push(text.slice(at, end));
      at = end;
      continue;
    }
    if (OPENING.includes(character)) {
      const next = skipSpace(text, at + 1);
      if (next < text.length && CLOSING.includes(text.charAt(next))) {
        out.push(character, text.charAt(next));
        at = next + 1;
        continue;
      }
      depth += 1;
      out.push(character, newLine(depth));
    } else if (CLOSING.includes(character)) {
      depth = Math.max(0, depth - 1);
      out.push(newLine(depth), character);
    } else if (character === ",") out.push(character, newLine(depth));
    else if (character === ":") out.push(": ");
    else if (!SPACE.includes(character)) out.push(character);
    at += 1;
  }
  return out.join("");
}

function newLine(depth: number): string {
  return depth > MAX_DEPTH ? "" : `\n${INDENT.repeat(depth)}`;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return at;
}

/**
 * Returns the index after the closing quote of the string at `start`; the length of the text if no quote closes the
 * string.
 */
function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charAt(at - 1 - escapes) === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** True if the text is probably a JSON object or array: only its first and last characters are checked. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[{[][\s\S]*[}\]]\s*$/.test(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text);
}
