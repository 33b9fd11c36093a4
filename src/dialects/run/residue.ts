// The residue of the run shape mirrors the wire: unknown fields of a part are in `extra.run`, those of its payload in
// `extra.run.payload`; unknown fields of a message likewise, with those of its meta in `extra.run.meta`.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import { isObject } from "../read.ts";
import { keepFields, restoreFields } from "../residue.ts";
import type { RunEncodeContext } from "./losses.ts";

interface Carrier {
  extra?: Extra;
}

/** Keeps the unknown fields of an object that stands in the field `inner`. */
export function keepInner(target: Carrier, dialect: string, inner: string, fields: JsonObject | undefined): void {
  if (fields === undefined) return;
  const holder: Carrier = {};
  keepFields(holder, dialect, fields);
  keepFields(target, dialect, { [inner]: holder.extra?.[dialect] ?? {} });
}

/** Writes unknown fields back; one whose name is taken by now no longer fits and is reported. */
export function restore(wire: JsonObject, target: Carrier, context: RunEncodeContext, inner: string): void {
  const residue = target.extra?.[context.dialect];
  if (residue === undefined) return;
  for (const key of Object.keys(residue)) {
    if (key !== inner && Object.hasOwn(wire, key)) context.report.lose("form-stale", ["extra", context.dialect, key]);
  }
  restoreFields(wire, target, context.dialect);
}

export function restoreInner(wire: JsonObject, target: Carrier, context: RunEncodeContext, inner: string): void {
  const fields = target.extra?.[context.dialect]?.[inner];
  if (!isObject(fields)) return;
  for (const key of Object.keys(fields)) {
    if (Object.hasOwn(wire, key)) context.report.lose("form-stale", ["extra", context.dialect, inner, key]);
  }
  restoreFields(wire, { extra: { [context.dialect]: fields } }, context.dialect);
}

/** A note on how something was spelled does not fit any more. */
export function staleForm(context: RunEncodeContext, what: string): void {
  context.report.lose("form-stale", ["extra", context.dialect, "$form", what]);
}
