// The plan of a request: the request as the dialect encodes it, with helpers that add and remove residue and forms.
import type { Extra, JsonObject, JsonValue, Loss, Metadata, ModelRequest, WithExtra } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

export interface RequestPlan {
  /** The request for the dialect. */
  request: ModelRequest;
  /** Headers that the request needs. */
  headers?: Record<string, string>;
  /** Returns the losses of encoding with paths into the caller's request, and the plan's own losses. */
  losses(encoded: Loss[]): Loss[];
  /** Returns metadata for the answer's message, which later plans read; `extra` is the residue of the answer. */
  answerMetadata?: (extra: Extra | undefined) => Metadata;
}

export function unchangedPlan(request: ModelRequest): RequestPlan {
  return { request, losses: (encoded) => encoded };
}

/** Returns the residue of one dialect. */
export function readResidue({ extra }: WithExtra, dialect: string): JsonObject {
  return extra?.[dialect] ?? {};
}

function setResidue<T extends WithExtra>(target: T, dialect: string, residue: JsonObject): T {
  return { ...target, extra: { ...target.extra, [dialect]: residue } };
}

/** Returns the request with further residue; fields that it already has win. */
export function addResidue(request: ModelRequest, dialect: string, fields: JsonObject): ModelRequest {
  return setResidue(request, dialect, { ...fields, ...readResidue(request, dialect) });
}

/** Returns the request without one field of its residue, and the value of that field. */
export function removeResidueField(
  request: ModelRequest,
  dialect: string,
  field: string,
): [ModelRequest, JsonValue | undefined] {
  const { [field]: value, ...rest } = readResidue(request, dialect);
  return value === undefined ? [request, undefined] : [setResidue(request, dialect, rest), value];
}

/** True if the target has one of these forms. */
export function hasForms(target: WithExtra, dialect: string, names: readonly string[]): boolean {
  const forms = readForms(target, dialect);
  return names.some((name) => forms[name] !== undefined);
}

/** Returns the target with a form. */
export function withForm<T extends WithExtra>(target: T, dialect: string, name: string, value: JsonValue): T {
  const $form = { ...readForms(target, dialect), [name]: value };
  return setResidue(target, dialect, { ...readResidue(target, dialect), $form });
}

/** Returns the target without these forms. */
export function withoutForms<T extends WithExtra>(target: T, dialect: string, names: readonly string[]): T {
  if (!hasForms(target, dialect, names)) return target;
  const others = Object.entries(readForms(target, dialect)).filter(([name]) => !names.includes(name));
  return setResidue(target, dialect, { ...readResidue(target, dialect), $form: Object.fromEntries(others) });
}

function readForms(target: WithExtra, dialect: string): JsonObject {
  const { $form } = readResidue(target, dialect);
  return isObject($form) ? $form : {};
}
