// Converts AI SDK events to JSON. In-memory events may have undefined fields, errors, dates and files.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import { copyField, isObject, unknownFields } from "../kit/fields/read-wire.ts";

/** Returns a string field of an event; "" if the field is missing or not a string. */
export function readText(wire: JsonObject, field: string): string {
  const value = wire[field];
  return typeof value === "string" ? value : "";
}

/** Returns a copy of an event without undefined fields. */
export function withoutUndefined(wire: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(wire)) if (wire[key] !== undefined) copyField(wire, key, copy);
  return copy;
}

/** Converts a value to JSON; a JSON value is returned unchanged. Undefined if the value has no JSON form. */
export function toJson(value: unknown): JsonValue | undefined {
  if (isJson(value)) return value;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

export function toJsonObject(value: unknown): JsonObject {
  const plain = toJson(value);
  return isObject(plain) ? plain : {};
}

/** Returns the fields of an event that are not in `known`, as JSON; undefined if there are none. */
export function unknownJsonFields(wire: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  const rest = unknownFields(wire, known);
  return rest && toJsonObject(rest);
}

function isJson(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
    }
    default:
      return false;
  }
}
