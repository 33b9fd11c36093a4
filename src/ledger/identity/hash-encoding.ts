// Encodes JSON values for hashing: equal values have equal encodings, and different values have different ones. This is
// faster than JSON, because strings are written with their length and without escaping.
import { JsonError } from "../../model/errors.ts";
import { MAX_DEPTH } from "../../model/json/index.ts";

/** Encodes a string as its length, a colon and its text. */
export function encodeString(text: string): string {
  return `${text.length}:${text}`;
}

/**
 * Encodes a value. The order of keys and the spelling of numbers do not matter. Numbers are encoded as doubles, because
 * a client that parses arguments into doubles cannot send more digits back (B23 restores the digits).
 */
export function encodeForHash(value: unknown, depth = 1): string {
  switch (typeof value) {
    case "string":
      return `"${encodeString(value)}`;
    case "number":
      // As in JSON, zero has no sign, and a non-finite number is null.
      return Number.isFinite(value) ? `#${value};` : "~";
    case "boolean":
      return value ? "+" : "-";
    case "object":
      if (value === null) return "~";
      if (depth > MAX_DEPTH) throw new JsonError("too-deep", "", `A value is nested deeper than ${MAX_DEPTH} levels.`);
      return Array.isArray(value) ? encodeList(value, depth) : encodeObject(value, depth);
    default:
      return "~";
  }
}

function encodeList(items: readonly unknown[], depth: number): string {
  let text = `[${items.length};`;
  for (const item of items) text += encodeForHash(item, depth + 1);
  return text;
}

function encodeObject(container: object, depth: number): string {
  // The cast allows access by key to an object of unknown shape; only its own keys are read.
  const fields = container as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const key of Object.keys(fields).sort()) {
    // Undefined values are omitted, as in JSON.
    if (fields[key] !== undefined) text += encodeString(key) + encodeForHash(fields[key], depth + 1);
  }
  return `${text}}`;
}
