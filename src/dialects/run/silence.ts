// How the wire says nothing: by null, by leaving a field out, or by an empty object. What is not the plain form of it is
// noted, and written again as long as there is nothing to say.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm } from "../kit/residue.ts";
import type { RunEncodeContext } from "./losses.ts";

const ABSENT = "absent";

/** Notes that a field is null or absent; a value is no silence. */
export function keepSilence(
  target: Message | Part,
  dialect: string,
  field: string,
  value: JsonValue | undefined,
): void {
  if (value === undefined || value === null) storeForm(target, dialect, field, value === null ? null : ABSENT);
}

/** Writes a field as it was spelled, if it was, as long as that `fits` what it says now; whether it did. */
export function respell(
  wire: JsonObject,
  field: string,
  fits: boolean,
  target: Message | Part,
  context: RunEncodeContext,
): boolean {
  const spelled = readForm(target, context.dialect)[field];
  if (spelled === undefined) return false;
  if (fits && spelled === ABSENT) delete wire[field];
  else if (fits) wire[field] = spelled;
  // An empty object takes whatever is put into it.
  else if (!isObject(spelled)) reportStale(context, field);
  return fits;
}

/** A note on how something was spelled does not fit any more. */
export function reportStale(context: RunEncodeContext, field: string): void {
  context.report.addLoss("form-stale", ["extra", context.dialect, "$form", field]);
}
