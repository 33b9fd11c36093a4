// Copies settings between the wire and the canonical model with a table of names. The names can differ; the values are
// the same.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField } from "./read-wire.ts";

const TYPE_CHECKS = {
  number: (value: JsonValue) => typeof value === "number",
  string: (value: JsonValue) => typeof value === "string",
  boolean: (value: JsonValue) => typeof value === "boolean",
  strings: (value: JsonValue) => Array.isArray(value) && value.every((each) => typeof each === "string"),
} as const satisfies Record<string, (value: JsonValue) => boolean>;

export type FieldType = keyof typeof TYPE_CHECKS;
export type FieldRow<Field extends string> = readonly [wireName: string, field: Field, type: FieldType];

/**
 * The fields of one group of settings, such as `sampling`, and their names on the wire. If a field has several rows,
 * the encoder uses the wire name of the first row.
 */
export class FieldTable<Field extends string> {
  readonly #byWireName: ReadonlyMap<string, FieldRow<Field>>;
  readonly #byField = new Map<string, FieldRow<Field>>();

  constructor(rows: readonly FieldRow<Field>[]) {
    this.#byWireName = new Map(rows.map((row) => [row[0], row]));
    for (const row of rows) if (!this.#byField.has(row[1])) this.#byField.set(row[1], row);
  }

  /**
   * Copies one wire field into the group. Returns false if the table has no row for the wire field, the value does not
   * have the type in that row, or the field of the group is already set.
   */
  decode(wire: JsonObject, key: string, group: Partial<Record<Field, unknown>>): boolean {
    const row = this.#byWireName.get(key);
    const value = wire[key];
    if (row === undefined || value === undefined || !TYPE_CHECKS[row[2]](value) || row[1] in group) return false;
    copyField(wire, key, group, row[1]);
    return true;
  }

  /** Writes the fields of the group into a wire object, and reports the fields that are not in the table. */
  encode(group: object, wire: JsonObject, context: EncodeContext<"field-unsupported">): void {
    for (const field in group) {
      if ((group as Record<string, unknown>)[field] === undefined) continue;
      const row = this.#byField.get(field);
      if (row === undefined) context.report.addLoss("field-unsupported", field);
      else copyField(group, field, wire, row[0]);
    }
  }
}
