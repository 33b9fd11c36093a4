// No lone surrogate goes out: JSON may hold half a character, providers refuse it (B50).
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { Turn } from "./turn.ts";
import { pathOf } from "./turn.ts";

/** Fields that hold what people and tools said. */
const SAID = ["text", "summary", "input", "inputText", "output", "content", "transcript"] as const;

type Said = Partial<Record<(typeof SAID)[number], unknown>>;

/** Any part by the fields that it may have. */
function saidBy(part: object): Said {
  return part;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.length > SHORT ? value.isWellFormed() : isShortWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key in value) {
    if (!isShortWellFormed(key) || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** Up to this length the built-in costs more to call than to do without. */
const SHORT = 16;

function isShortWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xf800) === 0xd800) return text.isWellFormed();
  }
  return true;
}

/** Whether all that a part says is well formed: asked of every part, so that each kind is looked at by name. */
function isSound(part: Part): boolean {
  switch (part.type) {
    case "text":
    case "refusal":
      return isWellFormed(part.text);
    case "reasoning":
      return isWellFormed(part.text) && isWellFormed(part.summary);
    case "tool-call":
      return isWellFormed(part.input) && isWellFormed(part.inputText);
    case "tool-result":
      return isWellFormed(part.output) && (part.content === undefined || isWellFormed(part.content));
    case "opaque":
      return true;
    default:
      return SAID.every((field) => isWellFormed(saidBy(part)[field]));
  }
}

/** A copy with U+FFFD in place of every lone surrogate. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]));
}

function mendPart(turn: Turn, at: number, part: Part, { report }: EncodeContext<"surrogates">): Part {
  const mended: Said = {};
  for (const field of SAID) {
    const value = saidBy(part)[field];
    if (isWellFormed(value)) continue;
    report.addLoss("surrogates", [...pathOf(turn, at), field]);
    mended[field] = wellFormed(value);
  }
  // The same fields with other strings.
  return { ...part, ...mended } as Part;
}

/** The turn with every half character of its texts, arguments and results replaced. */
export function wellFormedParts(turn: Turn, context: EncodeContext<"surrogates">): Turn {
  const { parts } = turn.message;
  let mended: Part[] | undefined;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part; // Within the length.
    if (!isSound(part)) (mended ??= [...parts])[at] = mendPart(turn, at, part, context);
  }
  return mended === undefined ? turn : { ...turn, message: { ...turn.message, parts: mended } };
}
