// Stores and restores residue: wire data without a canonical field, in `extra[dialect]` of the canonical object.
// Unknown fields keep their wire names; the spelling of a value (a list instead of a string, an explicit null) is
// stored under `$form`. The usual spelling is not stored, so most objects have no `extra`.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { sameJson } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { copyField, isObject } from "../fields/read-wire.ts";

/** The key in the residue for the wire spellings of values. */
export const FORM = "$form";
/** The key in the residue of an answer or a part for stream events that the protocol does not define. */
export const EVENTS_KEY = "$events";
/**
 * Matches wire field names that would collide with the reserved keys: `$form`, `$events`, `$form$form` … Such a field
 * is stored with the prefix `$form`.
 */
const RESERVED = /^(?:\$form)*\$(?:form|events)$/;

/**
 * Adds unknown fields to the residue of a message, part, tool, request or response. `inner` is the field, or the path
 * of fields, of the nested wire object that the unknown fields come from; they are stored at the same path in the
 * residue.
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

/** Stores the wire spelling of a value under a form key. */
export function storeForm(target: WithExtra, dialect: string, formKey: string, spelling: JsonValue): void {
  const residue = ensureResidue(target, dialect);
  const form = residue[FORM];
  residue[FORM] = { ...(isObject(form) ? form : {}), [formKey]: spelling };
}

/** Removes a spelling that `storeForm` stored, and the objects around it that become empty. */
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
 * Writes the residue of `target` into its wire object. If the residue of a field in `inner` is an object, its fields
 * are merged into the wire object of that field, at any depth. A stored value never replaces a value that the encoder
 * has written; if the two differ, the stored value is reported.
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

/**
 * Writes stored fields into a wire object. Calls `onConflict` with the path of a stored field if the wire object
 * already has a different value for it.
 */
export function restoreFields(
  wire: JsonObject,
  residue: JsonObject | undefined,
  onConflict: (...path: string[]) => void,
  ...inner: readonly (string | undefined)[]
): void {
  if (residue === undefined) return;
  for (const key of Object.keys(residue)) {
    // `$events` is skipped, because only a stream encoder can write events; other encoders report them.
    if (key === FORM || key === EVENTS_KEY) continue;
    const name = RESERVED.test(key) ? key.slice(FORM.length) : key;
    const stored = residue[key];
    // A stored object of a field in `inner` is not copied: an empty object is created and filled by recursion, so that
    // reserved names within it are unescaped, too.
    if (inner.includes(key) && isObject(stored) && !Object.hasOwn(wire, name)) wire[name] = {};
    const written = wire[name];
    if (!Object.hasOwn(wire, name)) copyField(residue, key, wire, name);
    else if (inner.includes(key) && isObject(written) && isObject(stored)) {
      restoreFields(written, stored, (...steps) => onConflict(key, ...steps), ...inner);
    } else if (!sameJson(written, stored)) onConflict(key);
  }
}
