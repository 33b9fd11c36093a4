// Reads the fields of one line of an import. What is not as it must be is refused with the number of the line and the
// name of the field.
import { isObject, kindOf } from "../../model/kind.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseJson } from "../../model/json.ts";
import { isReference } from "../blobs/index.ts";
import { checkName, checkText } from "../check.ts";
import { LedgerError } from "../errors.ts";
import { columnText } from "./format.ts";

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export class Fields {
  readonly line: number;
  readonly #value: JsonObject;
  readonly #unread: Set<string>;

  constructor(text: string, line: number) {
    this.line = line;
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      throw this.refusal("", error instanceof Error ? error.message : String(error));
    }
    if (!isObject(value)) throw this.refusal("", `Expected an object, found ${kindOf(value)}.`);
    this.#value = value;
    this.#unread = new Set(Object.keys(value));
  }

  refusal(path: string, message: string): LedgerError {
    const place = path === "" ? `Line ${this.line}` : `Line ${this.line}, ${path}`;
    return new LedgerError("invalid-input", `${place}: ${message}`, { path, line: this.line });
  }

  #take(name: string): unknown {
    this.#unread.delete(name);
    return this.#value[name];
  }

  #wrong(name: string, expected: string): LedgerError {
    return this.refusal(`/${name}`, `Expected ${expected}, found ${kindOf(this.#value[name])}.`);
  }

  /** The field as it is, for a look at what the line is. */
  peek(name: string): unknown {
    return this.#value[name];
  }

  text(name: string): string {
    const value = this.#take(name);
    if (typeof value === "string") return value;
    throw this.#wrong(name, "a string");
  }

  /** A text that every store can keep. */
  plain(name: string): string {
    return this.#checked(name, checkText);
  }

  name(name: string): string {
    return this.#checked(name, checkName);
  }

  #checked(name: string, check: (value: unknown, path: string) => string): string {
    return this.#verified(name, this.#take(name), check);
  }

  #verified(name: string, value: unknown, check: (value: unknown, path: string) => string): string {
    try {
      return check(value, name);
    } catch (error) {
      throw error instanceof LedgerError ? this.refusal(`/${name}`, error.message) : error;
    }
  }

  id(name: string): string {
    const value = this.#take(name);
    if (typeof value === "string" && ULID.test(value)) return value;
    throw this.#wrong(name, "a ULID");
  }

  /** Names of blobs; undefined where the line has none. */
  blobs(name: string): string[] | undefined {
    const value = this.#take(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isReference)) return [...new Set(value)];
    throw this.#wrong(name, "a list of blobs");
  }

  /** Names of something; none where the line has no such list. */
  names(name: string): string[] {
    const value = this.#take(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.#wrong(name, "a list of names");
    return value.map((each) => this.#verified(name, each, checkName));
  }

  time(name: string): string {
    const value = this.plain(name);
    if (Number.isNaN(Date.parse(value))) throw this.refusal(`/${name}`, "Expected a time as ISO 8601 has it.");
    return value;
  }

  flag(name: string): boolean {
    const value = this.#take(name);
    if (typeof value === "boolean") return value;
    throw this.#wrong(name, "true or false");
  }

  whole(name: string, least = 0): number {
    const value = this.#take(name);
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
    throw this.refusal(`/${name}`, `Expected a whole number, ${least} or more.`);
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.#take(name);
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw this.refusal(`/${name}`, `Expected one of ${choices.join(", ")}.`);
  }

  nullable(name: string, as: "plain" | "name" | "id"): string | null {
    if (this.#value[name] !== null) return this[as](name);
    this.#unread.delete(name);
    return null;
  }

  /** A column of JSON text. */
  column(name: string): string | null {
    const other = `${name}Text`;
    this.#unread.delete(name);
    if (!this.#unread.delete(other)) return columnText(this.#value, name);
    if (typeof this.#value[other] !== "string") throw this.#wrong(other, "a string");
    if (this.#value[name] !== undefined) throw this.refusal(`/${other}`, `The line has "${name}", too; leave one out.`);
    return this.#checked(other, checkText);
  }

  demandColumn(name: string): string {
    const text = this.column(name);
    if (text === null) throw this.refusal(`/${name}`, "It is missing.");
    return text;
  }

  /** Nothing may stand in a line that nobody reads. */
  end(): void {
    const [name] = this.#unread;
    if (name !== undefined) throw this.refusal(`/${name}`, "This field is not known here.");
  }
}
