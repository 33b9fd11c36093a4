// Stores and finds the results of requests by idempotency key. A repeated request with the same key returns the result
// of the first request; a different request with the same key is a conflict (B95).
import { hash } from "node:crypto";
import { parseJson, stringifyJson } from "../model/json/index.ts";
import type { JsonValue } from "../model/json/index.ts";
import { findExactText } from "../model/json/exact-numbers.ts";
import { LedgerError } from "./errors.ts";
import type { LedgerScope } from "./scope.ts";
import { wait, type Steps } from "./store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "./store/contract.ts";

/**
 * Returns the result that `storeKeyResult` stored for this key; undefined if the key is new. Throws "conflict" if the
 * key was used for a different request.
 */
export function* findKeyResult(
  tx: LedgerTransaction,
  key: ThreadKey,
  name: string,
  requested: string,
): Steps<JsonValue | undefined> {
  const row = yield* wait(tx.idempotencyKey(key, name));
  if (row === undefined) return undefined;
  if (row.hash !== requested) {
    throw new LedgerError(
      "conflict",
      `The idempotency key "${name}" was used for another request in this thread; use a new key.`,
      { path: "idempotencyKey" },
    );
  }
  return parseJson(row.result);
}

/** Stores the result of a request under its idempotency key. */
export function* storeKeyResult(
  scope: LedgerScope,
  tx: LedgerTransaction,
  key: ThreadKey,
  name: string,
  requested: string,
  result: JsonValue,
): Steps<void> {
  const { tenant, threadId } = key;
  const row = { tenant, threadId, key: name, hash: requested, result: stringifyJson(result), createdAt: scope.now() };
  yield* wait(tx.insertKey(row));
}

/** Hashes a request. Requests with equal JSON have equal hashes, regardless of the order of object keys. */
export function hashRequest(request: unknown): string {
  return hash("sha256", toCanonicalJson({ request }, "request"), "base64url");
}

/**
 * Returns the value of `key` in the container as JSON, with sorted object keys and the exact digits of numbers.
 * Undefined fields of objects are omitted.
 */
function toCanonicalJson(container: object, key: string): string {
  // The cast allows access by key to an object of unknown shape.
  const value = (container as Record<string, unknown>)[key];
  if (typeof value === "number") return findExactText(container, key, value) ?? JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((_, index) => toCanonicalJson(value, String(index))).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name]) => `${JSON.stringify(name)}:${toCanonicalJson(value, name)}`).join()}}`;
}
