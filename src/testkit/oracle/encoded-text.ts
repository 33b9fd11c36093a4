// Converts the output of an encoder to one text, in which the checks count and locate the strings of the canonical
// value.
import type { Encoded, Renames } from "../../dialects/dialect.ts";
import { listExactNumbers, parseJson, stringifyJson } from "../../model/json/index.ts";
import { walkJson } from "../json/json-nodes.ts";

/** The separator between two strings of the search text, so that no match spans both. */
const SEPARATOR = "\u0000";

/** Joins all strings and keys of the output in their order; base64 and JSON texts are not decoded. */
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

/**
 * Returns the original name of each renamed tool or call as often as its wire name occurs in the text, because a
 * renamed name counts as present in the output.
 */
function listOriginalNames(names: Renames, text: string): string[] {
  const pairs = Object.values(names).flatMap((table: Record<string, string>) => Object.entries(table));
  return pairs.flatMap(([wireName, originalName]) => Array<string>(countPlain(wireName, text)).fill(originalName));
}

function countPlain(needle: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}

/** Escapes a string as in a JSON text, because wires may contain JSON texts as strings. */
function escapeJsonText(needle: string): string {
  return JSON.stringify(needle).slice(1, -1);
}

/** Counts how often the output contains a string, either unescaped or as in a JSON text. */
export function countOccurrences(needle: string, text: string): number {
  const inJson = escapeJsonText(needle);
  return countPlain(needle, text) + (inJson === needle ? 0 : countPlain(inJson, text));
}

/** Returns the first position of a string in the output, unescaped or as in a JSON text; -1 if it is absent. */
export function findTextPosition(needle: string, text: string): number {
  const plain = text.indexOf(needle);
  return plain >= 0 ? plain : text.indexOf(escapeJsonText(needle));
}

/** Returns a text that is equal for two encodings with the same wire, envelope and losses. */
export function fingerprint({ wire, losses, address }: Encoded): string {
  return JSON.stringify([wire, address, losses.map(({ path, code, message }) => [path, code, message])]);
}

/** True if the output contains, with exact digits, every number of a JSON text that a double cannot represent (B23). */
export function hasExactDigits(json: string, { wire }: Encoded): boolean {
  let digits: string[];
  try {
    digits = listExactNumbers(parseJson(json)).map((number) => number.text);
  } catch {
    // The text is not JSON, so it belongs to an invalid call, whose `input` is the same text. The caller searches that
    // `input` like any other string, so nothing is checked here.
    return true;
  }
  return digits.every((each) => stringifyJson(wire).includes(each));
}
