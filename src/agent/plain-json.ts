// What tools return, as JSON that can be recorded and sent: what JSON would drop without a word is refused.
import { parseJson, stringifyJson } from "../model/index.ts";

/** The value as it will be read back: a date as its text, a class instance as its fields. Exact digits stay. */
export function plainJson(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (typeof value === "string") return value.toWellFormed();
  const text = stringifyJson(value);
  refuseSilentLoss(value);
  return parseJson(wellFormedJson(text));
}

/** Half a surrogate pair stands in JSON as an escape, and no provider takes it. */
function wellFormedJson(text: string): string {
  return text.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? "\\ufffd" : escape));
}

/** Throws for what JSON would say nothing of: `{}` for a map, null for what is no number. */
function refuseSilentLoss(value: unknown): void {
  JSON.stringify(value, function (this: unknown, key: string, each: unknown): unknown {
    const what = lostOf(each) ?? lostIn(this, key, each);
    if (what === undefined) return each;
    const where = key === "" ? "" : ` (in "${key}")`;
    throw new TypeError(`${what}${where} has no JSON form; return what it holds as plain values.`);
  });
}

/** What only the object or list that holds a value can tell of it. */
function lostIn(holder: unknown, key: string, value: unknown): string | undefined {
  if (value === undefined && Array.isArray(holder)) return "Undefined in a list";
  // A date is its text by now.
  const held: unknown = Reflect.get(Object(holder) as object, key);
  return held instanceof Date && Number.isNaN(held.getTime()) ? "An invalid date" : undefined;
}

function lostOf(value: unknown): string | undefined {
  if (typeof value === "function") return "A function";
  if (typeof value === "symbol") return "A symbol";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Error) return "An error";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || Object.keys(value).length > 0) return undefined;
  // A number, text or truth in a box is written as what is in it.
  if (typeof value.valueOf() !== "object") return undefined;
  return `A value of class ${value.constructor.name}`;
}
