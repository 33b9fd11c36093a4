// Fields of wire objects that the model has no word for, kept where they stood.
import type { JsonObject } from "../../model/json.ts";
import type { CacheBreakpoint, Extra, TextPart } from "../../model/parts.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";

interface Carrier {
  extra?: Extra;
}

/** Keeps one field as residue, where it is there; `inner` are the objects it stands in. */
export function keepField(
  target: Carrier,
  wire: JsonObject,
  key: string,
  dialect: string,
  inner: readonly string[] = [],
): void {
  if (wire[key] === undefined) return;
  const field: JsonObject = {};
  copyField(wire, key, field);
  storeResidue(target, dialect, field, inner);
}

/** Keeps every field that was not taken. */
export function keepRest<T extends Carrier>(
  target: T,
  wire: JsonObject,
  dialect: string,
  inner: readonly string[],
  ...taken: readonly (string | false)[]
): T {
  for (const key in wire) if (!taken.includes(key)) keepField(target, wire, key, dialect, inner);
  return target;
}

/** A breakpoint in words of the model; undefined where a block says anything else. */
export function readCachePoint(block: JsonObject): CacheBreakpoint | undefined {
  const { cachePoint, ...others } = block;
  if (!isObject(cachePoint) || cachePoint["type"] !== "default" || Object.keys(others).length > 0) return undefined;
  const cache: CacheBreakpoint = {};
  for (const key in cachePoint) {
    const said = cachePoint[key];
    if (key === "ttl" && (said === "5m" || said === "1h")) cache.ttl = said;
    else if (key !== "type") return undefined;
  }
  return cache;
}

/** Whether an object has so many fields. */
export function hasOnly(value: JsonObject, count: number): boolean {
  let fields = 0;
  for (const _ in value) fields++;
  return fields === count;
}

/** Whether a text says nothing but its text. */
export function isBare(part: TextPart): boolean {
  for (const key in part) {
    if (key !== "type" && key !== "text" && part[key as keyof TextPart] !== undefined) return false;
  }
  return true;
}
