// Foreign text for a terminal: what could move the cursor, change the colours, hide or reorder other text is shown
// escaped, never sent. Every text that a person sees goes through here.

// Control characters (C0 but tab and line feed, DEL, C1), marks that reorder or hide text, invisible tags and lone halves
// of characters. The joiner of emoji stays; where it joins nothing it does no harm.
const UNSAFE =
  // eslint-disable-next-line no-control-regex -- to find them is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]|\p{Surrogate}/gu;

/** The text with line breaks and tabs as they are, and everything unsafe as an escape. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, escape);
}

/** The same on one line: line breaks and tabs are escapes, too. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function escape(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
