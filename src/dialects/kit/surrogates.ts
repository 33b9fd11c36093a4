// No lone surrogate goes out: JSON may hold half a character, providers refuse it (B50).
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { Turn } from "./turn.ts";
import { pathOf } from "./turn.ts";

/** Fields that hold what people and tools said. */
const SAID = ["text", "summary", "input", "inputText", "output", "content", "transcript"] as const;

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** A copy with U+FFFD in place of every lone surrogate. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]));
}

/** The turn with every half character of its texts, arguments and results replaced. */
export function wellFormedParts(turn: Turn, context: EncodeContext<"surrogates">): Turn {
  let parts: Part[] | undefined;
  const { message } = turn;
  for (let at = 0; at < message.parts.length; at++) {
    const part = message.parts[at] as Part; // Within the length.
    for (const field of SAID) {
      const value = (part as Partial<Record<(typeof SAID)[number], unknown>>)[field];
      if (value === undefined || isWellFormed(value)) continue;
      context.report.lose("surrogates", [...pathOf(turn, at), field]);
      parts ??= [...message.parts];
      parts[at] = { ...(parts[at] as Part), [field]: wellFormed(value) };
    }
  }
  return parts === undefined ? turn : { ...turn, message: { ...message, parts } };
}
