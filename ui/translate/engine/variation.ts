// Where a setting went: encode the value with and without it, and see what differs. Only for what stands beside messages;
// these are found by their words.
import { isObject } from "koine";
import { pointerOf, stepsOf } from "../../json/pointers.ts";
import { common } from "./trace.ts";

/** A difference that is spread over more places than these has none. */
const MOST = 40;

/** The place in the wire that follows a canonical place; undefined where nothing does, or too much. */
export function placeOfSetting(
  value: Readonly<Record<string, unknown>>,
  path: string,
  encode: (value: Readonly<Record<string, unknown>>) => unknown,
): string | undefined {
  const steps = stepsOf(path);
  try {
    const before = encode(value);
    const differing: string[] = [];
    collect(before, encode(without(value, steps) as typeof value), "", differing);
    // What a dialect makes up follows what could have been said.
    if (differing.length === 0) collect(before, encode(withNumber(value, steps) as typeof value), "", differing);
    const place = differing.length === 0 || differing.length >= MOST ? "" : common(differing);
    return place === "" ? undefined : place;
  } catch {
    // A value that cannot be encoded without it tells nothing.
    return undefined;
  }
}

function without(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (!isObject(value) || step === undefined || !Object.hasOwn(value, step)) return value;
  if (rest.length > 0) return { ...value, [step]: without(value[step], rest) };
  const { [step]: _, ...others } = value;
  return others;
}

/** Settings of how to sample are numbers. */
function withNumber(value: Readonly<Record<string, unknown>>, [group, name]: readonly string[]): unknown {
  if (group !== "sampling" || name === undefined) return value;
  return { ...value, sampling: { ...(isObject(value["sampling"]) ? value["sampling"] : {}), [name]: 7 } };
}

function collect(one: unknown, other: unknown, path: string, differing: string[]): void {
  if (Object.is(one, other) || differing.length >= MOST) return;
  const areBoth = typeof one === "object" && one !== null && typeof other === "object" && other !== null;
  if (!areBoth || Array.isArray(one) !== Array.isArray(other)) return void differing.push(path);
  for (const key of Object.keys(one)) {
    const step = pointerOf([key]);
    // Both are containers of unknown shape, read key by key.
    const theirs = (other as Record<string, unknown>)[key];
    collect((one as Record<string, unknown>)[key], theirs, path + step, differing);
  }
}
