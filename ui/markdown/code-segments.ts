// Long code is drawn in segments: each is laid out and coloured by itself, so that code that grows costs no more at its end
// than at its beginning.

/** Characters after which a segment ends at the next empty line, and at the next line at all. */
const SOFT = 6000;
const HARD = 8000;

/** The lines of a code in segments; joined by line breaks they are the code. */
export function segmentsOf(code: string): string[] {
  const segments: string[] = [];
  let from = 0;
  while (code.length - from > HARD) {
    const empty = code.indexOf("\n\n", from + SOFT);
    const line = code.indexOf("\n", from + HARD);
    const end = empty >= 0 && empty < from + HARD ? empty : line;
    if (end < 0) break;
    segments.push(code.slice(from, end));
    from = end + 1;
  }
  segments.push(code.slice(from));
  return segments;
}

/** Lines longer than this are data, and take long to colour. */
const MAX_LINE = 1500;
export const MAX_COLOURED = 100_000;

export function isColourable(code: string): boolean {
  if (code.length > MAX_COLOURED) return false;
  for (let at = 0; at < code.length;) {
    const end = code.indexOf("\n", at);
    if ((end < 0 ? code.length : end) - at > MAX_LINE) return false;
    if (end < 0) break;
    at = end + 1;
  }
  return true;
}
