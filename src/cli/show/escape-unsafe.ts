// Escapes text for a terminal: characters that could move the cursor, change colors, or hide or reorder text are
// printed as escapes. All text from records must be escaped with these functions before it is printed.

// Matches control characters (C0 except tab and line feed, DEL, C1), bidirectional and invisible marks, Unicode tag
// characters and lone surrogates. Does not match the zero-width joiner, because emoji need it and it is harmless
// elsewhere.
const UNSAFE_CHARACTERS =
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]|\p{Surrogate}/gu;

/** Escapes unsafe characters; does not escape line breaks and tabs. */
export function escapeUnsafe(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE_CHARACTERS, escapeCharacter);
}

/** Escapes unsafe characters, line breaks and tabs, so that the result is one line. */
export function escapeToLine(text: string): string {
  return escapeUnsafe(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

function escapeCharacter(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
