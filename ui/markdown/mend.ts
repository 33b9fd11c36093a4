// The end of a text that is still being written: emphasis, code and strikes that are open are closed, and signs that may
// become the beginning of one are left out until more is known, so that words do not jump between two looks.

/** An opening sign with nothing behind it yet. */
const DANGLING = /(^|[\s([{"'])[*_~`]+$/;
const CODE = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;
const BULLET = /^[ \t]*[*+-][ \t]+/gm;

export function mendEnd(text: string): string {
  const start = text.lastIndexOf("\n\n") + 1;
  const block = text.slice(start);
  const whole = block.replace(DANGLING, "$1");
  const words = whole.replace(CODE, "").replace(BULLET, "");
  return text.slice(0, start) + closed(whole, closer(words));
}

/** What has to be added: of the one that was opened last, since it is closed first. */
function closer(words: string): string {
  const tick = words.lastIndexOf("`");
  if (tick >= 0) return /`+$/.exec(words.slice(0, tick + 1))?.[0] ?? "";
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
