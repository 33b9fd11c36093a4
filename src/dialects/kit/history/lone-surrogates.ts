// Replaces lone surrogates in a history. A JSON string can contain half a surrogate pair, but providers reject it
// (B50).
import { copyObject, mapStrings } from "../../../model/json/index.ts";
import type { Part } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { OutgoingTurn } from "./turn.ts";
import { toPartPath } from "./turn.ts";

/** The fields of parts that contain text written by people, models and tools. */
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

/** The length of a string up to which a loop is faster than a call of `String.prototype.isWellFormed`. */
const SHORT = 16;

function isShortWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xf800) === 0xd800) return text.isWellFormed();
  }
  return true;
}

/**
 * True if no text of a part contains a lone surrogate. The function runs for every part, so common types have a case
 * that reads their fields by name, which is faster than a loop over `TEXT_FIELDS`.
 */
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
    repaired[field] = mapStrings(value, (text) => text.toWellFormed());
  }
  return Object.assign(copyObject(part), repaired);
}

/** Returns the turn without lone surrogates in its texts, arguments and results. Reports each changed field. */
export function replaceSurrogatesInTurn(
  turn: OutgoingTurn,
  context: EncodeContext<"lone-surrogate-replaced">,
): OutgoingTurn {
  const { parts } = turn.message;
  let repaired: Part[] | undefined;
  for (let at = 0; at < parts.length; at++) {
    // The cast is safe: `at` is less than the length of the list.
    const part = parts[at] as Part;
    if (!hasWellFormedText(part)) (repaired ??= [...parts])[at] = repairPart(turn, at, part, context);
  }
  return repaired === undefined ? turn : { ...turn, message: { ...turn.message, parts: repaired } };
}
