// Settings that a wire says under another name and that mean the same: one table per group, two ways.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { EncodeContext } from "../dialect.ts";
import { copyField } from "./read.ts";

const KINDS = {
  number: (value: JsonValue) => typeof value === "number",
  string: (value: JsonValue) => typeof value === "string",
  boolean: (value: JsonValue) => typeof value === "boolean",
  strings: (value: JsonValue) => Array.isArray(value) && value.every((each) => typeof each === "string"),
} as const satisfies Record<string, (value: JsonValue) => boolean>;

export type FieldKind = keyof typeof KINDS;
export type FieldRow<Field extends string> = readonly [wire: string, field: Field, kind: FieldKind];

/** The fields of one group, such as `sampling`, and what the wire calls them. The first row of a field is its plain one. */
export class FieldTable<Field extends string> {
  readonly #byWire: ReadonlyMap<string, FieldRow<Field>>;
  readonly #byField = new Map<string, FieldRow<Field>>();

  constructor(rows: readonly FieldRow<Field>[]) {
    this.#byWire = new Map(rows.map((row) => [row[0], row]));
    for (const row of rows) if (!this.#byField.has(row[1])) this.#byField.set(row[1], row);
  }

  /** Reads one wire field into the group; false where it is none of these, is of another kind or is there already. */
  decode(wire: JsonObject, key: string, group: Partial<Record<Field, unknown>>): boolean {
    const row = this.#byWire.get(key);
    const value = wire[key];
    if (row === undefined || value === undefined || !KINDS[row[2]](value) || row[1] in group) return false;
    copyField(wire, key, group, row[1]);
    return true;
  }

  /** Writes the group; what the wire has no field for is reported. */
  encode(group: object, wire: JsonObject, context: EncodeContext<"field-unsaid">): void {
    for (const field in group) {
      if ((group as Record<string, unknown>)[field] === undefined) continue;
      const row = this.#byField.get(field);
      if (row === undefined) context.report.addLoss("field-unsaid", field);
      else copyField(group, field, wire, row[0]);
    }
  }
}
