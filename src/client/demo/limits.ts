// What ends an answer early: a stop sequence, the limit of tokens, or the order to break off.
import type { Piece, Script } from "./script.ts";
import { textOf } from "./script.ts";
import { tokensOf } from "./tokens.ts";

/** The script up to the first stop sequence in its text; the sequence itself is not said. */
export function stopAt(script: Script, stops: readonly string[]): Script {
  const wanted = stops.filter((stop) => stop !== "");
  for (const [index, piece] of script.pieces.entries()) {
    if (piece.type !== "text") continue;
    const found = wanted.map((stop) => piece.text.indexOf(stop)).filter((at) => at >= 0);
    if (found.length === 0) continue;
    const cut: Piece = { ...piece, text: piece.text.slice(0, Math.min(...found)) };
    return { pieces: [...script.pieces.slice(0, index), cut], finish: "stop" };
  }
  return script;
}

/** How many tokens a script may say that is to break off: it ends in the middle of its last piece. */
export function middleOf({ pieces }: Script): number {
  const counts = pieces.map((piece) => tokensOf(textOf(piece)).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Math.max(1, total - Math.ceil((counts.at(-1) ?? 0) / 2));
}
