// The words of a message that a search finds: what was said and what tools were asked and answered. Not reasoning, not
// residue, not the bytes of media.
import type { Message, Part } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";

/** So much of one message is enough to find it by. */
const ENOUGH = 262_144;

/** Longer runs without a space are data, and no word that anybody types. */
const LONGEST_WORD = 200;

/** The text to index. What is no message of a known shape gives what can be told. */
export function searchText(message: Pick<Message, "parts">): string {
  const pieces: string[] = [];
  gather(message.parts, pieces);
  // Databases refuse what is no text.
  return pieces.join("\n").slice(0, ENOUGH).replaceAll("\u0000", " ").toWellFormed();
}

/** Parts may be of kinds and shapes that are not known here. */
function gather(parts: unknown, pieces: string[]): void {
  if (!Array.isArray(parts)) return;
  for (const part of parts as unknown[]) {
    if (!isObject(part)) continue;
    for (const field of FIELDS.get(part["type"]) ?? []) addStrings(part[field], pieces);
    gather(part["content"], pieces);
  }
}

/** Which fields of a part are words, by its type. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(
  Object.entries({
    text: ["text"],
    refusal: ["text"],
    "tool-call": ["toolName", "input"],
    "tool-result": ["toolName", "output"],
    image: ["name", "text"],
    audio: ["name", "transcript", "text"],
    video: ["name", "text"],
    file: ["name", "text"],
  } satisfies Partial<Record<Part["type"], readonly string[]>>),
);

/** The strings of a JSON value, at any depth; keys are no words. */
function addStrings(value: unknown, pieces: string[]): void {
  if (typeof value === "string") pieces.push(worded(value));
  else if (Array.isArray(value)) for (const item of value as unknown[]) addStrings(item, pieces);
  else if (isObject(value)) for (const key of Object.keys(value)) addStrings(value[key], pieces);
}

const DATA = new RegExp(`\\S{${LONGEST_WORD + 1},}`, "g");
/** Scripts that write without spaces. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u;

function worded(text: string): string {
  const kept = text.length > ENOUGH ? text.slice(0, ENOUGH) : text;
  if (kept.length <= LONGEST_WORD) return kept;
  return kept.replace(DATA, (run) => (SPACELESS.test(run) ? run : " "));
}
