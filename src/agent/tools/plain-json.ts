// Converts the return values of tools to JSON. Throws for values that JSON would drop or change silently.
import { parseJson, stringifyJson } from "../../model/index.ts";

/**
 * Returns the value as it will be read back from the ledger: a date becomes a string, and a class instance a plain
 * object with its fields. Numbers that `parseJson` read with their exact digits keep them.
 */
export function toPlainJson(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (typeof value === "string") return value.toWellFormed();
  const text = stringifyJson(value);
  rejectSilentLoss(value);
  return parseJson(replaceLoneSurrogates(text));
}

/** Replaces escaped lone surrogates, which providers reject, by U+FFFD. */
function replaceLoneSurrogates(text: string): string {
  return text.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? "\\ufffd" : escape));
}

/** Throws for values that JSON changes silently: a `Map` becomes `{}`, and NaN becomes null. */
function rejectSilentLoss(value: unknown): void {
  JSON.stringify(value, function (this: unknown, key: string, each: unknown): unknown {
    const lost = describeLoss(each) ?? describeLossInHolder(this, key, each);
    if (lost === undefined) return each;
    const where = key === "" ? "" : ` (in "${key}")`;
    throw new TypeError(`${lost}${where} has no JSON form; return its content as plain values.`);
  });
}

/**
 * Describes a value that JSON would change and that can be recognized only with the object or list that contains it:
 * undefined in a list, or an invalid date. Returns undefined for any other value.
 */
function describeLossInHolder(holder: unknown, key: string, value: unknown): string | undefined {
  if (value === undefined && Array.isArray(holder)) return "Undefined in a list";
  // A replacer receives `value` after `toJSON` was called, so an invalid date is null here; only the container has the
  // date.
  const original: unknown = Reflect.get(Object(holder) as object, key);
  return original instanceof Date && Number.isNaN(original.getTime()) ? "An invalid date" : undefined;
}

function describeLoss(value: unknown): string | undefined {
  if (typeof value === "function") return "A function";
  if (typeof value === "symbol") return "A symbol";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Error) return "An error";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Object.keys(value).length > 0) return undefined;
  // Boxed primitives such as `new Number(1)` are not lost: JSON contains their primitive value.
  if (typeof value.valueOf() !== "object") return undefined;
  return `A value of class ${value.constructor.name}`;
}
