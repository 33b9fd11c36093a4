// Writes JSON: as JSON.stringify does, but with exact digits, and with an error where JSON.stringify is silent.

import { JsonError } from "./errors.ts";
import { exactText, ownValue, TOO_DEEP_VALUE } from "./json-exact.ts";
import { MAX_DEPTH, shortPointer } from "./json-pointer.ts";
import { DEEP, EXACT, ODD, survey } from "./json-survey.ts";

// Part of ECMAScript since 2025, but not of the library typings in use.
const { rawJSON } = JSON as typeof JSON & { rawJSON?: (text: string) => object };

/**
 * Writes a value as JSON.stringify does, giving back recorded digits wherever they still read as the number that stands
 * there now. What JSON.stringify refuses (a cycle, a BigInt) or would write as null (NaN, an infinity) is a JsonError
 * "not-json" with its path, and so is a root that has no JSON form; beyond MAX_DEPTH levels it is "too-deep". As with
 * JSON.stringify, undefined is left out of objects and becomes null in arrays, and toJSON is called.
 */
export function stringifyJson(value: unknown, indent?: number): string {
  const flags = typeof value === "object" && value !== null ? survey(value) : 0;
  const odd = (flags & (ODD | DEEP)) !== 0 || (typeof value === "number" && !Number.isFinite(value));
  if (odd) refuse(value);
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (flags & EXACT) === 0 ? undefined : exactNumber, indent);
  } catch (error) {
    refuse(value, error);
    throw error;
  }
  if (text === undefined) throw new JsonError("not-json", "", `A ${typeof value} has no JSON form.`);
  return text;
}

function exactNumber(this: object, key: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  const text = exactText(this, key, value);
  if (text === undefined) return value;
  if (rawJSON !== undefined) return rawJSON(text);
  throw new JsonError("not-json", "", `${text} cannot be written exactly: this engine has no JSON.rawJSON.`);
}

/** Throws for the first thing in `value` that JSON cannot hold; returns if there is none. */
function refuse(value: unknown, cause?: unknown): void {
  const options = cause === undefined ? undefined : { cause };
  inspect(value, { "": value }, "", [], new Set(), options);
}

function inspect(
  value: unknown,
  holder: object,
  key: string,
  path: string[],
  open: Set<object>,
  options: ErrorOptions | undefined,
): void {
  const fail = (what: string): never => {
    throw new JsonError(
      "not-json",
      shortPointer(path),
      `${what} at "${shortPointer(path)}" has no JSON form.`,
      options,
    );
  };
  if (typeof value === "bigint") fail("A BigInt");
  if (typeof value === "number" && !Number.isFinite(value) && exactText(holder, key, value) === undefined) {
    fail(String(value));
  }
  // What toJSON returns is JSON.stringify's to judge.
  if (typeof value !== "object" || value === null || hasToJson(value)) return;
  if (open.has(value)) fail("A value that contains itself");
  if (path.length >= MAX_DEPTH) throw new JsonError("too-deep", shortPointer(path), TOO_DEEP_VALUE, options);
  open.add(value);
  for (const name of Object.keys(value)) {
    path.push(name);
    inspect(ownValue(value, name), value, name, path, open, options);
    path.pop();
  }
  open.delete(value);
}

function hasToJson(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function";
}
