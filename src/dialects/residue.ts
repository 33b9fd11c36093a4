// Residue: what a dialect says that the model has no word for stays in `extra[dialect]`, where it stood. Unknown fields
// are kept under their own names; how plain things were spelled (a list where a string was possible, an explicit null)
// is kept under `$form`. Only deviations from the plain form are kept, so that plain data has no `extra`.
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Extra, Seal } from "../model/parts.ts";
import type { EncodeContext } from "./dialect.ts";
import { formForeign, residueForeign, sealForeign } from "./losses.ts";
import { copyField, isObject } from "./read.ts";

const FORM = "$form";
/** A wire field that is itself called `$form`, `$form$form` … is kept with one more. */
const LOOKS_LIKE_FORM = /^(\$form)+$/;

interface Carrier {
  extra?: Extra;
}

/** Losses that every dialect can cause: what belongs to others does not travel. */
export const FOREIGN_LOSSES = { ...residueForeign, ...formForeign, ...sealForeign };
export type ForeignLoss = keyof typeof FOREIGN_LOSSES;

/** Adds unknown fields to the residue of a message, part, tool, request or response. */
export function keepFields(target: Carrier, dialect: string, fields: JsonObject | undefined): void {
  if (fields === undefined) return;
  const residue = ownResidue(target, dialect);
  for (const key of Object.keys(fields)) copyField(fields, key, residue, LOOKS_LIKE_FORM.test(key) ? FORM + key : key);
}

/** Notes how something plain was spelled. */
export function keepForm(target: Carrier, dialect: string, what: string, spelled: JsonValue): void {
  const residue = ownResidue(target, dialect);
  const form = residue[FORM];
  residue[FORM] = { ...(isObject(form) ? form : {}), [what]: spelled };
}

function ownResidue(target: Carrier, dialect: string): JsonObject {
  target.extra ??= {};
  const residue: JsonObject = target.extra[dialect] ?? {};
  target.extra[dialect] = residue;
  return residue;
}

/** How something was spelled, as noted by `keepForm`; undefined where it was plain. */
export function formOf(target: Carrier, dialect: string): JsonObject {
  const form = target.extra?.[dialect]?.[FORM];
  return isObject(form) ? form : {};
}

/** Writes the unknown fields back beside the known ones; what the encoder has written itself wins. */
export function restoreFields(wire: JsonObject, target: Carrier, dialect: string): void {
  const residue = target.extra?.[dialect];
  if (residue === undefined) return;
  for (const key of Object.keys(residue)) {
    const name = LOOKS_LIKE_FORM.test(key) ? key.slice(FORM.length) : key;
    if (key !== FORM && !Object.hasOwn(wire, name)) copyField(residue, key, wire, name);
  }
}

/** Reports the residue of other dialects, which does not travel; form and fields apart. */
export function reportForeignResidue(target: Carrier, context: EncodeContext<ForeignLoss>): void {
  if (target.extra === undefined) return;
  for (const dialect of Object.keys(target.extra)) {
    if (dialect === context.dialect) continue;
    const residue = target.extra[dialect] ?? {};
    for (const key of Object.keys(residue)) {
      context.report.lose(key === FORM ? "form-foreign" : "residue-foreign", ["extra", dialect, key]);
    }
  }
}

/** Whether a seal may be sent: to its own dialect, and to its own provider where both are known (B5). */
export function isSealFor(
  seal: Pick<Seal, "dialect" | "provider">,
  target: { dialect: string; provider?: string },
): boolean {
  if (seal.dialect !== target.dialect) return false;
  return seal.provider === undefined || target.provider === undefined || seal.provider === target.provider;
}

/** Reports every field of a value that this dialect does not carry, each under its own code or under the given one. */
export function reportUncarried<Code extends string>(
  value: object,
  carried: ReadonlySet<string>,
  context: EncodeContext<Code>,
  code: NoInfer<Code>,
  codes: Readonly<Partial<Record<string, NoInfer<Code>>>> = {},
): void {
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && !carried.has(key)) context.report.lose(codes[key] ?? code, key);
  }
}
