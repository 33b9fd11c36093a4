// Closes open bold text (`**`), inline code and strikethrough (`~~`) at the end of a streaming text, and omits
// delimiters at the end that may open one of them. Without this, the shown text would change its appearance with the
// next delta.

/** Matches delimiters at the end of the text that may open emphasis, code or strikethrough. */
const DANGLING_MARKUP = /(^|[\s([{"'])[*_~`]+$/;
const BULLET = /^[ \t]*[*+-][ \t]+/gm;

export function closeOpenMarkup(text: string): string {
  const start = text.lastIndexOf("\n\n") + 1;
  const block = text.slice(start);
  const trimmed = block.replace(DANGLING_MARKUP, "$1");
  const plainText = removeCode(trimmed).replace(BULLET, "");
  return text.slice(0, start) + appendMarkup(trimmed, findClosingMarkup(plainText));
}

/** Removes inline code from a text. Takes linear time for any number of backticks. */
function removeCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  if (runs.length < 2) return text;
  /**
   * For each run of backticks that opens code, by its index: the next run of the same length, which closes the code.
   */
  const ends = new Map<number, RegExpExecArray>();
  const nextByLength = new Map<number, RegExpExecArray>();
  for (const run of runs.toReversed()) {
    const next = nextByLength.get(run[0].length);
    if (next !== undefined) ends.set(run.index, next);
    nextByLength.set(run[0].length, run);
  }
  let [plain, from] = ["", 0];
  for (const { index } of runs) {
    const end = index < from ? undefined : ends.get(index);
    if (end === undefined) continue;
    plain += text.slice(from, index);
    from = end.index + end[0].length;
  }
  return plain + text.slice(from);
}

/**
 * Returns the delimiters to append to the text. If inline code is open, only the code is closed, because code contains
 * no emphasis.
 */
function findClosingMarkup(text: string): string {
  const tick = text.lastIndexOf("`");
  if (tick >= 0) {
    let first = tick;
    while (text[first - 1] === "`") first -= 1;
    return text.slice(first, tick + 1);
  }
  return ["**", "~~"].map((sign) => (isOpen(text, sign) ? sign : "")).join("");
}

function isOpen(text: string, markup: string): boolean {
  const segments = text.split(markup);
  const last = segments.at(-1) ?? "";
  return segments.length % 2 === 0 && /^\S/.test(last);
}

function appendMarkup(text: string, markup: string): string {
  if (markup === "") return text;
  const end = text.trimEnd();
  return end + markup + text.slice(end.length);
}
