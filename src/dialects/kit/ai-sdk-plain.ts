// Events of the AI SDK as JSON. In memory they may hold what is none: undefined fields, errors, dates, files.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyField, isObject, unknownFields } from "./read.ts";

/** A field of an event that must be a text; events from outside may lack it. */
export function textIn(wire: JsonObject, field: string): string {
  const value = wire[field];
  return typeof value === "string" ? value : "";
}

/** An event without what is undefined: in memory, the SDK's events have such fields. */
export function withoutGaps(wire: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(wire)) if (wire[key] !== undefined) copyField(wire, key, copy);
  return copy;
}

/** A value as JSON has it; one that is JSON already stays the same. */
export function plainJson(value: unknown): JsonValue | undefined {
  if (isPlain(value)) return value;
  const text = JSON.stringify(value) as string | undefined;
  // What JSON.stringify wrote, JSON.parse reads.
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

export function plainObject(value: unknown): JsonObject {
  const plain = plainJson(value);
  return isObject(plain) ? plain : {};
}

/** The fields that are not among the known ones, as JSON; undefined where there are none. */
export function plainRest(wire: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  const rest = unknownFields(wire, known);
  return rest && plainObject(rest);
}

function isPlain(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
    }
    default:
      return false;
  }
}
