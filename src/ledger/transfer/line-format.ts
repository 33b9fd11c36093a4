// The lines of an export, as JSON: a thread, its blobs in pieces, messages, runs, run state changes, journal entries
// and an end line. JSON columns of a store are exported exactly: as JSON if parsing and encoding gives the same text,
// otherwise (damaged, or spelled differently) as a string in a second field (`bodyText`).
//
// A message references the blobs in its body; only if the store's references differ, as for a damaged body, the line
// has the list (`blobs`).
//
// Idempotency keys, leases, work requests, deltas and live runs are not exported: they are meaningful only in their own
// ledger.
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject } from "../../model/json/index.ts";
import { parseJson, stringifyJson } from "../../model/json/index.ts";

export const FORMAT = "koine-ledger";
export const FORMAT_VERSION = 1;

/** The kinds of lines. */
export const LINE_KINDS = ["thread", "blob", "message", "run", "state", "entry", "end"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** The number of bytes in one line of a blob. */
export const BLOB_PIECE_SIZE = 262_144;

type PlainFields = string | number | boolean | null | readonly string[];

/** Encodes a line with its line feed. `columns` are JSON texts; null ones are omitted. */
export function encodeLine(fields: Readonly<Record<string, PlainFields>>, columns: JsonColumns = {}): string {
  const asText = new Set<string>();
  for (;;) {
    const line = compose(fields, columns, asText);
    const changed = changedIn(line, columns, asText);
    if (changed.length === 0) return `${line}\n`;
    for (const name of changed) asText.add(name);
  }
}

type JsonColumns = Readonly<Record<string, string | null>>;

function compose(
  fields: Readonly<Record<string, PlainFields>>,
  columns: JsonColumns,
  asText: ReadonlySet<string>,
): string {
  const members = [JSON.stringify(fields).slice(1, -1)];
  for (const [name, text] of Object.entries(columns)) {
    if (text === null) continue;
    members.push(asText.has(name) ? `"${name}Text":${JSON.stringify(text)}` : `"${name}":${text}`);
  }
  return `{${members.join(",")}}`;
}

/** Returns the columns whose text would change if the line were parsed and encoded again. */
function changedIn(line: string, columns: JsonColumns, asText: ReadonlySet<string>): string[] {
  const names = Object.keys(columns).filter((name) => columns[name] !== null && !asText.has(name));
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

/** Returns the text of a column; null if the line has none. */
export function columnText(line: JsonObject, name: string): string | null {
  const text = line[`${name}Text`];
  if (typeof text === "string") return text;
  const value = line[name];
  return value === undefined ? null : stringifyJson(value);
}
