// Splits long code into segments that are laid out and highlighted separately, so that a delta costs the same in long
// code as in short code.

/**
 * Lengths in characters. A segment ends at the first empty line after SOFT_LIMIT, or at the first line break after
 * HARD_LIMIT.
 */
const SOFT_LIMIT = 6000;
const HARD_LIMIT = 8000;

/** Splits code into segments; joined by line breaks, the segments are the code. */
export function splitSegments(code: string): string[] {
  const segments: string[] = [];
  let from = 0;
  while (code.length - from > HARD_LIMIT) {
    const empty = code.indexOf("\n\n", from + SOFT_LIMIT);
    const line = code.indexOf("\n", from + HARD_LIMIT);
    const end = empty >= 0 && empty < from + HARD_LIMIT ? empty : line;
    if (end < 0) break;
    segments.push(code.slice(from, end));
    from = end + 1;
  }
  segments.push(code.slice(from));
  return segments;
}

/** Maximum line length of highlighted code; longer lines are usually data, which is slow to highlight. */
const MAX_LINE_LENGTH = 1500;
export const MAX_HIGHLIGHTED_LENGTH = 100_000;

export function canHighlight(code: string): boolean {
  if (code.length > MAX_HIGHLIGHTED_LENGTH) return false;
  for (let at = 0; at < code.length;) {
    const end = code.indexOf("\n", at);
    if ((end < 0 ? code.length : end) - at > MAX_LINE_LENGTH) return false;
    if (end < 0) break;
    at = end + 1;
  }
  return true;
}
