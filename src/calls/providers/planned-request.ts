// Defines the plan of a request: the request that the dialect encodes. Adds and removes residue and forms of requests.
import type { Extra, JsonObject, JsonValue, Loss, Metadata, ModelRequest, WithExtra } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

export interface PlannedRequest {
  /** The request that the dialect encodes. */
  request: ModelRequest;
  /** Headers that the request needs in addition to those of the dialect. */
  headers?: Record<string, string>;
  /**
   * Returns the losses of the encoding, with their paths converted to the caller's request, and the losses of the plan
   * itself.
   */
  losses(encoded: Loss[]): Loss[];
  /**
   * Returns metadata for the message of the answer; `extra` is the residue of the answer. The plan of a later request
   * reads this metadata from the history.
   */
  answerMetadata?: (extra: Extra | undefined) => Metadata;
}

export function planUnchanged(request: ModelRequest): PlannedRequest {
  return { request, losses: (encoded) => encoded };
}

/** Returns the residue of one dialect; an empty object if there is none. */
export function readResidue({ extra }: WithExtra, dialect: string): JsonObject {
  return extra?.[dialect] ?? {};
}

function setResidue<T extends WithExtra>(target: T, dialect: string, residue: JsonObject): T {
  return { ...target, extra: { ...target.extra, [dialect]: residue } };
}

/** Returns the request with further residue. Fields that the residue already has are not replaced. */
export function addResidue(request: ModelRequest, dialect: string, fields: JsonObject): ModelRequest {
  return setResidue(request, dialect, { ...fields, ...readResidue(request, dialect) });
}

/** Returns the request without one field of its residue, and the value of that field or undefined. */
export function removeResidueField(
  request: ModelRequest,
  dialect: string,
  field: string,
): [ModelRequest, JsonValue | undefined] {
  const { [field]: value, ...rest } = readResidue(request, dialect);
  return value === undefined ? [request, undefined] : [setResidue(request, dialect, rest), value];
}

/** True if the message or request has at least one of the forms in its residue. */
export function hasForms(target: WithExtra, dialect: string, names: readonly string[]): boolean {
  const forms = readForms(target, dialect);
  return names.some((name) => forms[name] !== undefined);
}

/** Returns a copy of the message or request with a form in its residue. */
export function withForm<T extends WithExtra>(target: T, dialect: string, name: string, value: JsonValue): T {
  const $form = { ...readForms(target, dialect), [name]: value };
  return setResidue(target, dialect, { ...readResidue(target, dialect), $form });
}

/** Returns the message or request without these forms; the same object if it has none of them. */
export function withoutForms<T extends WithExtra>(target: T, dialect: string, names: readonly string[]): T {
  if (!hasForms(target, dialect, names)) return target;
  const others = Object.entries(readForms(target, dialect)).filter(([name]) => !names.includes(name));
  return setResidue(target, dialect, { ...readResidue(target, dialect), $form: Object.fromEntries(others) });
}

function readForms(target: WithExtra, dialect: string): JsonObject {
  const { $form } = readResidue(target, dialect);
  return isObject($form) ? $form : {};
}
