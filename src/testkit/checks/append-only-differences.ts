// Compares the encoding of a conversation with its encoding after messages were appended. Lists and objects may have
// additional elements, and the last element of a list may be extended, because two turns can merge. All other bytes
// must be equal, because prompt caches compare bytes (B44).
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import type { JsonDifference } from "../json/json-differences.ts";

export interface AppendOnlyComparison {
  /** The paths at which the longer encoding has additional content. */
  additions: string[];
  /** All other differences, which would invalidate a prompt cache. */
  changes: JsonDifference[];
}

/** Compares the encoding of a conversation (`short`) with its encoding after messages were appended (`long`). */
export function compareAppendOnly(short: unknown, long: unknown): AppendOnlyComparison {
  const result: AppendOnlyComparison = { additions: [], changes: [] };
  compareValues(short, long, "", result);
  return result;
}

function isSame(short: unknown, long: unknown): boolean {
  return short === long || (short !== undefined && long !== undefined && stringifyJson(short) === stringifyJson(long));
}

function compareValues(short: unknown, long: unknown, path: string, result: AppendOnlyComparison): void {
  if (isSame(short, long)) return;
  if (Array.isArray(short) && Array.isArray(long) && long.length >= short.length)
    compareLists(short, long, path, result);
  else if (isObject(short) && isObject(long)) compareObjects(short, long, path, result);
  else if (isTextPrefix(short, long)) result.additions.push(path);
  else result.changes.push({ path, was: short, is: long });
}

function compareLists(
  short: readonly unknown[],
  long: readonly unknown[],
  path: string,
  result: AppendOnlyComparison,
): void {
  short.forEach((was, index) => {
    const [elementPath, is] = [`${path}/${index}`, long[index]];
    if (index === short.length - 1) compareValues(was, is, elementPath, result);
    else if (!isSame(was, is)) result.changes.push({ path: elementPath, was, is });
  });
  if (long.length > short.length) result.additions.push(path);
}

function compareObjects(
  short: Readonly<Record<string, unknown>>,
  long: Readonly<Record<string, unknown>>,
  path: string,
  result: AppendOnlyComparison,
): void {
  for (const key of Object.keys(short)) compareValues(short[key], long[key], path + pointerStep(key), result);
  for (const key of Object.keys(long)) if (!Object.hasOwn(short, key)) result.additions.push(path + pointerStep(key));
}

/** True if `long` extends the text `short`: it is a text that begins with `short`, or a list that contains `short`. */
function isTextPrefix(short: unknown, long: unknown): boolean {
  if (typeof short !== "string") return false;
  if (typeof long === "string") return long.startsWith(short);
  return Array.isArray(long) && stringifyJson(long).includes(JSON.stringify(short).slice(1, -1));
}
