// Residue: wire data without a canonical field, stored in `extra[dialect]` at the place where it stood. Unknown fields
// keep their names; the spelling of plain values (a list instead of a string, an explicit null) is stored under `$form`.
// Only deviations from the plain form are stored, so that plain data has no `extra`.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../fields/read-wire.ts";

/** Key of the spellings of plain values. */
export const FORM = "$form";
/** Key of stream events that the protocol does not define: on the answer, or on the part that they belong to. */
export const EVENTS_KEY = "$events";
/** A wire field that is itself named `$form`, `$events`, `$form$form` … is stored with one more `$form` before it. */
const RESERVED = /^(?:\$form)*\$(?:form|events)$/;

/**
 * Adds unknown fields to the residue of a message, part, tool, request or response. Fields of an object in the field
 * `inner`, or deeper by those steps, are stored under its name: residue mirrors the wire.
 */
export function storeResidue(
  target: WithExtra,
  dialect: string,
  fields: JsonObject | undefined,
  inner?: string | readonly string[],
): void {
  if (fields === undefined) return;
  let residue = ensureResidue(target, dialect);
  if (typeof inner === "string") residue = ensureInnerResidue(residue, inner);
  else if (inner !== undefined) residue = inner.reduce(ensureInnerResidue, residue);
  for (const key of Object.keys(fields)) copyField(fields, key, residue, RESERVED.test(key) ? FORM + key : key);
}

/** Stores the spelling of a plain value under a form key. */
export function storeForm(target: WithExtra, dialect: string, formKey: string, spelling: JsonValue): void {
  const residue = ensureResidue(target, dialect);
  const form = residue[FORM];
  residue[FORM] = { ...(isObject(form) ? form : {}), [formKey]: spelling };
}

/** Removes the spelling that `storeForm` stored, and objects that are empty without it. */
export function dropForm(target: WithExtra, dialect: string, formKey: string): void {
  const residue = target.extra?.[dialect];
  const { [formKey]: dropped, ...form } = readForm(target, dialect);
  if (residue === undefined || dropped === undefined) return;
  if (Object.keys(form).length > 0) residue[FORM] = form;
  else delete residue[FORM];
  if (Object.keys(residue).length === 0) delete target.extra?.[dialect];
  if (target.extra !== undefined && Object.keys(target.extra).length === 0) delete target.extra;
}

function ensureResidue(target: WithExtra, dialect: string): JsonObject {
  target.extra ??= {};
  const residue: JsonObject = target.extra[dialect] ?? {};
  target.extra[dialect] = residue;
  return residue;
}

function ensureInnerResidue(residue: JsonObject, inner: string): JsonObject {
  const existing = residue[inner];
  return isObject(existing) ? existing : (residue[inner] = {});
}

/** Returns the spellings that `storeForm` stored, by form key. */
export function readForm(target: WithExtra, dialect: string): JsonObject {
  const form = target.extra?.[dialect]?.[FORM];
  return isObject(form) ? form : {};
}

/**
 * Writes residue back beside the known fields, also within the objects in the fields `inner`, at any depth. A field that
 * the encoder has written wins; a different stored value is reported.
 */
export function restoreResidue(
  wire: JsonObject,
  target: WithExtra,
  context: EncodeContext<"residue-conflict">,
  ...inner: readonly (string | undefined)[]
): void {
  const residue = target.extra?.[context.dialect];
  if (residue === undefined) return;
  const reportConflict = (...path: string[]): void =>
    context.report.addLoss("residue-conflict", ["extra", context.dialect, ...path]);
  restoreFields(wire, residue, reportConflict, ...inner);
}

/** Writes stored fields back; calls `onConflict` with the path of a field that now has another value. */
export function restoreFields(
  wire: JsonObject,
  residue: JsonObject | undefined,
  onConflict: (...path: string[]) => void,
  ...inner: readonly (string | undefined)[]
): void {
  if (residue === undefined) return;
  for (const key of Object.keys(residue)) {
    // Only a stream can write events; the encoder of a whole answer reports them.
    if (key === FORM || key === EVENTS_KEY) continue;
    const name = RESERVED.test(key) ? key.slice(FORM.length) : key;
    const stored = residue[key];
    // Reserved names within an inner object need unescaping, too.
    if (inner.includes(key) && isObject(stored) && !Object.hasOwn(wire, name)) wire[name] = {};
    const written = wire[name];
    if (!Object.hasOwn(wire, name)) copyField(residue, key, wire, name);
    else if (inner.includes(key) && isObject(written) && isObject(stored)) {
      restoreFields(written, stored, (...steps) => onConflict(key, ...steps), ...inner);
    } else if (!sameJson(written, stored)) onConflict(key);
  }
}
