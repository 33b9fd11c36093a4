// Stores wire fields that have no canonical counterpart as residue, and fields that are absent as form.
import type { JsonObject } from "../../model/json/index.ts";
import type { Part, TextPart, WithExtra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField } from "../kit/fields/read-wire.ts";
import { storeResidue, storeForm } from "../kit/residue/residue.ts";

/** Stores the fields that are not in `known` as residue; `parents` are the fields around an inner object. */
export function storeUnknownFields(
  target: WithExtra,
  wire: JsonObject,
  known: readonly string[],
  { dialect }: DecodeContext,
  ...parents: string[]
): void {
  let rest: JsonObject | undefined;
  for (const key in wire) {
    // `undefined` in an object that was made in code counts as an absent field.
    if (!known.includes(key) && wire[key] !== undefined) copyField(wire, key, (rest ??= {}));
  }
  storeResidue(target, dialect, rest, parents);
}

/** Stores the names of plain fields that this wire object lacks, so that encoding does not fill them in. */
export function storeAbsentFields(
  target: WithExtra,
  wire: JsonObject,
  fields: readonly string[],
  { dialect }: DecodeContext,
): void {
  const absent = fields.filter((field) => wire[field] === undefined);
  if (absent.length > 0) storeForm(target, dialect, "absent", absent);
}

/** True if a part is a text without any field beside its text. */
export function isBareText(part: Part): part is TextPart {
  if (part.type !== "text") return false;
  for (const key in part) if (key !== "type" && key !== "text") return false;
  return true;
}
