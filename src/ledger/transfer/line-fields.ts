// Reads the fields of one line of an import. The error for an invalid field contains the line number and the field's
// name.
import { isObject, describeKind } from "../../model/value-kind.ts";
import type { JsonObject } from "../../model/json/index.ts";
import { parseJson } from "../../model/json/index.ts";
import { isBlobReference } from "../blobs/index.ts";
import { requireName, requireText } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import { isUlid } from "../ids.ts";
import { columnText } from "./line-format.ts";

/** The fields of one line of an import. Each read checks the type of a field. */
export class LineFields {
  readonly line: number;
  readonly #value: JsonObject;
  readonly #unread: Set<string>;

  constructor(text: string, line: number) {
    this.line = line;
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      throw this.createError("", error instanceof Error ? error.message : String(error));
    }
    if (!isObject(value)) throw this.createError("", `Expected an object, found ${describeKind(value)}.`);
    this.#value = value;
    this.#unread = new Set(Object.keys(value));
  }

  createError(path: string, message: string): LedgerError {
    const position = path === "" ? `Line ${this.line}` : `Line ${this.line}, ${path}`;
    return new LedgerError("invalid-input", `${position}: ${message}`, { path, line: this.line });
  }

  #read(name: string): unknown {
    this.#unread.delete(name);
    return this.#value[name];
  }

  #createTypeError(name: string, expected: string): LedgerError {
    return this.createError(`/${name}`, `Expected ${expected}, found ${describeKind(this.#value[name])}.`);
  }

  /** Returns a field without checking it or marking it as read. */
  peek(name: string): unknown {
    return this.#value[name];
  }

  readString(name: string): string {
    const value = this.#read(name);
    if (typeof value === "string") return value;
    throw this.#createTypeError(name, "a string");
  }

  /** Reads a string; throws if a store could not hold it. */
  readText(name: string): string {
    return this.#readChecked(name, requireText);
  }

  readName(name: string): string {
    return this.#readChecked(name, requireName);
  }

  #readChecked(name: string, check: (value: unknown, path: string) => string): string {
    return this.#check(name, this.#read(name), check);
  }

  #check(name: string, value: unknown, check: (value: unknown, path: string) => string): string {
    try {
      return check(value, name);
    } catch (error) {
      throw error instanceof LedgerError ? this.createError(`/${name}`, error.message) : error;
    }
  }

  readId(name: string): string {
    const value = this.#read(name);
    if (typeof value === "string" && isUlid(value)) return value;
    throw this.#createTypeError(name, "a ULID");
  }

  /** Reads a list of blob references; undefined if the line lacks the field. */
  readBlobReferences(name: string): string[] | undefined {
    const value = this.#read(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isBlobReference)) return [...new Set(value)];
    throw this.#createTypeError(name, "a list of blobs");
  }

  /** Reads a list of names; empty if the line lacks the field. */
  readNames(name: string): string[] {
    const value = this.#read(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.#createTypeError(name, "a list of names");
    return value.map((each) => this.#check(name, each, requireName));
  }

  readTime(name: string): string {
    const value = this.readText(name);
    if (Number.isNaN(Date.parse(value))) throw this.createError(`/${name}`, "Expected a time in ISO 8601.");
    return value;
  }

  readBoolean(name: string): boolean {
    const value = this.#read(name);
    if (typeof value === "boolean") return value;
    throw this.#createTypeError(name, "true or false");
  }

  readInteger(name: string, least = 0): number {
    const value = this.#read(name);
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
    throw this.createError(`/${name}`, `Expected a whole number, ${least} or more.`);
  }

  readOneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.#read(name);
    const match = choices.find((choice) => choice === value);
    if (match !== undefined) return match;
    throw this.createError(`/${name}`, `Expected one of ${choices.join(", ")}.`);
  }

  readNullable(name: string, as: "Text" | "Name" | "Id"): string | null {
    if (this.#value[name] !== null) return this[`read${as}` as const](name);
    this.#unread.delete(name);
    return null;
  }

  /**
   * Reads a JSON column of the store as text: the JSON of the field `name`, or the string in the field `${name}Text`,
   * which the export writes if the text is not reproducible as JSON. Returns null if both fields are absent.
   */
  readJsonColumn(name: string): string | null {
    const textField = `${name}Text`;
    this.#unread.delete(name);
    if (!this.#unread.delete(textField)) return columnText(this.#value, name);
    if (typeof this.#value[textField] !== "string") throw this.#createTypeError(textField, "a string");
    if (this.#value[name] !== undefined)
      throw this.createError(`/${textField}`, `The line also has "${name}"; only one of them is allowed.`);
    return this.#readChecked(textField, requireText);
  }

  requireJsonColumn(name: string): string {
    const text = this.readJsonColumn(name);
    if (text === null) throw this.createError(`/${name}`, "The field is missing.");
    return text;
  }

  /** Throws if a field of the line was not read, and is therefore unknown. */
  assertAllRead(): void {
    const [name] = this.#unread;
    if (name !== undefined) throw this.createError(`/${name}`, "Unknown field.");
  }
}
