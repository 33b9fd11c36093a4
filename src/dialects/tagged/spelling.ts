// Spelling: what is read of a wire object and what is left over. Leftovers are residue; explicit nulls and missing
// fields are form, because Python's `None` for "not given" says nothing that another dialect would miss.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject, kindOf } from "../kit/read.ts";
import { readForm, storeResidue, storeForm, restoreResidue } from "../kit/residue.ts";

interface Carrier {
  extra?: Extra;
}

const NONE: ReadonlySet<string> = new Set();

/** Reads the fields of one wire object and keeps what it was not asked for. */
export class FieldReader {
  readonly #wire: JsonObject;
  readonly #context: DecodeContext;
  readonly #taken = new Set<string>();
  /** Fields for which an explicit null means "not given", beside those that were asked for. */
  readonly #nullable: ReadonlySet<string>;
  readonly #asked = new Set<string>();
  #absent: string[] | undefined;

  constructor(wire: JsonObject, context: DecodeContext, nullable: ReadonlySet<string> = NONE) {
    this.#wire = wire;
    this.#context = context;
    this.#nullable = nullable;
  }

  /** A field's value; undefined where it is null or absent. */
  value(field: string): JsonValue | undefined {
    this.#asked.add(field);
    const value = this.#wire[field];
    if (value === undefined || value === null) return undefined;
    this.#taken.add(field);
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
    return this.#context.fail("wrong-type", `Expected ${wanted}, found ${kindOf(value)}.`, field);
  }

  /** Notes a field that the plain form has, where it is absent. */
  expect(field: string): void {
    if (this.#wire[field] === undefined) (this.#absent ??= []).push(field);
  }

  /** A field that was read but is not used stays with the rest. */
  leave(field: string): void {
    this.#taken.delete(field);
  }

  /** Keeps what is left over: on the target, or for a part's data object under the name of its field. */
  keepRest(target: Carrier, dataField?: string): void {
    const { dialect } = this.#context;
    const names = dataField === undefined ? OUTER : INNER;
    let rest: JsonObject | undefined;
    let nulls: string[] | undefined;
    for (const key of Object.keys(this.#wire)) {
      if (this.#taken.has(key)) continue;
      if (this.#wire[key] === undefined) continue;
      if (this.#wire[key] === null && (this.#asked.has(key) || this.#nullable.has(key))) (nulls ??= []).push(key);
      else copyField(this.#wire, key, (rest ??= {}));
    }
    if (nulls !== undefined) storeForm(target, dialect, names.nulls, nulls);
    if (this.#absent !== undefined) storeForm(target, dialect, names.absent, this.#absent);
    storeResidue(target, dialect, rest, dataField);
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

/** Writes back what was left over on a message or part, and in a part's data object. What the encoder wrote itself wins. */
export function restoreRest(
  wire: JsonObject,
  target: Carrier,
  context: EncodeContext<"residue-clash">,
  dataField?: string,
): JsonObject {
  if (target.extra === undefined) return wire;
  const form = readForm(target, context.dialect);
  restoreNulls(wire, form[OUTER.nulls]);
  const data = dataField === undefined ? undefined : wire[dataField];
  if (isObject(data)) restoreNulls(data, form[INNER.nulls]);
  restoreResidue(wire, target, context, dataField);
  return wire;
}
