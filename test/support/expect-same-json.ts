// Compares values as JSON with keys in any order. Unlike vitest's matcher, it treats `__proto__` as an ordinary key.
import { expect } from "vitest";

/** A value's JSON with sorted keys. */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sortedJson(field)}`).join(",")}}`;
}

export function expectSameJson(actual: unknown, expected: unknown): void {
  expect(sortedJson(actual)).toBe(sortedJson(expected));
}
