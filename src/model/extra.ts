// Residue under a dialect's name, and how two pieces of it become one.
import type { JsonObject } from "./json.ts";
import { copyDigits } from "./json.ts";
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

/** Adds residue dialect by dialect and key by key to an `extra` that is the caller's own; what is later wins. */
export function growExtra(own: Extra | undefined, later: Extra): Extra {
  const grown: Extra = own ?? {};
  for (const dialect of Object.keys(later)) {
    const fields: JsonObject = ownField(grown, dialect) ?? {};
    const added = ownField(later, dialect) ?? {};
    for (const key of Object.keys(added)) {
      const value = ownField(added, key);
      if (value === undefined) continue;
      setOwn(fields, key, value);
      copyDigits(added, key, fields, key);
    }
    setOwn(grown, dialect, fields);
  }
  return grown;
}

/** A copy that can grow without touching the original. */
export function copyExtra(extra: Extra): Extra {
  return growExtra(undefined, extra);
}
