// Decodes `cache_control`, and stores the unknown fields of a block or tool as residue.
import type { JsonObject } from "../../../model/json/index.ts";
import type { CacheBreakpoint, PartBase } from "../../../model/parts.ts";
import { readCacheBreakpoint, storeField } from "../../blocks/fields.ts";
import type { DecodeContext } from "../../dialect.ts";

/**
 * Stores every field that is not in `decoded` as residue. A `cache_control` without unknown fields becomes `cache`
 * instead.
 */
export function storeRest<T extends Pick<PartBase, "extra" | "cache">>(
  target: T,
  wire: JsonObject,
  { dialect }: DecodeContext,
  ...decoded: readonly (string | false)[]
): T {
  for (const key in wire) {
    if (decoded.includes(key)) continue;
    if (key === "cache_control") {
      const cache = readCacheControl(wire[key]);
      if (cache !== undefined) {
        target.cache = cache;
        continue;
      }
    }
    storeField(target, wire, key, dialect);
  }
  return target;
}

/**
 * Decodes a cache breakpoint; returns undefined if `cacheControl` has fields that a CacheBreakpoint lacks, because they
 * would be lost.
 */
export function readCacheControl(cacheControl: unknown): CacheBreakpoint | undefined {
  return readCacheBreakpoint(cacheControl, "ephemeral");
}
