// Decodes cache points and stores the unknown fields of wire objects as residue.
import type { JsonObject } from "../../../model/json/index.ts";
import type { CacheBreakpoint, WithExtra } from "../../../model/parts.ts";
import { readCacheBreakpoint, storeField } from "../../blocks/fields.ts";

/**
 * Stores every field of `wire` that is not in `decoded` as residue; `inner` is the path of keys from the residue's root
 * to `wire`.
 */
export function storeRest<T extends WithExtra>(
  target: T,
  wire: JsonObject,
  dialect: string,
  inner: readonly string[],
  ...decoded: readonly (string | false)[]
): T {
  for (const key in wire) if (!decoded.includes(key)) storeField(target, wire, key, dialect, inner);
  return target;
}

/**
 * Decodes a cache point block; undefined if the block is not a cache point or has fields without a canonical
 * counterpart.
 */
export function readCachePoint(block: JsonObject): CacheBreakpoint | undefined {
  const { cachePoint, ...others } = block;
  return Object.keys(others).length > 0 ? undefined : readCacheBreakpoint(cachePoint, "default");
}
