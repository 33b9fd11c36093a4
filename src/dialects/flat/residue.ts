// Stores and restores the residue of flat messages and parts. A missing value can be absent, null or empty on the wire;
// every spelling except the default spelling is stored as a form (B42). If a list or an object replaces a text, the
// form is an empty list or object, which still fits after an edit of the content.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { WithExtra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, readString, unknownFields } from "../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm, restoreFields } from "../kit/residue/residue.ts";
import type { FlatEncodeContext } from "./losses.ts";
import { FLAT, SEAL_LISTS } from "./field-names.ts";

export const ABSENT = "absent";

/** Stores the spelling of a value as a form. */
export function storeFlatForm(target: WithExtra, formKey: string, spelling: JsonValue): void {
  storeForm(target, FLAT, formKey, spelling);
}

/** Stores the fields of `wire` that are not in `known` as residue. */
export function storeUnknownFields(target: WithExtra, wire: JsonObject, known: ReadonlySet<string>): void {
  storeResidue(target, FLAT, unknownFields(wire, known));
}

/** Stores the spelling of a missing value as a form, unless it is `plain`, the default spelling. */
export function storeEmptyForm(
  target: WithExtra,
  field: string,
  value: JsonValue | undefined,
  plain?: JsonValue,
): void {
  if (value !== plain) storeFlatForm(target, field, value === undefined ? ABSENT : value);
}

/** Returns a string field; undefined if the field is null or absent, which `storeEmptyForm` stores as a form. */
export function readOptionalString(
  wire: JsonObject,
  field: string,
  target: WithExtra,
  context: DecodeContext,
  plain?: JsonValue,
): string | undefined {
  const value = wire[field];
  if (value !== undefined && value !== null) return readString(wire, field, context);
  storeEmptyForm(target, field, value, plain);
  return undefined;
}

/** The residue of one message or part while it is encoded. Each form and each field is used, restored or reported. */
export interface FlatResidue {
  getForm(formKey: string): JsonValue | undefined;
  /** Returns a form and marks it as used, so that it is not reported as stale. */
  takeForm(formKey: string): JsonValue | undefined;
  /** Writes a field; a missing value is written in its stored spelling, or as `plain` if no spelling is stored. */
  writeField(wire: JsonObject, field: string, value: JsonValue | undefined, plain?: JsonValue): void;
  /**
   * Restores the unknown fields, also those inside the nested object `inner`. Fields in `excluded` are reported
   * instead, because a decoder would read them as known fields.
   */
  restoreUnknownFields(wire: JsonObject, excluded?: readonly string[], inner?: string): void;
  /** Restores the unknown fields that are stored under `name`; `restoreUnknownFields` then skips them. */
  restoreInnerFields(wire: JsonObject, name: string): void;
  /** Reports the forms that neither `takeForm` nor `writeField` has used. */
  reportStaleForms(): void;
}

export function readFlatResidue(target: WithExtra, { report }: FlatEncodeContext): FlatResidue {
  const residue = target.extra?.[FLAT] ?? {};
  const form = new Map(Object.entries(readForm(target, FLAT)));
  const takeForm = (formKey: string): JsonValue | undefined => {
    const spelling = form.get(formKey);
    form.delete(formKey);
    return spelling;
  };
  const restored = new Set<string>();
  const reportConflict = (...path: string[]): void => report.addLoss("residue-conflict", ["extra", FLAT, ...path]);
  return {
    getForm: (formKey) => form.get(formKey),
    takeForm,
    writeField(wire, field, value, plain) {
      const emptyForm = value === undefined ? takeForm(field) : ABSENT;
      const wireValue = emptyForm === undefined ? plain : emptyForm === ABSENT ? value : emptyForm;
      if (wireValue !== undefined) wire[field] = wireValue;
    },
    restoreUnknownFields(wire, excluded = [], inner) {
      const fields: JsonObject = {};
      for (const key of Object.keys(residue)) {
        if (restored.has(key)) continue;
        const staleList = SEAL_LISTS.find(({ stale }) => stale === key);
        if (staleList !== undefined) report.addLoss(staleList.stale, ["extra", FLAT, key]);
        else if (excluded.includes(key)) reportConflict(key);
        else copyField(residue, key, fields);
      }
      restoreFields(wire, fields, reportConflict, inner);
    },
    restoreInnerFields(wire, name) {
      const fields = residue[name];
      if (!isObject(fields)) return;
      restored.add(name);
      restoreFields(wire, fields, (...path) => reportConflict(name, ...path));
    },
    reportStaleForms() {
      for (const formKey of form.keys()) report.addLoss("form-stale", ["extra", FLAT, "$form", formKey]);
    },
  };
}
