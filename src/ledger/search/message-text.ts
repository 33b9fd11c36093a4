// Extracts the searchable text of a message: text, refusals, tool calls and results, and the names, transcripts and
// texts of media. Reasoning, residue and the bytes of media are not searchable.
import type { Message, Part } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

/** The maximum number of indexed characters per message. */
const MAX_TEXT_LENGTH = 262_144;

/** The maximum length of a string without spaces; a longer string is probably encoded data and is not indexed. */
const MAX_TERM_LENGTH = 200;

/** Returns the searchable text of a message. Ignores parts of unknown types. */
export function extractSearchText(message: Pick<Message, "parts">): string {
  const pieces: string[] = [];
  addParts(message.parts, pieces);
  // U+0000 and lone surrogates are replaced, because databases reject them.
  return pieces.join("\n").slice(0, MAX_TEXT_LENGTH).replaceAll("\u0000", " ").toWellFormed();
}

/** Adds the texts of parts, whose types and shapes may be unknown, to `pieces`. */
function addParts(parts: unknown, pieces: string[]): void {
  if (!Array.isArray(parts)) return;
  for (const part of parts as unknown[]) {
    if (!isObject(part)) continue;
    for (const field of TEXT_FIELDS.get(part["type"]) ?? []) addStrings(part[field], pieces);
    addParts(part["content"], pieces);
  }
}

/** The fields of each type of part that contain searchable text. */
const TEXT_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(
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

/** Adds the strings of a JSON value at any depth to `pieces`; object keys are not searchable. */
function addStrings(value: unknown, pieces: string[]): void {
  if (typeof value === "string") pieces.push(removeData(value));
  else if (Array.isArray(value)) for (const item of value as unknown[]) addStrings(item, pieces);
  else if (isObject(value)) for (const key of Object.keys(value)) addStrings(value[key], pieces);
}

const DATA_PATTERN = new RegExp(`\\S{${MAX_TERM_LENGTH + 1},}`, "g");
/**
 * Matches a character of a script that is written without spaces: a long string with such a character is text, not
 * encoded data.
 */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u;

function removeData(text: string): string {
  const limited = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  if (limited.length <= MAX_TERM_LENGTH) return limited;
  return limited.replace(DATA_PATTERN, (run) => (SPACELESS.test(run) ? run : " "));
}
