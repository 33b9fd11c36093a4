// Whether one wire is another with more at its end: lists grow, and the last element of one may grow in turn where two
// turns became one. Everything else is the same to the byte, because caches compare bytes (B44).
import { stringifyJson } from "../model/json/index.ts";
import { isObject } from "../model/value-kind.ts";
import { pointerStep } from "../model/json/pointer.ts";
import type { Difference } from "./differences.ts";

export interface Growth {
  /** Where something was added. */
  grown: string[];
  /** Where something else changed. */
  faults: Difference[];
}

/** How `long` goes beyond `short`. */
export function growth(short: unknown, long: unknown): Growth {
  const result: Growth = { grown: [], faults: [] };
  grow(short, long, "", result);
  return result;
}

function isSame(short: unknown, long: unknown): boolean {
  return short === long || (short !== undefined && long !== undefined && stringifyJson(short) === stringifyJson(long));
}

function grow(short: unknown, long: unknown, path: string, result: Growth): void {
  if (isSame(short, long)) return;
  if (Array.isArray(short) && Array.isArray(long) && long.length >= short.length) growList(short, long, path, result);
  else if (isObject(short) && isObject(long)) growObject(short, long, path, result);
  else if (isBeginning(short, long)) result.grown.push(path);
  else result.faults.push({ path, was: short, is: long });
}

function growList(short: readonly unknown[], long: readonly unknown[], path: string, result: Growth): void {
  short.forEach((was, index) => {
    const [here, is] = [`${path}/${index}`, long[index]];
    if (index === short.length - 1) grow(was, is, here, result);
    else if (!isSame(was, is)) result.faults.push({ path: here, was, is });
  });
  if (long.length > short.length) result.grown.push(path);
}

function growObject(
  short: Readonly<Record<string, unknown>>,
  long: Readonly<Record<string, unknown>>,
  path: string,
  result: Growth,
): void {
  for (const key of Object.keys(short)) grow(short[key], long[key], path + pointerStep(key), result);
  for (const key of Object.keys(long)) if (!Object.hasOwn(short, key)) result.grown.push(path + pointerStep(key));
}

/** A text goes on, or becomes the first of several. */
function isBeginning(short: unknown, long: unknown): boolean {
  if (typeof short !== "string") return false;
  if (typeof long === "string") return long.startsWith(short);
  return Array.isArray(long) && stringifyJson(long).includes(JSON.stringify(short).slice(1, -1));
}
