// The lines of an export, as JSON: a thread's head, its blobs in pieces, messages, runs, changes of their states, entries
// of its journal, an end. What a store keeps as JSON text comes back letter by letter: as JSON where reading and writing it gives the same
// text, else, damaged or spelled in its own way, as a string beside (`bodyText`).
//
// A message holds the blobs that its body names; only where the store says otherwise, as of a damaged one, the line has
// the list (`blobs`).
//
// Idempotency keys, leases, work, deltas and runs that are still alive are not part of it: they mean something only to
// the ledger where they were made.
import { isObject } from "../../model/kind.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseJson, stringifyJson } from "../../model/json.ts";

export const FORMAT = "koine-ledger";
export const FORMAT_VERSION = 1;

/** What a line is. */
export const KINDS = ["thread", "blob", "message", "run", "state", "entry", "end"] as const;
export type Kind = (typeof KINDS)[number];

/** Bytes in one line of a blob. */
export const PIECE = 262_144;

type Plain = string | number | boolean | null | readonly string[];

/** A line with its line feed. `columns` are JSON texts; null ones are left out. */
export function writeLine(fields: Readonly<Record<string, Plain>>, columns: Columns = {}): string {
  const spelled = new Set<string>();
  for (;;) {
    const line = compose(fields, columns, spelled);
    const changed = changedIn(line, columns, spelled);
    if (changed.length === 0) return `${line}\n`;
    for (const name of changed) spelled.add(name);
  }
}

type Columns = Readonly<Record<string, string | null>>;

function compose(fields: Readonly<Record<string, Plain>>, columns: Columns, spelled: ReadonlySet<string>): string {
  const members = [JSON.stringify(fields).slice(1, -1)];
  for (const [name, text] of Object.entries(columns)) {
    if (text === null) continue;
    members.push(spelled.has(name) ? `"${name}Text":${JSON.stringify(text)}` : `"${name}":${text}`);
  }
  return `{${members.join(",")}}`;
}

/** The columns that a reader of the line would give another text for. */
function changedIn(line: string, columns: Columns, spelled: ReadonlySet<string>): string[] {
  const names = Object.keys(columns).filter((name) => columns[name] !== null && !spelled.has(name));
  if (names.length === 0) return [];
  const value = readLine(line);
  return value === undefined ? names : names.filter((name) => columnText(value, name) !== columns[name]);
}

function readLine(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a column; null where the line has none. */
export function columnText(line: JsonObject, name: string): string | null {
  const text = line[`${name}Text`];
  if (typeof text === "string") return text;
  const value = line[name];
  return value === undefined ? null : stringifyJson(value);
}
