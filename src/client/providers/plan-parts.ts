// What plans are made of: a request on its way to a dialect, and fields that are added to it or taken from it.
import { isObject } from "../../model/kind.ts";
import type { Extra, JsonObject, JsonValue, Loss, Metadata, ModelRequest } from "../../model/index.ts";

/** A request as it goes to the dialect, and its losses as they concern the caller's own request. */
export interface Plan {
  request: ModelRequest;
  /** What goes beside the body. */
  headers?: Record<string, string>;
  /** The losses of encoding, with paths into the caller's request, and those of the plan itself. */
  losses(encoded: Loss[]): Loss[];
  /** What is noted in the answer's message, for the plans of later requests; `said` is the residue of the answer. */
  facts?: (said: Extra | undefined) => Metadata;
}

export function plain(request: ModelRequest): Plan {
  return { request, losses: (encoded) => encoded };
}

/** A request or a message: what may say something in a dialect's own words. */
interface Carrier {
  extra?: Extra;
}

/** What a request says in one dialect's own words. */
export function residueOf({ extra }: Carrier, dialect: string): JsonObject {
  return extra?.[dialect] ?? {};
}

/** The same with these words of a dialect instead of the ones it has. */
function sayResidue<T extends Carrier>(target: T, dialect: string, residue: JsonObject): T {
  return { ...target, extra: { ...target.extra, [dialect]: residue } };
}

/** The request with fields that only this dialect has; what it says itself wins. */
export function addResidue(request: ModelRequest, dialect: string, fields: JsonObject): ModelRequest {
  return sayResidue(request, dialect, { ...fields, ...residueOf(request, dialect) });
}

/** The request without a field that only this dialect has, and that field. */
export function takeResidue(
  request: ModelRequest,
  dialect: string,
  field: string,
): [ModelRequest, JsonValue | undefined] {
  const { [field]: taken, ...rest } = residueOf(request, dialect);
  return taken === undefined ? [request, undefined] : [sayResidue(request, dialect, rest), taken];
}

/** Whether something was spelled in one of these ways. */
export function hasForms(target: Carrier, dialect: string, forms: readonly string[]): boolean {
  const spelled = formsOf(target, dialect);
  return forms.some((form) => spelled[form] !== undefined);
}

/** The same, spelled in this way. */
export function withForm<T extends Carrier>(target: T, dialect: string, form: string, spelled: JsonValue): T {
  const $form = { ...formsOf(target, dialect), [form]: spelled };
  return sayResidue(target, dialect, { ...residueOf(target, dialect), $form });
}

/** The same in its plain form, as far as these ways of spelling it go. */
export function withoutForms<T extends Carrier>(target: T, dialect: string, forms: readonly string[]): T {
  if (!hasForms(target, dialect, forms)) return target;
  const kept = Object.entries(formsOf(target, dialect)).filter(([form]) => !forms.includes(form));
  return sayResidue(target, dialect, { ...residueOf(target, dialect), $form: Object.fromEntries(kept) });
}

function formsOf(target: Carrier, dialect: string): JsonObject {
  const { $form } = residueOf(target, dialect);
  return isObject($form) ? $form : {};
}
