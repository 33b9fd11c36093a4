// Writes JSON: as JSON.stringify does, but with exact digits, and with errors that say where.

import { JsonError } from "./errors.ts";
import { anyRecorded, exactText, ownValue, TOO_DEEP_VALUE } from "./json-exact.ts";
import { MAX_DEPTH, shortPointer } from "./json-pointer.ts";
import { EXACT, survey } from "./json-survey.ts";

// Part of ECMAScript since 2025, but not of the library typings in use.
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => object };

/**
 * Writes a value as JSON.stringify does, giving back recorded digits wherever they still read as the number that stands
 * there now. A cycle, a BigInt, or a root without a JSON form is a JsonError "not-json" with its path; nesting too deep
 * for the engine is "too-deep". All else is JSON.stringify's: toJSON is called, undefined is left out of objects, and
 * NaN and infinities without recorded digits become null; to look for them would cost more than the writing may.
 */
export function stringifyJson(value: unknown, indent?: number): string {
  // Where the survey gives up for depth, exact numbers are possible too.
  const isExact = anyRecorded() && typeof value === "object" && value !== null && survey(value) >= EXACT;
  let text: string | undefined;
  try {
    text = JSON.stringify(value, isExact ? exactNumber : undefined, indent);
  } catch (error) {
    refuse(value, error);
    throw error;
  }
  if (text === undefined) throw new JsonError("not-json", "", `A value of type ${typeof value} has no JSON form.`);
  return text;
}

function exactNumber(this: object, key: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const text = exactText(this, key, value);
  if (text === undefined) return value;
  if (rawJSON !== undefined) return rawJSON(text);
  throw new JsonError("not-json", "", `${text} cannot be written exactly: this engine has no JSON.rawJSON.`);
}

/** Throws for the first thing in `value` that JSON.stringify refuses; returns if there is none. */
function refuse(value: unknown, cause: unknown): void {
  inspect(value, [], new Set(), { cause });
}

function inspect(value: unknown, path: string[], open: Set<object>, options: ErrorOptions): void {
  // What toJSON returns is JSON.stringify's to judge.
  const isContainer = typeof value === "object" && value !== null && !hasToJson(value);
  if (typeof value === "bigint" || (isContainer && open.has(value))) {
    const what = typeof value === "bigint" ? "A BigInt" : "A value that contains itself";
    const place = shortPointer(path);
    throw new JsonError("not-json", place, `${what} at "${place}" has no JSON form.`, options);
  }
  if (!isContainer) return;
  if (path.length >= MAX_DEPTH) throw new JsonError("too-deep", shortPointer(path), TOO_DEEP_VALUE, options);
  open.add(value);
  for (const key of Object.keys(value)) {
    path.push(key);
    inspect(ownValue(value, key), path, open, options);
    path.pop();
  }
  open.delete(value);
}

function hasToJson(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function";
}
