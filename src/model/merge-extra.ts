// Merges residue (`extra`) by dialect and key.
import type { JsonObject } from "./json/index.ts";
import { copyDigits } from "./json/index.ts";
import type { Extra } from "./parts.ts";

/**
 * Sets an own field of any name. A key `__proto__` from the wire is stored as a field and does not set the prototype
 * (B79).
 */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

function readOwnField<T>(record: Record<string, T> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Merges `later` into `target` by dialect and key, and returns `target`, or a new object if it is undefined; later
 * values win. `target` is changed in place, so no other value may share it.
 */
export function mergeExtra(target: Extra | undefined, later: Extra): Extra {
  const merged: Extra = target ?? {};
  for (const dialect of Object.keys(later)) {
    const fields: JsonObject = readOwnField(merged, dialect) ?? {};
    const added = readOwnField(later, dialect) ?? {};
    for (const key of Object.keys(added)) {
      const value = readOwnField(added, key);
      if (value === undefined) continue;
      setOwn(fields, key, value);
      copyDigits(added, key, fields, key);
    }
    setOwn(merged, dialect, fields);
  }
  return merged;
}

/** Returns a copy of residue. Merging into the copy with `mergeExtra` does not change the original. */
export function copyExtra(extra: Extra): Extra {
  return mergeExtra(undefined, extra);
}
