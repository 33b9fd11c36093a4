// Splits long texts into chunks that are short enough to be parsed at once. Chunks end between blocks where possible.

/** A chunk with more than this number of characters or lines ends at the next empty line. */
const SOFT_LENGTH = 24_576;
const SOFT_LINES = 400;
/**
 * A chunk that reaches this number of characters or lines ends even inside a block, but not inside code, which is cheap
 * to parse.
 */
const HARD_LENGTH = 65_536;
const HARD_LINES = 800;

/** Matches a line that opens a code block; group 1 is the fence. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const BLANK = /^[ \t]*$/;
const BASE64_RUN = /[A-Za-z0-9+/=]*/y;

export interface TextChunk {
  end: number;
  /** True if the chunk ends inside an unclosed code block. */
  open: boolean;
}

/** True if the line closes the code block that `fence` has opened. */
export function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,}) *$/.exec(line)?.[1];
  return closing !== undefined && closing.startsWith(fence);
}

/** Returns the end of the chunk that starts at `from`. */
export function findChunk(text: string, from: number): TextChunk {
  let fence: string | undefined;
  let lines = 0;
  for (let at = from; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    if (fence === undefined && end - from > HARD_LENGTH) return { end: findBreak(text, at, from), open: false };
    // Only the start of the line is read, because fences are short lines.
    const line = text.slice(at, Math.min(newline < 0 ? end : newline, at + 200));
    if (fence !== undefined) {
      if (closesFence(line, fence)) fence = undefined;
    } else {
      fence = FENCE.exec(line)?.[1];
      const long = end - from >= SOFT_LENGTH || lines >= SOFT_LINES;
      if (lines >= HARD_LINES || (long && BLANK.test(line))) return { end, open: fence !== undefined };
    }
    lines += 1;
    at = end;
  }
  return { end: text.length, open: fence !== undefined };
}

/**
 * Returns where a chunk ends that would exceed `HARD_LENGTH` with the line that starts at `line`: before that line or,
 * if it is the chunk's first line, at an offset inside it.
 */
function findBreak(text: string, line: number, from: number): number {
  return line > from ? line : findCut(text, from + HARD_LENGTH);
}

/**
 * Returns an offset near `at` that is not inside a surrogate pair or base64 data, so that the text can be cut there.
 */
export function findCut(text: string, at: number): number {
  if (at >= text.length) return text.length;
  BASE64_RUN.lastIndex = at;
  const run = BASE64_RUN.exec(text)?.[0].length ?? 0;
  const isLong = run > 64 && at - Math.max(text.lastIndexOf(" ", at), text.lastIndexOf("\n", at)) > 64;
  const cut = isLong ? Math.min(text.length, at + run + 1) : at;
  const before = text.charCodeAt(cut - 1);
  return before >= 0xd8_00 && before <= 0xdb_ff ? cut - 1 : cut;
}
