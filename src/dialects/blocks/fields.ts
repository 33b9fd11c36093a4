// Stores residue and decodes cache breakpoints of wire objects with content blocks.
import type { JsonObject } from "../../model/json/index.ts";
import type { CacheBreakpoint, TextPart, WithExtra } from "../../model/parts.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { storeResidue } from "../kit/residue/residue.ts";

/**
 * Stores one field of `wire` as residue if it is present; `inner` is the path of keys from the residue's root to
 * `wire`.
 */
export function storeField(
  target: WithExtra,
  wire: JsonObject,
  key: string,
  dialect: string,
  inner?: string | readonly string[],
): void {
  if (wire[key] === undefined) return;
  const field: JsonObject = {};
  copyField(wire, key, field);
  storeResidue(target, dialect, field, inner);
}

/**
 * Decodes a cache breakpoint of the given type; undefined if the type differs or a field has no canonical counterpart.
 */
export function readCacheBreakpoint(wire: unknown, type: string): CacheBreakpoint | undefined {
  if (!isObject(wire) || wire["type"] !== type) return undefined;
  const cache: CacheBreakpoint = {};
  for (const key in wire) {
    const value = wire[key];
    if (key === "ttl" && (value === "5m" || value === "1h")) cache.ttl = value;
    else if (key !== "type") return undefined;
  }
  return cache;
}

/** True if a text part has no field other than its type and its text. */
export function hasOnlyText(part: TextPart): boolean {
  for (const key in part) {
    if (key !== "type" && key !== "text" && part[key as keyof TextPart] !== undefined) return false;
  }
  return true;
}

/** True if an object has exactly `count` fields. */
export function hasFieldCount(value: JsonObject, count: number): boolean {
  let fields = 0;
  for (const _ in value) fields++;
  return fields === count;
}
