// How many columns a text takes in a terminal. Counted by what people see as one character, so that an emoji of many
// code points is one, with two columns.

/** Made when it is first needed: that takes longer than many a run. */
let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[\u0020-\u007E]*$/;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;
const NOTHING = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** The scripts and signs that take two columns (East Asian Wide and Fullwidth), as ranges. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
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

export function graphemesOf(text: string): string[] {
  if (ASCII.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x300) return EMOJI.test(grapheme) ? 2 : 1;
  if (NOTHING.test(grapheme)) return 0;
  return EMOJI.test(grapheme) || WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** As much of the text as fits, with an ellipsis where something is left out. */
export function clipTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let clipped = "";
  let left = columns - 1;
  for (const grapheme of graphemesOf(text)) {
    left -= graphemeWidth(grapheme);
    if (left < 0) break;
    clipped += grapheme;
  }
  return `${clipped.trimEnd()}…`;
}

/** The text with spaces up to a width. */
export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}
