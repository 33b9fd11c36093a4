// Spelling: what is read of a wire object and what is left over. Leftovers are residue; explicit nulls and missing
// fields are form, because Python's `None` for "not given" says nothing that another dialect would miss.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject, kindOf } from "../read.ts";
import { formOf, keepFields, keepForm, restoreFields } from "../residue.ts";

interface Carrier {
  extra?: Extra;
}

/** Reads the fields of one wire object and keeps what it was not asked for. */
export class FieldReader {
  private readonly wire: JsonObject;
  private readonly context: DecodeContext;
  private readonly taken = new Set<string>();
  /** Fields for which an explicit null means "not given". */
  private readonly nullable: Set<string>;
  private absent: string[] | undefined;

  constructor(wire: JsonObject, context: DecodeContext, nullable: Iterable<string> = []) {
    this.wire = wire;
    this.context = context;
    this.nullable = new Set(nullable);
  }

  /** A field's value; undefined where it is null or absent. */
  value(field: string): JsonValue | undefined {
    this.nullable.add(field);
    const value = this.wire[field];
    if (value === undefined || value === null) return undefined;
    this.taken.add(field);
    return value;
  }

  text(field: string): string | undefined {
    const value = this.value(field);
    if (value !== undefined && typeof value !== "string") this.wrongType("a string", field, value);
    return value;
  }

  flag(field: string): boolean | undefined {
    const value = this.value(field);
    if (value !== undefined && typeof value !== "boolean") this.wrongType("a boolean", field, value);
    return value;
  }

  wrongType(wanted: string, field: string, value: JsonValue): never {
    return this.context.fail("wrong-type", `Expected ${wanted}, found ${kindOf(value)}.`, field);
  }

  /** Notes a field that the plain form has, where it is absent. */
  expect(field: string): void {
    if (this.wire[field] === undefined) (this.absent ??= []).push(field);
  }

  /** A field that was read but is not used stays with the rest. */
  leave(field: string): void {
    this.taken.delete(field);
  }

  /** Keeps what is left over: on the target, or for a part's data object under the name of its field. */
  keepRest(target: Carrier, dataField?: string): void {
    const { dialect } = this.context;
    const names = dataField === undefined ? OUTER : INNER;
    let rest: JsonObject | undefined;
    let nulls: string[] | undefined;
    for (const key of Object.keys(this.wire)) {
      if (this.taken.has(key)) continue;
      if (this.wire[key] === null && this.nullable.has(key)) (nulls ??= []).push(key);
      else copyField(this.wire, key, (rest ??= {}));
    }
    if (nulls !== undefined) keepForm(target, dialect, names.nulls, nulls);
    if (this.absent !== undefined) keepForm(target, dialect, names.absent, this.absent);
    if (rest === undefined) return;
    if (dataField === undefined) keepFields(target, dialect, rest);
    else {
      const inner: Carrier = {};
      keepFields(inner, dialect, rest);
      keepFields(target, dialect, { [dataField]: inner.extra?.[dialect] ?? {} });
    }
  }
}

const OUTER = { nulls: "nulls", absent: "absent" } as const;
const INNER = { nulls: "dataNulls", absent: "dataAbsent" } as const;

function lists(names: JsonValue | undefined, field: string): boolean {
  return Array.isArray(names) && names.includes(field);
}

/** Whether a field of a message was null or absent on the wire. */
export function wasOmitted(form: JsonObject, field: string): boolean {
  return lists(form[OUTER.nulls], field) || lists(form[OUTER.absent], field);
}

/** Whether a field of a part's data was null or absent on the wire. */
export function wasDataOmitted(form: JsonObject, field: string): boolean {
  return lists(form[INNER.nulls], field) || lists(form[INNER.absent], field);
}

function restoreNulls(wire: JsonObject, names: JsonValue | undefined): void {
  if (!Array.isArray(names)) return;
  for (const name of names) if (typeof name === "string" && !Object.hasOwn(wire, name)) setOwn(wire, name, null);
}

/** Writes back what was left over on a message or part. What the encoder wrote itself wins. */
export function restoreRest(wire: JsonObject, target: Carrier, dialect: string): JsonObject {
  if (target.extra === undefined) return wire;
  restoreNulls(wire, formOf(target, dialect)[OUTER.nulls]);
  restoreFields(wire, target, dialect);
  return wire;
}

/** Writes back what was left over in a part's data object. */
export function restoreData(data: JsonObject, target: Carrier, dialect: string, dataField: string): JsonObject {
  if (target.extra === undefined) return data;
  restoreNulls(data, formOf(target, dialect)[INNER.nulls]);
  const rest = target.extra[dialect]?.[dataField];
  if (isObject(rest)) restoreFields(data, { extra: { [dialect]: rest } }, dialect);
  return data;
}
