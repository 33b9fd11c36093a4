// Turns an encoding into one text in which the strings of the canonical value are counted and located.
import type { Encoded, Renames } from "../../dialects/dialect.ts";
import { listExactNumbers, parseJson, stringifyJson } from "../../model/json/index.ts";
import { walkJson } from "../json/json-nodes.ts";

/** Separates two strings, so that no match spans both. */
const SEPARATOR = "\u0000";

/** Joins all strings and keys of the output in order; base64 and JSON texts stay as they are. */
export function toSearchText({ wire, address, names }: Encoded): string {
  const strings: string[] = [];
  for (const { value, keys } of walkJson({ wire, address })) {
    const key = keys.at(-1);
    if (typeof key === "string") strings.push(key);
    if (typeof value === "string") strings.push(value);
  }
  const text = strings.join(SEPARATOR);
  return names === undefined ? text : [text, ...listOriginalNames(names, text)].join(SEPARATOR);
}

/** Returns each original name as often as its renamed form occurs: a renamed name counts as present. */
function listOriginalNames(names: Renames, text: string): string[] {
  const pairs = Object.values(names).flatMap((table: Record<string, string>) => Object.entries(table));
  return pairs.flatMap(([wireName, originalName]) => Array<string>(countPlain(wireName, text)).fill(originalName));
}

function countPlain(needle: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}

/** Escapes a string as inside a JSON text, because wires may contain JSON texts. */
function escapeJsonText(needle: string): string {
  return JSON.stringify(needle).slice(1, -1);
}

/** Counts a string in the output, plain or escaped. */
export function countOccurrences(needle: string, text: string): number {
  const inJson = escapeJsonText(needle);
  return countPlain(needle, text) + (inJson === needle ? 0 : countPlain(inJson, text));
}

/** Returns the first position of a string in the output, plain or escaped; -1 if it is absent. */
export function findTextPosition(needle: string, text: string): number {
  const plain = text.indexOf(needle);
  return plain >= 0 ? plain : text.indexOf(escapeJsonText(needle));
}

/** Returns a text that is equal for two encodings with the same wire, envelope and losses. */
export function fingerprint({ wire, losses, address }: Encoded): string {
  return JSON.stringify([wire, address, losses.map(({ path, code, message }) => [path, code, message])]);
}

/** True if the output has every number of a JSON text that a double cannot represent (B23). */
export function hasExactDigits(json: string, { wire }: Encoded): boolean {
  let digits: string[];
  try {
    digits = listExactNumbers(parseJson(json)).map((number) => number.text);
  } catch {
    // The input of an invalid call equals this text, and is searched like any other string.
    return true;
  }
  return digits.every((each) => stringifyJson(wire).includes(each));
}
