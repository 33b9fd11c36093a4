// Fields of wire objects that the model has no word for, and the one that many blocks share: the cache breakpoint.
import type { JsonObject } from "../../model/json.ts";
import type { CacheBreakpoint, Extra, TextPart } from "../../model/parts.ts";
import type { DecodeContext } from "../dialect.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeResidue } from "../kit/residue.ts";

interface Carrier {
  extra?: Extra;
  cache?: CacheBreakpoint;
}

/** Keeps one field as residue, where it is there; `inner` names the object it stands in. */
export function keepField(target: Carrier, wire: JsonObject, key: string, dialect: string, inner?: string): void {
  if (wire[key] === undefined) return;
  const field: JsonObject = {};
  copyField(wire, key, field);
  storeResidue(target, dialect, field, inner);
}

/** Keeps every field that was not taken. A plain cache breakpoint is taken here. */
export function keepRest<T extends Carrier>(
  target: T,
  wire: JsonObject,
  { dialect }: DecodeContext,
  ...taken: readonly (string | false)[]
): T {
  for (const key in wire) {
    if (taken.includes(key)) continue;
    if (key === "cache_control") {
      const cache = readCache(wire[key]);
      if (cache !== undefined) {
        target.cache = cache;
        continue;
      }
    }
    keepField(target, wire, key, dialect);
  }
  return target;
}

/** A breakpoint in words of the model; undefined where it says anything else. */
export function readCache(value: unknown): CacheBreakpoint | undefined {
  if (!isObject(value) || value["type"] !== "ephemeral") return undefined;
  const cache: CacheBreakpoint = {};
  for (const key in value) {
    const said = value[key];
    if (key === "ttl" && (said === "5m" || said === "1h")) cache.ttl = said;
    else if (key !== "type") return undefined;
  }
  return cache;
}

/** Whether a text says nothing but its text. */
export function isBare(part: TextPart): boolean {
  for (const key in part) {
    if (key !== "type" && key !== "text" && part[key as keyof TextPart] !== undefined) return false;
  }
  return true;
}
