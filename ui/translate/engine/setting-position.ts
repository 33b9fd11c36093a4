// Finds the position of a setting in the encoded request: encodes the request with and without the setting, and
// compares both encodings. Values of messages are found by tokens instead (wire-trace.ts).
import { isObject } from "koine";
import { joinPointer, splitPointer } from "../../json/json-pointers.ts";
import { findCommonPointer } from "./wire-trace.ts";

/** If the encodings differ at this number of positions or more, the position of the setting counts as unknown. */
const MAX_DIFFERENCES = 40;

/**
 * Returns the pointer of the wire value that changes when the canonical value at `path` is removed; undefined if no
 * wire value or too many wire values change.
 */
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
    // If the request does not have the setting, removing it changes nothing. But the dialect may have written a default
    // for it; then setting it to a number changes the wire value at the position of that default.
    if (differing.length === 0)
      collectDifferences(before, encode(withNumber(value, steps) as typeof value), "", differing);
    const pointer = differing.length === 0 || differing.length >= MAX_DIFFERENCES ? "" : findCommonPointer(differing);
    return pointer === "" ? undefined : pointer;
  } catch {
    // Encoding the request without the setting failed, so the position of the setting is unknown.
    return undefined;
  }
}

function omitPath(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (!isObject(value) || step === undefined || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return { ...value, [step]: omitPath(value[step], rest) };
  const { [step]: _, ...others } = value;
  return others;
}

/**
 * Returns the request with a number as the value of the setting `sampling.<name>`; every sampling setting accepts a
 * number. If the path is not that of a sampling setting, returns the request unchanged.
 */
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
    // The casts are safe, because both values are objects or both are lists.
    const rightValue = (right as Record<string, unknown>)[key];
    collectDifferences((left as Record<string, unknown>)[key], rightValue, path + step, differing);
  }
}
