// The end of a text that is still being written: emphasis, code and strikes that are open are closed, and signs that may
// become the beginning of one are left out until more is known, so that words do not jump between two looks.

/** An opening sign with nothing behind it yet. */
const DANGLING = /(^|[\s([{"'])[*_~`]+$/;
const BULLET = /^[ \t]*[*+-][ \t]+/gm;

export function mendEnd(text: string): string {
  const start = text.lastIndexOf("\n\n") + 1;
  const block = text.slice(start);
  const whole = block.replace(DANGLING, "$1");
  const words = withoutCode(whole).replace(BULLET, "");
  return text.slice(0, start) + closed(whole, closer(words));
}

/** The text between code. Two looks, one from each end, however many ticks there are. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  if (runs.length < 2) return text;
  /** Of each run, the next one of the same length: there its code ends. */
  const ends = new Map<number, RegExpExecArray>();
  const nextOf = new Map<number, RegExpExecArray>();
  for (const run of runs.toReversed()) {
    const next = nextOf.get(run[0].length);
    if (next !== undefined) ends.set(run.index, next);
    nextOf.set(run[0].length, run);
  }
  let [words, from] = ["", 0];
  for (const { index } of runs) {
    const end = index < from ? undefined : ends.get(index);
    if (end === undefined) continue;
    words += text.slice(from, index);
    from = end.index + end[0].length;
  }
  return words + text.slice(from);
}

/** What has to be added: of the one that was opened last, since it is closed first. */
function closer(words: string): string {
  const tick = words.lastIndexOf("`");
  if (tick >= 0) {
    let first = tick;
    while (words[first - 1] === "`") first -= 1;
    return words.slice(first, tick + 1);
  }
  return ["**", "~~"].map((sign) => (opened(words, sign) ? sign : "")).join("");
}

function opened(words: string, sign: string): boolean {
  const pieces = words.split(sign);
  const last = pieces.at(-1) ?? "";
  return pieces.length % 2 === 0 && /^\S/.test(last);
}

function closed(text: string, sign: string): string {
  if (sign === "") return text;
  const end = text.trimEnd();
  return end + sign + text.slice(end.length);
}
