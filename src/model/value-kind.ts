// Determines the JSON type of an unknown value.
import type { JsonObject } from "./json/index.ts";

/** True for objects that are not lists. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for objects that are not lists. Like `isRecord`, but narrows a value from JSON data to JsonObject. */
export const isObject = isRecord as (value: unknown) => value is JsonObject;

/**
 * True for plain objects: objects that are not lists and not instances of a class, even if they come from a different
 * realm.
 */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A prototype that has no prototype itself is Object.prototype, possibly of a different realm.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes the type of a value for an error message: "a list", "null", "nothing". */
export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
