// A line of JSON in the pieces that are shown in different colours.

export type TokenKind = "key" | "string" | "number" | "word" | "sign" | "text";

export interface Token {
  kind: TokenKind;
  text: string;
}

const PIECES = /("(?:[^"\\]|\\.)*")(: )?|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],]+)|(\s+)|(.)/gsu;

export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const [whole, quoted, colon, number, word, signs] of line.matchAll(PIECES)) {
    if (quoted !== undefined) {
      tokens.push({ kind: colon === undefined ? "string" : "key", text: quoted });
      if (colon !== undefined) tokens.push({ kind: "sign", text: colon });
    } else if (number !== undefined) tokens.push({ kind: "number", text: whole });
    else if (word !== undefined) tokens.push({ kind: "word", text: whole });
    else if (signs !== undefined) tokens.push({ kind: "sign", text: whole });
    else tokens.push({ kind: "text", text: whole });
  }
  return tokens;
}

/** How much of a line is shown at first, and at most: a picture in base64 is one line of millions. */
export const SHOWN_AT_FIRST = 600;
export const SHOWN_AT_MOST = 50_000;

/** The beginning of a line, and how much is left; nothing is cut where the rest would be short. */
export function clipLine(line: string, most: number): { shown: string; left: number } {
  if (line.length <= most + 40) return { shown: line, left: 0 };
  // Never half a character.
  const isSplit = (line.codePointAt(most - 1) ?? 0) > 0xffff;
  const shown = line.slice(0, isSplit ? most - 1 : most);
  return { shown, left: line.length - shown.length };
}
