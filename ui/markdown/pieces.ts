// Long texts are read in pieces, each small enough to be read in one go. A piece ends between blocks where it can.

/** A piece ends at the next empty line after so many characters or lines … */
const SOFT = 24_576;
const SOFT_LINES = 400;
/** … and after so many wherever it is; not within code, which is read in one look however long it is. */
const HARD = 65_536;
const HARD_LINES = 800;

/** A line that opens or closes code. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const BLANK = /^[ \t]*$/;
const BASE64_RUN = /[A-Za-z0-9+/=]*/y;

export interface Piece {
  end: number;
  /** It ends within code that was not closed. */
  open: boolean;
}

/** Whether a line closes code that `fence` has opened. */
export function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,}) *$/.exec(line)?.[1];
  return found !== undefined && found.startsWith(fence);
}

/** The piece that begins at `from`, which is the beginning of a line. */
export function pieceAt(text: string, from: number): Piece {
  let fence: string | undefined;
  let lines = 0;
  for (let at = from; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    if (fence === undefined && end - from > HARD) return { end: breakOf(text, at, from), open: false };
    // No line that matters here is long.
    const line = text.slice(at, Math.min(newline < 0 ? end : newline, at + 200));
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
    } else {
      fence = FENCE.exec(line)?.[1];
      const long = end - from >= SOFT || lines >= SOFT_LINES;
      if (lines >= HARD_LINES || (long && BLANK.test(line))) return { end, open: fence !== undefined };
    }
    lines += 1;
    at = end;
  }
  return { end: text.length, open: fence !== undefined };
}

/** Before the line that is too long; where it is the first, within it. */
function breakOf(text: string, line: number, from: number): number {
  return line > from ? line : cutAt(text, from + HARD);
}

/** Where a text can be cut near `at`: not within a sign, nor within something encoded, which is one thing. */
export function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  BASE64_RUN.lastIndex = at;
  const run = BASE64_RUN.exec(text)?.[0].length ?? 0;
  const isLong = run > 64 && at - Math.max(text.lastIndexOf(" ", at), text.lastIndexOf("\n", at)) > 64;
  const cut = isLong ? Math.min(text.length, at + run + 1) : at;
  const before = text.charCodeAt(cut - 1);
  return before >= 0xd8_00 && before <= 0xdb_ff ? cut - 1 : cut;
}
