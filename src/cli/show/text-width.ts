// Measures the columns of text in a terminal, by grapheme: an emoji of several code points counts as one character of
// two columns.

/**
 * The segmenter that splits text into graphemes. It is created at first use, because its creation takes longer than
 * many commands.
 */
let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[\u0020-\u007E]*$/;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;
const ZERO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** The code point ranges that take two columns (East Asian Wide and Fullwidth). */
const WIDE_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

export function splitGraphemes(text: string): string[] {
  if (ASCII.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function measureGrapheme(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x300) return EMOJI.test(grapheme) ? 2 : 1;
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return EMOJI.test(grapheme) || WIDE_RANGES.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function measureWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of splitGraphemes(text)) width += measureGrapheme(grapheme);
  return width;
}

/** Returns the text if it fits into `columns`, otherwise the beginning of the text with an ellipsis. */
export function clipToWidth(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text;
  let clipped = "";
  let available = columns - 1;
  for (const grapheme of splitGraphemes(text)) {
    available -= measureGrapheme(grapheme);
    if (available < 0) break;
    clipped += grapheme;
  }
  return `${clipped.trimEnd()}…`;
}

/** Appends spaces to the text until it is `columns` wide; a longer text is returned unchanged. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - measureWidth(text)));
}
