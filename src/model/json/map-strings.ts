// Copies a JSON value with changed strings. The exact digits of its numbers are preserved (B23).
import { copyDigits } from "./exact-numbers.ts";

/** Returns a copy of a JSON value in which `change` was applied to every string and to every key of an object. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((item: unknown) => mapStrings(item, change));
    for (const index of list.keys()) copyDigits(value, String(index), list, String(index));
    return list;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, change(key), mapStrings(item, change)] as const);
  // `Object.fromEntries` also creates a key such as `__proto__` as an ordinary property.
  const copy = Object.fromEntries(entries.map(([, key, item]) => [key, item])) as object;
  for (const [key, newKey] of entries) copyDigits(value, key, copy, newKey);
  return copy;
}
