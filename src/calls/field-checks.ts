// Checks options that a caller passes. Each check throws a `ClientError` "configuration" with the path of the field and
// the expected value. Messages never contain the invalid value, because it may be a key.
import { describeKind, isRecord } from "../model/value-kind.ts";
import { pointer } from "../model/json/pointer.ts";
import type { ClientErrorDetails } from "./errors.ts";
import { ClientError } from "./errors.ts";

/** Throws a `ClientError` for a value that the field does not accept. */
export type FieldCheck = (value: unknown, path: string) => void;
export type FieldChecks<Field extends PropertyKey = string> = Readonly<Record<Field, FieldCheck>>;

/** Creates the error of an invalid setting; `message` continues the sentence that begins with the path. */
export function configurationError(path: string, message: string, details: ClientErrorDetails = {}): ClientError {
  return new ClientError("configuration", `${path === "" ? "The options" : path} ${message}`, { ...details, path });
}

/** Creates a check from a predicate; `expected` completes the sentence "must be …". */
export function createCheck(expected: string, isValid: (value: unknown) => boolean): FieldCheck {
  return (value, path) => {
    if (isValid(value)) return;
    const kind = describeKind(value);
    // The kind of the value is left out if it would repeat `expected`: "must be a number above 0; it is a number".
    const isInformative = !expected.includes(kind.replace(/^an? /, ""));
    throw configurationError(path, isInformative ? `must be ${expected}; it is ${kind}.` : `must be ${expected}.`);
  };
}

const isFunction = (value: unknown): boolean => typeof value === "function";
export const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => isFunction(value[name]));
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const checkObject = createCheck("an object", isRecord);
export const checkText = createCheck("a string that is not empty", isText);
export const checkTexts = createCheck("a list of strings", (value) => Array.isArray(value) && value.every(isText));
export const checkBoolean = createCheck("true or false", (value) => typeof value === "boolean");
export const checkFunction = createCheck("a function", isFunction);
export const checkPositive = createCheck("a number above 0", (value) => typeof value === "number" && value > 0);
export const checkNonNegative = createCheck("a number, 0 or above", (value) => typeof value === "number" && value >= 0);
export const checkPositiveInteger = createCheck(
  "a whole number above 0",
  (value) => Number.isInteger(value) && Number(value) > 0,
);

export function checkOneOf(...choices: readonly string[]): FieldCheck {
  return (value, path) => {
    if (!choices.some((choice) => choice === value))
      throw configurationError(path, `must be one of ${choices.join(", ")}.`);
  };
}

/**
 * Checks every field of an object; a field with the value undefined counts as absent. An unknown field is an error,
 * unless `mayHaveOthers` is true, which callers set for instances of classes with further fields.
 */
export function checkFields(value: unknown, checks: FieldChecks, path: string, mayHaveOthers = false): void {
  if (!isRecord(value)) throw configurationError(path, `must be an object; it is ${describeKind(value)}.`);
  for (const field in value) {
    if (value[field] === undefined) continue;
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check !== undefined) check(value[field], path + pointer([field]));
    else if (!mayHaveOthers)
      throw configurationError(path + pointer([field]), describeUnknownField(field, Object.keys(checks)));
  }
}

/** Returns the name without the differences of common misspellings: case, hyphens and underscores. */
function normalizeName(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}

function describeUnknownField(field: string, known: readonly string[]): string {
  const intended = known.find((each) => normalizeName(each) === normalizeName(field));
  return intended === undefined
    ? `is not a setting; the settings are ${known.join(", ")}.`
    : `is not a setting; it is called ${intended}.`;
}
