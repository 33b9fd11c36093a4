// Replaces lone surrogates in a history: JSON can hold half a character, but providers reject it (B50).
import type { Part } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { OutgoingTurn } from "./turn.ts";
import { toPartPath } from "./turn.ts";

/** Fields of parts that hold text of people, models and tools. */
const TEXT_FIELDS = ["text", "summary", "input", "inputText", "output", "content", "transcript"] as const;

type TextFields = Partial<Record<(typeof TEXT_FIELDS)[number], unknown>>;

function readTextFields(part: object): TextFields {
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

/** Up to this length a loop is faster than calling `isWellFormed`. */
const SHORT = 16;

function isShortWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xf800) === 0xd800) return text.isWellFormed();
  }
  return true;
}

/** True if all text of a part is well formed. It runs for every part, so that each type reads its fields by name. */
function hasWellFormedText(part: Part): boolean {
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
      return TEXT_FIELDS.every((field) => isWellFormed(readTextFields(part)[field]));
  }
}

/** Returns a copy with U+FFFD in place of every lone surrogate. */
function replaceSurrogates(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(replaceSurrogates);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), replaceSurrogates(each)]));
}

function repairPart(
  turn: OutgoingTurn,
  at: number,
  part: Part,
  { report }: EncodeContext<"lone-surrogate-replaced">,
): Part {
  const repaired: TextFields = {};
  for (const field of TEXT_FIELDS) {
    const value = readTextFields(part)[field];
    if (isWellFormed(value)) continue;
    report.addLoss("lone-surrogate-replaced", [...toPartPath(turn, at), field]);
    repaired[field] = replaceSurrogates(value);
  }
  // The same fields with other strings.
  return { ...part, ...repaired } as Part;
}

/** Returns the turn with every lone surrogate of its texts, arguments and results replaced. */
export function replaceSurrogatesInTurn(
  turn: OutgoingTurn,
  context: EncodeContext<"lone-surrogate-replaced">,
): OutgoingTurn {
  const { parts } = turn.message;
  let repaired: Part[] | undefined;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part; // Within the length.
    if (!hasWellFormedText(part)) (repaired ??= [...parts])[at] = repairPart(turn, at, part, context);
  }
  return repaired === undefined ? turn : { ...turn, message: { ...turn.message, parts: repaired } };
}
