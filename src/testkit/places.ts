// Walking JSON values place by place: where the scalars are, and the same value with one place changed.
import { pointerStep } from "../model/json/pointer.ts";

export type Scalar = string | number | boolean | null;
type Key = string | number;

/** One place in a value. */
export interface Place {
  path: string;
  keys: readonly Key[];
  value: unknown;
}

function childKeys(value: unknown): Key[] {
  if (Array.isArray(value)) return value.map((_, index) => index);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function child(value: unknown, key: Key): unknown {
  return (value as Record<Key, unknown>)[key];
}

/** Every place in a value, the root first. */
export function* places(value: unknown, path = "", keys: readonly Key[] = []): Generator<Place> {
  yield { path, keys, value };
  for (const key of childKeys(value)) yield* places(child(value, key), path + pointerStep(key), [...keys, key]);
}

/** Every scalar of a value, in order. */
export function scalars(value: unknown, path = "", keys: readonly Key[] = [], found: Place[] = []): Place[] {
  if (isScalar(value)) found.push({ path, keys, value });
  for (const key of childKeys(value)) scalars(child(value, key), path + pointerStep(key), [...keys, key], found);
  return found;
}

/** The value with every scalar replaced by what `change` makes of it; the original is not touched. */
export function mapScalars(value: unknown, change: (scalar: Scalar, path: string) => unknown, path = ""): unknown {
  if (isScalar(value)) return change(value, path);
  if (Array.isArray(value)) return value.map((each, index) => mapScalars(each, change, `${path}/${index}`));
  if (typeof value !== "object" || value === null) return value;
  const copy = {};
  for (const key of Object.keys(value))
    setField(copy, key, mapScalars(child(value, key), change, path + pointerStep(key)));
  return copy;
}

/** What stands at a place; undefined where there is nothing. */
export function valueAt(value: unknown, keys: readonly Key[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = child(found, key);
  }
  return found;
}

/** The pointer one level up; the root is its own. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether a place is another one, or within it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function copyWith(value: unknown, key: Key, change: (copy: Record<Key, unknown>) => void): unknown {
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    change(copy as unknown as Record<Key, unknown>);
    // A deleted element leaves no hole behind.
    return Object.hasOwn(copy, key) ? copy : copy.filter((_, index) => index !== key);
  }
  const copy = { ...(value as Record<Key, unknown>) };
  change(copy);
  return copy;
}

/** The value with another one at a place; the original is not touched. */
export function withPlace(value: unknown, keys: readonly Key[], replacement: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return replacement;
  const next = rest.length === 0 ? replacement : withPlace(child(value, key), rest, replacement);
  return copyWith(value, key, (copy) => setField(copy, key, next));
}

/** Sets an own field, whatever its name. */
function setField(target: object, key: Key, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The value without a place. */
export function withoutPlace(value: unknown, keys: readonly Key[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return undefined;
  if (rest.length > 0) return withPlace(value, [key], withoutPlace(child(value, key), rest));
  return copyWith(value, key, (copy) => {
    delete copy[key];
  });
}

/** Freezes a value all the way down, so that whoever writes to it throws. */
export function deepFreeze<T>(value: T): T {
  for (const key of childKeys(value)) deepFreeze(child(value, key));
  return Object.freeze(value);
}
