// Idempotency keys: the same key with the same request attaches to what came of it, with another one conflicts (B95).
import { hash } from "node:crypto";
import { parseJson, stringifyJson } from "../model/json.ts";
import type { JsonValue } from "../model/json.ts";
import { exactText } from "../model/json-exact.ts";
import { LedgerError } from "./errors.ts";
import type { Scope } from "./scope.ts";
import { got, type Steps } from "./steps.ts";
import type { LedgerTransaction, ThreadKey } from "./store.ts";

/** What came of the request that used the key before, as `remember` was given it; undefined where none did. */
export function* attach(
  tx: LedgerTransaction,
  key: ThreadKey,
  name: string,
  requested: string,
): Steps<JsonValue | undefined> {
  const row = yield* got(tx.idempotencyKey(key, name));
  if (row === undefined) return undefined;
  if (row.hash !== requested) {
    throw new LedgerError(
      "conflict",
      `The idempotency key "${name}" was used for another request in this thread; take a new key.`,
      { path: "idempotencyKey" },
    );
  }
  return parseJson(row.result);
}

/** Keeps what came of a request under its key. */
export function* remember(
  scope: Scope,
  tx: LedgerTransaction,
  key: ThreadKey,
  name: string,
  requested: string,
  result: JsonValue,
): Steps<void> {
  const { tenant, threadId } = key;
  const row = { tenant, threadId, key: name, hash: requested, result: stringifyJson(result), createdAt: scope.now() };
  yield* got(tx.insertKey(row));
}

/** Tells requests apart: equal for equal JSON, whatever the order of its keys. */
export function requestHash(request: unknown): string {
  return hash("sha256", canonical({ request }, "request"), "base64url");
}

/** The member as JSON with sorted keys and exact digits; members without a JSON form are left out, as JSON does. */
function canonical(container: object, key: string): string {
  // An object of unknown shape is read as a record.
  const value = (container as Record<string, unknown>)[key];
  if (typeof value === "number") return exactText(container, key, value) ?? JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((_, index) => canonical(value, String(index))).join()}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name]) => `${JSON.stringify(name)}:${canonical(value, name)}`).join()}}`;
}
