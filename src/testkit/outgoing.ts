// What an encoding says, as text in which words are looked for; and whether two encodings are the same.
import type { Encoded, Renames } from "../dialects/dialect.ts";
import { listExactNumbers, parseJson, stringifyJson } from "../model/json/index.ts";
import { places } from "./places.ts";

/** Between two strings, so that none seems to stand across a border. */
const BORDER = "\u0000";

/** All strings and keys that went out, in order, as one text; base64 and JSON within JSON stay as they are. */
export function outgoing({ wire, address, names }: Encoded): string {
  const strings: string[] = [];
  for (const { value, keys } of places({ wire, address })) {
    const key = keys.at(-1);
    if (typeof key === "string") strings.push(key);
    if (typeof value === "string") strings.push(value);
  }
  const out = strings.join(BORDER);
  return names === undefined ? out : [out, ...renamed(names, out)].join(BORDER);
}

/** A word that had to change for the target has arrived as often as the one that stands for it. */
function renamed(names: Renames, out: string): string[] {
  const pairs = Object.values(names).flatMap((table: Record<string, string>) => Object.entries(table));
  return pairs.flatMap(([there, here]) => Array<string>(occurrences(there, out)).fill(here));
}

function occurrences(text: string, out: string): number {
  let count = 0;
  for (let at = out.indexOf(text); at >= 0; at = out.indexOf(text, at + text.length)) count++;
  return count;
}

/** A text may stand in a JSON text within the wire, escaped once. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** How often a text went out. */
export function arrivals(text: string, out: string): number {
  const inJson = escaped(text);
  return occurrences(text, out) + (inJson === text ? 0 : occurrences(inJson, out));
}

/** Where a text went out first; -1 where it did not. */
export function positionOf(text: string, out: string): number {
  const plain = out.indexOf(text);
  return plain >= 0 ? plain : out.indexOf(escaped(text));
}

/** Everything that an encoding says, for comparison. */
export function fingerprint({ wire, losses, address }: Encoded): string {
  return JSON.stringify([wire, address, losses.map(({ path, code, message }) => [path, code, message])]);
}

/** Whether every digit of a text that a double does not hold is in the output (B23). */
export function keepsDigits(text: string, { wire }: Encoded): boolean {
  let digits: string[];
  try {
    digits = listExactNumbers(parseJson(text)).map((number) => number.text);
  } catch {
    // The text of an invalid call is its input, which is looked for like any other.
    return true;
  }
  return digits.every((each) => stringifyJson(wire).includes(each));
}
