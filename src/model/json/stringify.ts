// Writes JSON like JSON.stringify, but with exact digits and with the path in every error.

import { JsonError } from "../errors.ts";
import { hasRecordedNumbers, findExactText, readOwnValue, TOO_DEEP_VALUE } from "./exact-numbers.ts";
import { MAX_DEPTH, shortPointer } from "./short-pointer.ts";
import { HAS_EXACT_RECORD, surveyContainer } from "./survey.ts";

// The cast adds JSON.rawJSON, which is part of ECMAScript 2025 but not of the library types in use.
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => object };

/**
 * Writes a value like JSON.stringify, with the recorded digits of numbers that were not edited. Throws a JsonError:
 * "not-json" with the path for a cycle, a BigInt or a root that JSON cannot represent, and "too-deep" for nesting
 * beyond the engine's limit. NaN and infinities without recorded digits become null, as in JSON.stringify, because
 * searching for them would take longer than writing.
 */
export function stringifyJson(value: unknown, indent?: number): string {
  // Numbers are replaced by their exact texts only if surveyContainer found recorded numbers, or stopped at MAX_DEPTH
  // and may have missed some. IS_TOO_DEEP is the only flag above HAS_EXACT_RECORD, so one comparison tests both.
  const isExact =
    hasRecordedNumbers() && typeof value === "object" && value !== null && surveyContainer(value) >= HAS_EXACT_RECORD;
  let text: string | undefined;
  try {
    text = JSON.stringify(value, isExact ? replaceWithExactNumber : undefined, indent);
  } catch (error) {
    throwUnwritableValue(value, error);
    throw error;
  }
  if (text === undefined) throw new JsonError("not-json", "", `A value of type ${typeof value} has no JSON form.`);
  return text;
}

function replaceWithExactNumber(this: object, key: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const text = findExactText(this, key, value);
  if (text === undefined) return value;
  if (rawJSON !== undefined) return rawJSON(text);
  throw new JsonError("not-json", "", `${text} cannot be written exactly: this engine has no JSON.rawJSON.`);
}

/** Throws a JsonError for the first value that JSON.stringify rejects; returns if there is no such value. */
function throwUnwritableValue(value: unknown, cause: unknown): void {
  findUnwritableValue(value, [], new Set(), { cause });
}

function findUnwritableValue(value: unknown, path: string[], open: Set<object>, options: ErrorOptions): void {
  // Objects with toJSON are skipped, because JSON.stringify writes the result of toJSON instead of the object.
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
    findUnwritableValue(readOwnValue(value, key), path, open, options);
    path.pop();
  }
  open.delete(value);
}

function hasToJson(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function";
}
