// Creates the aliases by which runs are found: from response ids, item ids and idempotency keys. An alias is a hash of
// scope and id, because providers and clients choose ids freely and an id is valid only within its scope.
import { hash } from "node:crypto";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { toSharedAliasName } from "../../ledger/runs/aliases.ts";
import type { Caller } from "../types.ts";

type AliasKind = "response" | "item" | "items" | "key";

/**
 * Returns the alias of an id in the caller's scope. The alias contains a hash, so that every store accepts its length.
 */
export function createAlias(kind: AliasKind, { scope }: Pick<Caller, "scope">, id: string): string {
  return `${kind}:${hash("sha256", JSON.stringify([scope, id]), "base64url").slice(0, 32)}`;
}

/** Returns the run alias of a response id. */
export function responseAlias(caller: Pick<Caller, "scope">, responseId: string): string {
  return createAlias("response", caller, responseId);
}

/** Returns the run with an alias; "several" if runs of different threads have the alias; undefined if no run has it. */
export async function findRunByAlias(ledger: Ledger, name: string): Promise<RunInfo | "several" | undefined> {
  const run = await ledger.runByAlias(name);
  if (run === undefined) return undefined;
  return (await ledger.runByAlias(toSharedAliasName(name))) === undefined ? run : "several";
}
