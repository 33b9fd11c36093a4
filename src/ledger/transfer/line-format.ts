// Defines the format of an export. Each line is a JSON object: a thread, then its blobs in pieces, messages, runs, run
// state changes and journal entries, and an end line. The JSON columns of a store are exported exactly: as JSON if
// parsing and encoding the text gives the same text, otherwise (the text is damaged or spelled differently) as a string
// in a field with the suffix `Text`, such as `bodyText`.
//
// The blob references of a message are not exported if they can be derived from its body. Otherwise, for example if the
// body is damaged, the message line lists them in `blobs`.
//
// Idempotency keys, leases, work requests, deltas and live runs are not exported, because they have no meaning in
// another ledger.
import { isObject } from "../../model/value-kind.ts";
import type { JsonObject } from "../../model/json/index.ts";
import { parseJson, stringifyJson } from "../../model/json/index.ts";

export const FORMAT = "koine-ledger";
export const FORMAT_VERSION = 1;

/** The kinds of lines in an exported thread. */
export const LINE_KINDS = ["thread", "blob", "message", "run", "state", "entry", "end"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** The maximum number of bytes of a blob in one line. */
export const BLOB_PIECE_SIZE = 262_144;

type PlainFields = string | number | boolean | null | readonly string[];

/** Encodes a line, including the line feed. `columns` contains the JSON columns by name; null columns are omitted. */
export function encodeLine(fields: Readonly<Record<string, PlainFields>>, columns: JsonColumns = {}): string {
  const asText = new Set<string>();
  for (;;) {
    const line = compose(fields, columns, asText);
    const changed = listChangedColumns(line, columns, asText);
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

/**
 * Returns the names of the JSON columns whose text an import could not restore, because parsing the line and encoding
 * the column again gives a different text. Columns in `asText` are strings and are always restored.
 */
function listChangedColumns(line: string, columns: JsonColumns, asText: ReadonlySet<string>): string[] {
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

/** Returns the text of a JSON column; null if the line does not contain the column. */
export function columnText(line: JsonObject, name: string): string | null {
  const text = line[`${name}Text`];
  if (typeof text === "string") return text;
  const value = line[name];
  return value === undefined ? null : stringifyJson(value);
}
