// Where two JSON values differ, for checks and for people: paths, with what was there and what is there now.
import { sameJson } from "../model/json/index.ts";
import { isObject } from "../model/value-kind.ts";
import { pointerStep } from "../model/json/pointer.ts";
import { demand } from "./demand.ts";

export interface Difference {
  path: string;
  was: unknown;
  is: unknown;
}

/** More than a person reads, and more than a check counts. */
const ENOUGH = 20;

/** The first differences of two values; empty where they are equal JSON, exact digits included. */
export function differences(was: unknown, is: unknown, path = "", found: Difference[] = []): Difference[] {
  if (found.length >= ENOUGH || sameJson(was, is)) return found;
  const before = found.length;
  if (Array.isArray(was) && Array.isArray(is)) {
    for (let index = 0; index < Math.max(was.length, is.length); index++) {
      differences(was[index], is[index], `${path}/${index}`, found);
    }
  } else if (isObject(was) && isObject(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      differences(own(was, key), own(is, key), path + pointerStep(key), found);
    }
  }
  // Scalars, values of two kinds, and numbers that differ only in digits beside the value.
  if (found.length === before) found.push({ path, was, is });
  return found;
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** Throws the claim with the first places that differ. */
export function demandNone(found: readonly Difference[], claim: string, ...shown: unknown[]): void {
  const [first] = found;
  if (first === undefined) return;
  const lines = found.slice(0, 5).map(({ path, was, is }) => `at "${path}"\n  was: ${brief(was)}\n  is:  ${brief(is)}`);
  const more = found.length > 5 ? [`… and ${found.length >= ENOUGH ? "many" : found.length - 5} more places`] : [];
  demand(false, claim, ...lines, ...more, ...shown);
}

/** A value in few words, its end included: what differs is often there. */
export function brief(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = JSON.stringify(value);
  return text.length <= 240 ? text : `${text.slice(0, 160)} … ${text.slice(-60)}`;
}
