// Residue: what a dialect says that the model has no word for stays in `extra[dialect]`, where it stood. Unknown fields
// are kept under their own names; how plain things were spelled (a list where a string was possible, an explicit null)
// is kept under `$form`. Only deviations from the plain form are kept, so that plain data has no `extra`.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { sameJson } from "../../model/json.ts";
import type { Extra, Seal } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { formForeign, residueForeign, sealForeign } from "./losses.ts";
import { copyField, isObject } from "./read.ts";

const FORM = "$form";
/** Events of a stream that its protocol does not know: on the answer, or on the part that they came for. */
export const EVENTS = "$events";
/** A wire field that is itself called `$form`, `$events`, `$form$form` … is kept with one more `$form` before it. */
const RESERVED = /^(?:\$form)*\$(?:form|events)$/;

interface Carrier {
  extra?: Extra;
}

/** Losses that every dialect can cause: what belongs to others does not travel. */
export const NOT_PORTABLE_LOSSES = { ...residueForeign, ...formForeign, ...sealForeign };
export type NotPortableLoss = keyof typeof NOT_PORTABLE_LOSSES;

/**
 * Adds unknown fields to the residue of a message, part, tool, request or response. Those of an object that stands in
 * the field `inner`, or deeper by those steps, are kept under its name: residue mirrors the wire.
 */
export function storeResidue(
  target: Carrier,
  dialect: string,
  fields: JsonObject | undefined,
  inner?: string | readonly string[],
): void {
  if (fields === undefined) return;
  let residue = ownResidue(target, dialect);
  if (typeof inner === "string") residue = innerResidue(residue, inner);
  else if (inner !== undefined) residue = inner.reduce(innerResidue, residue);
  for (const key of Object.keys(fields)) copyField(fields, key, residue, RESERVED.test(key) ? FORM + key : key);
}

/** Notes how something plain was spelled. */
export function storeForm(target: Carrier, dialect: string, what: string, spelled: JsonValue): void {
  const residue = ownResidue(target, dialect);
  const form = residue[FORM];
  residue[FORM] = { ...(isObject(form) ? form : {}), [what]: spelled };
}

/** Takes back what `keepForm` noted; what is left empty goes with it. */
export function dropForm(target: Carrier, dialect: string, what: string): void {
  const residue = target.extra?.[dialect];
  const { [what]: _, ...form } = readForm(target, dialect);
  if (residue === undefined || _ === undefined) return;
  if (Object.keys(form).length > 0) residue[FORM] = form;
  else delete residue[FORM];
  if (Object.keys(residue).length === 0) delete target.extra?.[dialect];
  if (target.extra !== undefined && Object.keys(target.extra).length === 0) delete target.extra;
}

function ownResidue(target: Carrier, dialect: string): JsonObject {
  target.extra ??= {};
  const residue: JsonObject = target.extra[dialect] ?? {};
  target.extra[dialect] = residue;
  return residue;
}

function innerResidue(residue: JsonObject, inner: string): JsonObject {
  const kept = residue[inner];
  return isObject(kept) ? kept : (residue[inner] = {});
}

/** How something was spelled, as noted by `keepForm`; undefined where it was plain. */
export function readForm(target: Carrier, dialect: string): JsonObject {
  const form = target.extra?.[dialect]?.[FORM];
  return isObject(form) ? form : {};
}

/**
 * Writes the unknown fields back beside the known ones, also within the objects in the fields `inner`, at any depth. What the
 * encoder has written itself wins; a field whose place is taken by something else is reported.
 */
export function restoreResidue(
  wire: JsonObject,
  target: Carrier,
  context: EncodeContext<"residue-clash">,
  ...inner: readonly (string | undefined)[]
): void {
  const residue = target.extra?.[context.dialect];
  if (residue === undefined) return;
  const clash = (...path: string[]): void =>
    context.report.addLoss("residue-clash", ["extra", context.dialect, ...path]);
  putBack(wire, residue, clash, ...inner);
}

/** Writes residue back to where it stood; what finds its place taken stays out and is told. */
export function putBack(
  wire: JsonObject,
  residue: JsonObject | undefined,
  clash: (...path: string[]) => void,
  ...inner: readonly (string | undefined)[]
): void {
  if (residue === undefined) return;
  for (const key of Object.keys(residue)) {
    // Only a stream says events; a whole answer reports them.
    if (key === FORM || key === EVENTS) continue;
    const name = RESERVED.test(key) ? key.slice(FORM.length) : key;
    const kept = residue[key];
    // What stands within is kept under its own rules.
    if (inner.includes(key) && isObject(kept) && !Object.hasOwn(wire, name)) wire[name] = {};
    const there = wire[name];
    if (!Object.hasOwn(wire, name)) copyField(residue, key, wire, name);
    else if (inner.includes(key) && isObject(there) && isObject(kept)) {
      putBack(there, kept, (...steps) => clash(key, ...steps), ...inner);
    } else if (!sameJson(there, kept)) clash(key);
  }
}

/**
 * Reports the residue of other dialects, which does not travel; form and fields apart. `codes` are for fields that
 * are more, or less, than a field that only another dialect has; the rest of them goes under `code`.
 */
export function reportNotPortableResidue<Code extends string = NotPortableLoss>(
  target: Carrier,
  context: EncodeContext<Code | NotPortableLoss>,
  codes: Readonly<Partial<Record<string, NoInfer<Code>>>> = {},
  code: NoInfer<Code> | NotPortableLoss = "residue-foreign",
): void {
  if (target.extra === undefined) return;
  for (const dialect of Object.keys(target.extra)) {
    if (dialect === context.dialect) continue;
    const residue = target.extra[dialect] ?? {};
    for (const key of Object.keys(residue)) {
      if (key === FORM && isObject(residue[FORM])) continue;
      context.report.addLoss(Object.hasOwn(codes, key) ? (codes[key] ?? code) : code, ["extra", dialect, key]);
    }
    for (const what of Object.keys(readForm(target, dialect))) {
      // Whose role that was is no mere spelling.
      const code = what === "role" ? "residue-foreign" : "form-foreign";
      context.report.addLoss(code, ["extra", dialect, FORM, what]);
    }
  }
}

/** Whether a seal may be sent: to its own dialect, and to its own provider where both are known (B5). */
export function isSealFor(
  seal: Pick<Seal, "dialect" | "provider">,
  target: { dialect: string; provider?: string | undefined },
): boolean {
  if (seal.dialect !== target.dialect) return false;
  return seal.provider === undefined || target.provider === undefined || seal.provider === target.provider;
}

/** Reports every field of a value that this dialect does not carry, each under its own code or under the given one. */
export function reportUnsupportedFields<Code extends string>(
  value: object,
  carried: ReadonlySet<string>,
  context: EncodeContext<Code>,
  code: NoInfer<Code>,
  codes: Readonly<Partial<Record<string, NoInfer<Code>>>> = {},
): void {
  for (const key in value) {
    // What is undefined is not there.
    if (carried.has(key) || (value as Record<string, unknown>)[key] === undefined) continue;
    context.report.addLoss(Object.hasOwn(codes, key) ? (codes[key] ?? code) : code, key);
  }
}
