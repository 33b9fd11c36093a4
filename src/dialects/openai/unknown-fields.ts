// Stores wire fields without a canonical counterpart as residue, and the names of absent fields as form.
import type { JsonObject } from "../../model/json/index.ts";
import type { Part, TextPart, WithExtra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";

/**
 * Stores the fields of `wire` that are not in `known` as residue. `parents` are the names of the fields that contain
 * `wire`; the residue is stored under this path.
 */
export function storeUnknownFields(
  target: WithExtra,
  wire: JsonObject,
  known: readonly string[],
  { dialect }: DecodeContext,
  ...parents: string[]
): void {
  let rest: JsonObject | undefined;
  for (const key in wire) {
    // A wire object that was made in code can have a field with the value `undefined`, which counts as absent.
    if (!known.includes(key) && wire[key] !== undefined) copyField(wire, key, (rest ??= {}));
  }
  storeResidue(target, dialect, rest, parents);
}

/**
 * Stores the names of the `fields` that are absent in the wire object as the form `absent`, so that the encoder does
 * not write default values for these fields.
 */
export function storeAbsentFields(
  target: WithExtra,
  wire: JsonObject,
  fields: readonly string[],
  { dialect }: DecodeContext,
): void {
  const absent = fields.filter((field) => wire[field] === undefined);
  if (absent.length > 0) storeForm(target, dialect, "absent", absent);
}

/** True if a part is a text that has no fields other than `type` and `text`. */
export function isBareText(part: Part): part is TextPart {
  if (part.type !== "text") return false;
  for (const key in part) if (key !== "type" && key !== "text") return false;
  return true;
}
