// Checks of what a caller wrote down: every mistake is told at once, with its path and with what to write instead.
// Values are never repeated, because they may be keys.
import { kindOf } from "../model/kind.ts";
import { pointer } from "../model/pointer.ts";
import type { ClientErrorDetails } from "./errors.ts";
import { ClientError } from "./errors.ts";

/** Throws for a value that is not what the setting takes. */
export type Check = (value: unknown, path: string) => void;
export type Checks<Field extends PropertyKey = string> = Readonly<Record<Field, Check>>;

export function fault(path: string, what: string, details: ClientErrorDetails = {}): ClientError {
  return new ClientError("configuration", `${path === "" ? "The options" : path} ${what}`, { ...details, path });
}

/** A check from a question; `what` completes "must be …". */
export function expecting(what: string, isIt: (value: unknown) => boolean): Check {
  return (value, path) => {
    if (isIt(value)) return;
    const kind = kindOf(value);
    // That a number is a number helps nobody.
    const isNews = !what.includes(kind.replace(/^an? /, ""));
    throw fault(path, isNews ? `must be ${what}; it is ${kind}.` : `must be ${what}.`);
  };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFunction = (value: unknown): boolean => typeof value === "function";
export const hasMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isRecord(value) && names.every((name) => isFunction(value[name]));
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const anObject = expecting("an object", isRecord);
export const aText = expecting("a string that is not empty", isText);
export const texts = expecting("a list of strings", (value) => Array.isArray(value) && value.every(isText));
export const aFlag = expecting("true or false", (value) => typeof value === "boolean");
export const aFunction = expecting("a function", isFunction);
export const aboveZero = expecting("a number above 0", (value) => typeof value === "number" && value > 0);
export const zeroOrAbove = expecting("a number, 0 or above", (value) => typeof value === "number" && value >= 0);
export const aCount = expecting("a whole number above 0", (value) => Number.isInteger(value) && Number(value) > 0);

export function oneOf(...words: readonly string[]): Check {
  return (value, path) => {
    if (!words.some((word) => word === value)) throw fault(path, `must be one of ${words.join(", ")}.`);
  };
}

/**
 * Checks every field that is there. What is undefined is as if it were not there; a field that nobody knows is a
 * mistake, unless the object may have fields of its own, as those of a class do. Runs for every call.
 */
export function checkFields(value: unknown, checks: Checks, path: string, mayHaveOthers = false): void {
  if (!isRecord(value)) throw fault(path, `must be an object; it is ${kindOf(value)}.`);
  for (const field in value) {
    if (value[field] === undefined) continue;
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check !== undefined) check(value[field], path + pointer([field]));
    else if (!mayHaveOthers) throw fault(path + pointer([field]), unknownField(field, Object.keys(checks)));
  }
}

/** A name without what people get wrong in it. */
function plain(word: string): string {
  return word.replaceAll(/[-_]/g, "").toLowerCase();
}

function unknownField(field: string, known: readonly string[]): string {
  const meant = known.find((each) => plain(each) === plain(field));
  return meant === undefined
    ? `is no setting; there are ${known.join(", ")}.`
    : `is no setting; it is called ${meant}.`;
}
