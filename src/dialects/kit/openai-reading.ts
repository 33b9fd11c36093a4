// What is left over when a wire object of OpenAI's has been read, and the texts that leave nothing over.
import type { JsonObject } from "../../model/json.ts";
import type { Extra, Part, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField } from "./read.ts";
import { storeResidue, storeForm } from "./residue.ts";

interface Carrier {
  extra?: Extra;
}

/** Keeps the fields that are not among the known ones; those of an inner object under the steps to it. */
export function keepOthers(
  target: Carrier,
  wire: JsonObject,
  known: readonly string[],
  { dialect }: DecodeContext,
  ...inner: string[]
): void {
  let rest: JsonObject | undefined;
  for (const key in wire) {
    // Objects made in code may say undefined, which is no JSON: it is as good as absent.
    if (!known.includes(key) && wire[key] !== undefined) copyField(wire, key, (rest ??= {}));
  }
  storeResidue(target, dialect, rest, inner);
}

/** Notes fields that the plain form has and this wire object has not. */
export function noteAbsent(
  target: Carrier,
  wire: JsonObject,
  fields: readonly string[],
  { dialect }: DecodeContext,
): void {
  const absent = fields.filter((field) => wire[field] === undefined);
  if (absent.length > 0) storeForm(target, dialect, "absent", absent);
}

/** Whether a part is a text that says nothing beside it. */
export function isBare(part: Part): part is TextPart {
  if (part.type !== "text") return false;
  for (const key in part) if (key !== "type" && key !== "text") return false;
  return true;
}
