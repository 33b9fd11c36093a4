// Residue under a dialect's name, and how two pieces of it become one.
import type { JsonObject } from "./json.ts";
import type { Extra } from "./parts.ts";

/** Sets an own field, whatever its name: `__proto__` is data here (B79). */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

function ownField<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Merges residue dialect by dialect and key by key; what is later wins. Neither side is changed. */
export function mergeExtra(earlier: Extra | undefined, later: Extra): Extra {
  const merged: Extra = { ...earlier };
  for (const dialect of Object.keys(later)) {
    const fields: JsonObject = { ...ownField(earlier, dialect) };
    const added = ownField(later, dialect) ?? {};
    for (const key of Object.keys(added)) setOwn(fields, key, ownField(added, key) ?? null);
    setOwn(merged, dialect, fields);
  }
  return merged;
}
