// System text at the head of a history, for targets that have one place for it.
import type { TextPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { OutgoingTurn } from "./turn.ts";

export const BLANK_LINE = "\n\n";

/** Counts the leading system turns; developer turns count if the target has no developer role. */
export function countLeadingSystemTurns(turns: readonly OutgoingTurn[], withDeveloper: boolean): number {
  let count = 0;
  for (const { message } of turns) {
    if (message.role !== "system" && !(withDeveloper && message.role === "developer")) break;
    count++;
  }
  return count;
}

/**
 * Joins the text of leading turns into one string. Returns undefined if they need blocks: if a part is not plain text,
 * has a cache breakpoint or residue of this dialect, or is one of several in its message.
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
