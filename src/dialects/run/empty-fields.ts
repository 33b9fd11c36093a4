// Stores and restores empty fields of the run dialect: null, absent, or an empty object. A spelling other than the
// default spelling is stored as a form, and restored if the field is still empty.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../kit/residue/residue.ts";
import type { RunEncodeContext } from "./losses.ts";

const ABSENT = "absent";

/** Stores as a form that a field is null or absent; a field with a value stores nothing. */
export function storeEmptyField(
  target: Message | Part,
  dialect: string,
  field: string,
  value: JsonValue | undefined,
): void {
  if (value === undefined || value === null) storeForm(target, dialect, field, value === null ? null : ABSENT);
}

/**
 * Restores the stored form of a field if `fits` is true, which means that the field is still empty; otherwise reports
 * the form as stale. Returns true if the form was restored.
 */
export function restoreEmptyField(
  wire: JsonObject,
  field: string,
  fits: boolean,
  target: Message | Part,
  context: RunEncodeContext,
): boolean {
  const form = readForm(target, context.dialect)[field];
  if (form === undefined) return false;
  if (fits && form === ABSENT) delete wire[field];
  else if (fits) wire[field] = form;
  // A stored `{}` is not reported if the field now has content, because the field is an object in both cases.
  else if (!isObject(form)) reportStaleForm(context, field);
  return fits;
}

/** Reports a stored form that no longer fits the value. */
export function reportStaleForm(context: RunEncodeContext, field: string): void {
  context.report.addLoss("form-stale", ["extra", context.dialect, "$form", field]);
}
