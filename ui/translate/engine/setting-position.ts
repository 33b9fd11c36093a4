// Finds where a setting went in the encoded result: encodes the request with and without it and compares. Only for
// fields besides messages, which are found by tokens.
import { isObject } from "koine";
import { joinPointer, splitPointer } from "../../json/json-pointers.ts";
import { findCommonPointer } from "./wire-trace.ts";

/** More differences than this have no common position. */
const MAX_DIFFERENCES = 40;

/** Returns the wire pointer that depends on a canonical path; undefined if there is none or too many. */
export function findSettingPosition(
  value: Readonly<Record<string, unknown>>,
  path: string,
  encode: (value: Readonly<Record<string, unknown>>) => unknown,
): string | undefined {
  const steps = splitPointer(path);
  try {
    const before = encode(value);
    const differing: string[] = [];
    collectDifferences(before, encode(omitPath(value, steps) as typeof value), "", differing);
    // A value that the dialect synthesized may depend on a setting that the request does not have.
    if (differing.length === 0)
      collectDifferences(before, encode(withNumber(value, steps) as typeof value), "", differing);
    const pointer = differing.length === 0 || differing.length >= MAX_DIFFERENCES ? "" : findCommonPointer(differing);
    return pointer === "" ? undefined : pointer;
  } catch {
    // The request cannot be encoded without the setting.
    return undefined;
  }
}

function omitPath(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (!isObject(value) || step === undefined || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return { ...value, [step]: omitPath(value[step], rest) };
  const { [step]: _, ...others } = value;
  return others;
}

/** All sampling settings accept a number. */
function withNumber(value: Readonly<Record<string, unknown>>, [group, name]: readonly string[]): unknown {
  if (group !== "sampling" || name === undefined) return value;
  return { ...value, sampling: { ...(isObject(value["sampling"]) ? value["sampling"] : {}), [name]: 7 } };
}

function collectDifferences(left: unknown, right: unknown, path: string, differing: string[]): void {
  if (Object.is(left, right) || differing.length >= MAX_DIFFERENCES) return;
  const areBoth = typeof left === "object" && left !== null && typeof right === "object" && right !== null;
  if (!areBoth || Array.isArray(left) !== Array.isArray(right)) return void differing.push(path);
  for (const key of Object.keys(left)) {
    const step = joinPointer([key]);
    // Both are objects or lists, compared key by key.
    const rightValue = (right as Record<string, unknown>)[key];
    collectDifferences((left as Record<string, unknown>)[key], rightValue, path + step, differing);
  }
}
