// What a message or part keeps from the wire beside its meaning. A field that says nothing can be absent, null or empty:
// which one it was is form, kept where it is not the plain one (B42). A list or object where a text is plain is kept as
// an empty one, so that it still fits when nothing is left in it.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, readString, unknownFields } from "../kit/read.ts";
import { readForm, storeResidue, storeForm, putBack } from "../kit/residue.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT, SEALING } from "./terms.ts";

interface Carrier {
  extra?: Extra;
}

export const ABSENT = "absent";

/** Notes how something was spelled. */
export function note(target: Carrier, what: string, spelled: JsonValue): void {
  storeForm(target, FLAT, what, spelled);
}

/** Keeps the fields that are not known. */
export function keepRest(target: Carrier, wire: JsonObject, known: ReadonlySet<string>): void {
  storeResidue(target, FLAT, unknownFields(wire, known));
}

/** Notes how nothing was spelled; undefined is absent. */
export function keepNothing(target: Carrier, field: string, value: JsonValue | undefined, plain?: JsonValue): void {
  if (value !== plain) note(target, field, value === undefined ? ABSENT : value);
}

/** A field that is a string or nothing. */
export function optionalText(
  wire: JsonObject,
  field: string,
  target: Carrier,
  context: DecodeContext,
  plain?: JsonValue,
): string | undefined {
  const value = wire[field];
  if (value !== undefined && value !== null) return readString(wire, field, context);
  keepNothing(target, field, value, plain);
  return undefined;
}

/** The residue of one message or part at encode time: every piece of it is followed, written back or reported. */
export interface Kept {
  /** How something was spelled. */
  get(what: string): JsonValue | undefined;
  /** How something was spelled, if that is followed now. */
  take(what: string): JsonValue | undefined;
  /** Writes a field; nothing is spelled as it was, else in the plain way. */
  write(wire: JsonObject, field: string, value: JsonValue | undefined, plain?: JsonValue): void;
  /** Writes unknown fields back, except `mistaken` ones, which would be taken for something else here. */
  restore(wire: JsonObject, mistaken?: readonly string[], inner?: string): void;
  /** Writes back the unknown fields of an object that are kept under a name; `restore` then leaves them out. */
  restoreInner(wire: JsonObject, name: string): void;
  /** Reports the spellings that nothing followed. */
  reportStale(): void;
}

export function keptBy(target: Carrier, { report }: FlatContext): Kept {
  const residue = target.extra?.[FLAT] ?? {};
  const form = new Map(Object.entries(readForm(target, FLAT)));
  const take = (what: string): JsonValue | undefined => {
    const spelled = form.get(what);
    form.delete(what);
    return spelled;
  };
  const elsewhere = new Set<string>();
  const clash = (...path: string[]): void => report.addLoss("residue-clash", ["extra", FLAT, ...path]);
  return {
    get: (what) => form.get(what),
    take,
    write(wire, field, value, plain) {
      const nothing = value === undefined ? take(field) : ABSENT;
      const spelled = nothing === undefined ? plain : nothing === ABSENT ? value : nothing;
      if (spelled !== undefined) wire[field] = spelled;
    },
    restore(wire, mistaken = [], inner) {
      const rest: JsonObject = {};
      for (const key of Object.keys(residue)) {
        if (elsewhere.has(key)) continue;
        const sealing = SEALING.find(({ stale }) => stale === key);
        if (sealing !== undefined) report.addLoss(sealing.stale, ["extra", FLAT, key]);
        else if (mistaken.includes(key)) clash(key);
        else copyField(residue, key, rest);
      }
      putBack(wire, rest, clash, inner);
    },
    restoreInner(wire, name) {
      const fields = residue[name];
      if (!isObject(fields)) return;
      elsewhere.add(name);
      putBack(wire, fields, (...path) => clash(name, ...path));
    },
    reportStale() {
      for (const what of form.keys()) report.addLoss("form-stale", ["extra", FLAT, "$form", what]);
    },
  };
}
