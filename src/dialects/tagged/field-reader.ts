// Reads the fields of a wire object. The remaining fields become residue. Explicit nulls and missing fields become
// forms, because Python writes `None` for a missing value, which has no meaning in another dialect.
import { setOwn } from "../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { WithExtra } from "../../model/parts.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { copyField, isObject, describeKind } from "../kit/fields/read-wire.ts";
import { readForm, storeResidue, storeForm, restoreResidue } from "../kit/residue/residue.ts";

const NONE: ReadonlySet<string> = new Set();

/** Reads the fields of one wire object, and stores the fields that were not read. */
export class FieldReader {
  readonly #wire: JsonObject;
  readonly #context: DecodeContext;
  readonly #used = new Set<string>();
  /** Fields that are not read, but whose explicit null is stored as a form instead of as residue. */
  readonly #nullable: ReadonlySet<string>;
  readonly #read = new Set<string>();
  #absent: string[] | undefined;

  constructor(wire: JsonObject, context: DecodeContext, nullable: ReadonlySet<string> = NONE) {
    this.#wire = wire;
    this.#context = context;
    this.#nullable = nullable;
  }

  /** Returns the value of a field; undefined if the field is null or absent. */
  read(field: string): JsonValue | undefined {
    this.#read.add(field);
    const value = this.#wire[field];
    if (value === undefined || value === null) return undefined;
    this.#used.add(field);
    return value;
  }

  readString(field: string): string | undefined {
    const value = this.read(field);
    if (value !== undefined && typeof value !== "string") this.failWrongType("a string", field, value);
    return value;
  }

  readBoolean(field: string): boolean | undefined {
    const value = this.read(field);
    if (value !== undefined && typeof value !== "boolean") this.failWrongType("a boolean", field, value);
    return value;
  }

  failWrongType(expected: string, field: string, value: JsonValue): never {
    return this.#context.fail("wrong-type", `Expected ${expected}, found ${describeKind(value)}.`, field);
  }

  /** Declares that the encoder writes this field by default, so that its absence is stored as a form. */
  expectField(field: string): void {
    if (this.#wire[field] === undefined) (this.#absent ??= []).push(field);
  }

  /** Undoes the reading of a field, so that its value becomes residue. */
  releaseField(field: string): void {
    this.#used.delete(field);
  }

  /**
   * Stores the fields that were not read as residue of the target. If the wire object is the data object of a part,
   * `dataField` is the name of the field that contains it.
   */
  storeRemaining(target: WithExtra, dataField?: string): void {
    const { dialect } = this.#context;
    const names = dataField === undefined ? OUTER : INNER;
    let remaining: JsonObject | undefined;
    let nulls: string[] | undefined;
    for (const key of Object.keys(this.#wire)) {
      if (this.#used.has(key)) continue;
      if (this.#wire[key] === undefined) continue;
      if (this.#wire[key] === null && (this.#read.has(key) || this.#nullable.has(key))) (nulls ??= []).push(key);
      else copyField(this.#wire, key, (remaining ??= {}));
    }
    if (nulls !== undefined) storeForm(target, dialect, names.nulls, nulls);
    if (this.#absent !== undefined) storeForm(target, dialect, names.absent, this.#absent);
    storeResidue(target, dialect, remaining, dataField);
  }
}

const OUTER = { nulls: "nulls", absent: "absent" } as const;
const INNER = { nulls: "dataNulls", absent: "dataAbsent" } as const;

function includesName(names: JsonValue | undefined, field: string): boolean {
  return Array.isArray(names) && names.includes(field);
}

/** True if a field of a message or part was null or absent on the wire. */
export function wasOmitted(form: JsonObject, field: string): boolean {
  return includesName(form[OUTER.nulls], field) || includesName(form[OUTER.absent], field);
}

/** True if a field of a part's data object was null or absent on the wire. */
export function wasDataOmitted(form: JsonObject, field: string): boolean {
  return includesName(form[INNER.nulls], field) || includesName(form[INNER.absent], field);
}

function restoreNulls(wire: JsonObject, names: JsonValue | undefined): void {
  if (!Array.isArray(names)) return;
  for (const name of names) if (typeof name === "string" && !Object.hasOwn(wire, name)) setOwn(wire, name, null);
}

/**
 * Restores the residue and the explicit nulls of a message or part, and those of its data object in `dataField`. A
 * field that the encoder has written is not overwritten.
 */
export function restoreRemaining(
  wire: JsonObject,
  target: WithExtra,
  context: EncodeContext<"residue-conflict">,
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
