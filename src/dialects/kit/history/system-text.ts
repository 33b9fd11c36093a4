// Counts and joins the leading system messages of a history, for targets with a single field for system text.
import type { TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { OutgoingTurn } from "./turn.ts";

export const BLANK_LINE = "\n\n";

/** Returns the number of leading system turns. Developer turns count, too, if `withDeveloper` is true. */
export function countLeadingSystemTurns(turns: readonly OutgoingTurn[], withDeveloper: boolean): number {
  let count = 0;
  for (const { message } of turns) {
    if (message.role !== "system" && !(withDeveloper && message.role === "developer")) break;
    count++;
  }
  return count;
}

/**
 * Joins the texts of system turns into one string. Returns undefined if a string cannot represent the turns: if a
 * message has several parts or residue of this dialect, or if a part is not text or has fields beside its text.
 */
export function joinSystemText(turns: readonly OutgoingTurn[], { dialect }: EncodeContext): string | undefined {
  const texts: string[] = [];
  for (const { message } of turns) {
    const [part] = message.parts;
    if (message.parts.length > 1 || message.extra?.[dialect] !== undefined) return undefined;
    if (part === undefined) continue;
    if (part.type !== "text" || !isPlainText(part, dialect)) return undefined;
    texts.push(part.text);
  }
  return texts.join(BLANK_LINE);
}

function isPlainText(part: TextPart, dialect: string): boolean {
  return part.cache === undefined && part.extra?.[dialect] === undefined && part.annotations === undefined;
}
