// Walks JSON values node by node, and copies a value with one node changed or removed.
import { pointerStep } from "../../model/json/pointer.ts";

export type JsonScalar = string | number | boolean | null;
type JsonKey = string | number;

/** A value inside a JSON value, with its JSON pointer and the keys that lead to it. */
export interface JsonNode {
  path: string;
  keys: readonly JsonKey[];
  value: unknown;
}

function listChildKeys(value: unknown): JsonKey[] {
  if (Array.isArray(value)) return value.map((_, index) => index);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function readChild(value: unknown, key: JsonKey): unknown {
  return (value as Record<JsonKey, unknown>)[key];
}

/** Yields every node of a value, the root first. */
export function* walkJson(value: unknown, path = "", keys: readonly JsonKey[] = []): Generator<JsonNode> {
  yield { path, keys, value };
  for (const key of listChildKeys(value))
    yield* walkJson(readChild(value, key), path + pointerStep(key), [...keys, key]);
}

/** Returns all scalar nodes of a value, in the order of the value. */
export function listScalars(
  value: unknown,
  path = "",
  keys: readonly JsonKey[] = [],
  nodes: JsonNode[] = [],
): JsonNode[] {
  if (isScalar(value)) nodes.push({ path, keys, value });
  for (const key of listChildKeys(value)) {
    listScalars(readChild(value, key), path + pointerStep(key), [...keys, key], nodes);
  }
  return nodes;
}

/** Returns a copy in which every scalar is replaced with the result of `change`. */
export function mapScalars(value: unknown, change: (scalar: JsonScalar, path: string) => unknown, path = ""): unknown {
  if (isScalar(value)) return change(value, path);
  if (Array.isArray(value)) return value.map((each, index) => mapScalars(each, change, `${path}/${index}`));
  if (typeof value !== "object" || value === null) return value;
  const copy = {};
  for (const key of Object.keys(value))
    setField(copy, key, mapScalars(readChild(value, key), change, path + pointerStep(key)));
  return copy;
}

/** Returns the value at the keys; undefined if a key does not exist. */
export function readAt(value: unknown, keys: readonly JsonKey[]): unknown {
  let current = value;
  for (const key of keys) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = readChild(current, key);
  }
  return current;
}

/** Returns the JSON pointer of the parent; for the root, the root itself. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** True if the path is equal to `outer` or a descendant of `outer`. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function copyWith(value: unknown, key: JsonKey, change: (copy: Record<JsonKey, unknown>) => void): unknown {
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    change(copy as unknown as Record<JsonKey, unknown>);
    // `delete` leaves a hole in a list, so the removed element is filtered out.
    return Object.hasOwn(copy, key) ? copy : copy.filter((_, index) => index !== key);
  }
  const copy = { ...(value as Record<JsonKey, unknown>) };
  change(copy);
  return copy;
}

/** Returns a copy of a value with `replacement` at the keys. */
export function replaceAt(value: unknown, keys: readonly JsonKey[], replacement: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return replacement;
  const next = rest.length === 0 ? replacement : replaceAt(readChild(value, key), rest, replacement);
  return copyWith(value, key, (copy) => setField(copy, key, next));
}

/** Sets an own field. Assigning `__proto__` with `=` would change the prototype instead. */
function setField(target: object, key: JsonKey, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Returns a copy of a value without the node at the keys. */
export function removeAt(value: unknown, keys: readonly JsonKey[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return undefined;
  if (rest.length > 0) return replaceAt(value, [key], removeAt(readChild(value, key), rest));
  return copyWith(value, key, (copy) => {
    delete copy[key];
  });
}

/** Freezes a value and all its descendants, so that any write to them throws. */
export function deepFreeze<T>(value: T): T {
  for (const key of listChildKeys(value)) deepFreeze(readChild(value, key));
  return Object.freeze(value);
}
