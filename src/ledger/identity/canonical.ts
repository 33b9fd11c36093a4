// JSON values in one spelling each, for hashing: no two different values are written alike, and equal ones never
// differ. It is shorter to make than JSON: strings stand as they are behind their length, so that a long one is not copied.
import { JsonError } from "../../model/errors.ts";
import { MAX_DEPTH } from "../../model/json.ts";

/** A string behind its length. */
export function sized(text: string): string {
  return `${text.length}:${text}`;
}

/**
 * A value, whatever the order of its keys and the spelling of its numbers. Numbers count as doubles: a client that reads
 * arguments into doubles sends back no more than that, and has changed nothing (B23 gives the digits back).
 */
export function canonical(value: unknown, depth = 1): string {
  switch (typeof value) {
    case "string":
      return `"${sized(value)}`;
    case "number":
      // As JSON writes it: no sign on zero, and null for what is no number.
      return Number.isFinite(value) ? `#${value};` : "~";
    case "boolean":
      return value ? "+" : "-";
    case "object":
      if (value === null) return "~";
      if (depth > MAX_DEPTH) throw new JsonError("too-deep", "", `A value is nested deeper than ${MAX_DEPTH} levels.`);
      return Array.isArray(value) ? list(value, depth) : members(value, depth);
    default:
      return "~";
  }
}

function list(items: readonly unknown[], depth: number): string {
  let text = `[${items.length};`;
  for (const item of items) text += canonical(item, depth + 1);
  return text;
}

function members(container: object, depth: number): string {
  // An object of unknown shape is read as a record; only own keys are asked for.
  const fields = container as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const key of Object.keys(fields).sort()) {
    // JSON leaves undefined out.
    if (fields[key] !== undefined) text += sized(key) + canonical(fields[key], depth + 1);
  }
  return `${text}}`;
}
