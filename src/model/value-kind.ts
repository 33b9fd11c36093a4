// Determines the JSON type of an unknown value.
import type { JsonObject } from "./json/index.ts";

/** True if a value is a JSON object: not null, not a list. */
/** True for objects that are not lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for objects that are not lists, in JSON data. */
export const isObject = isRecord as (value: unknown) => value is JsonObject;

/** True for objects that are no instances of a class, of this realm or another. */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A prototype whose own prototype is null is Object.prototype.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes the type of a value for an error message: "a list", "null", "nothing". */
export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
