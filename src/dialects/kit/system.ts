// System text at the head of a history, for targets that have one place for it.
import type { TextPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { Turn } from "./turn.ts";

export const BLANK_LINE = "\n\n";

/** How many turns at the beginning are system text; developer text counts where the target has no such role. */
export function leadingSystem(turns: readonly Turn[], withDeveloper: boolean): number {
  let count = 0;
  for (const { message } of turns) {
    if (message.role !== "system" && !(withDeveloper && message.role === "developer")) break;
    count++;
  }
  return count;
}

/**
 * The text of leading turns as one string; undefined where they need blocks: where a part is no plain text, has a cache
 * breakpoint, residue of this dialect, or is one of several in its message.
 */
export function joinedSystem(turns: readonly Turn[], { dialect }: EncodeContext): string | undefined {
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
