// Stores and finds the aliases of runs: the ids by which clients refer to the answers of runs. An alias belongs to the
// run that received it last. If runs of several threads received the same alias, a second alias with the name of
// `toSharedAliasName` records this.
import { requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import type { RunInfo } from "../types.ts";
import { toRunInfo } from "./run-info.ts";

const MAX_ALIASES = 1000;

/**
 * Returns the name of the second alias, which `putAliases` stores if runs of several threads received the alias `name`.
 */
export function toSharedAliasName(name: string): string {
  return `${name} (several)`;
}

/** Returns the given aliases as a list. Throws "invalid-input" if one of them is invalid or there are too many. */
export function requireAliases(alias: unknown): readonly string[] {
  if (alias === undefined) return [];
  if (!Array.isArray(alias)) return [requireName(alias, "alias")];
  if (alias.length > MAX_ALIASES) {
    throw new LedgerError("invalid-input", `A run can have at most ${MAX_ALIASES} aliases.`, { path: "alias" });
  }
  return alias.map((name) => requireName(name, "alias"));
}

export function* putAliases(
  tx: LedgerTransaction,
  { tenant, threadId, id: runId }: RunRow,
  names: readonly string[],
): Steps<void> {
  for (const name of names) {
    const alias = { tenant, name, threadId, runId };
    const owner = yield* wait(tx.claimAlias(alias));
    if (owner.runId === runId) continue;
    yield* wait(tx.putAlias(alias));
    if (owner.threadId !== threadId) yield* wait(tx.putAlias({ ...alias, name: toSharedAliasName(name) }));
  }
}

/**
 * Gives a run an alias that only one run at a time may have. Throws "conflict" if the alias belongs to another run,
 * unless that run has failed or was cancelled.
 */
export function* claimExclusiveAlias(tx: LedgerTransaction, row: RunRow, name: string): Steps<void> {
  const { tenant, threadId, id: runId } = row;
  const alias = { tenant, name, threadId, runId };
  const owner = yield* wait(tx.claimAlias(alias));
  if (owner.runId === runId) return;
  const other = yield* wait(tx.run(tenant, owner.runId));
  if (other !== undefined && other.state !== "failed" && other.state !== "cancelled") {
    const message = `Run ${other.id} has the alias "${name}" and is ${other.state}; wait for it, or use its result.`;
    throw new LedgerError("conflict", message, { path: "claim" });
  }
  yield* wait(tx.putAlias(alias));
}

export async function findRunByAlias(scope: LedgerScope, name: string): Promise<RunInfo | undefined> {
  const { reads } = scope.store;
  const alias = await reads.alias(scope.tenant, requireName(name, "name"));
  const row = alias === undefined ? undefined : await reads.run(scope.tenant, alias.runId);
  return row && toRunInfo(row, scope.report);
}

export async function deleteAlias(scope: LedgerScope, name: string): Promise<boolean> {
  const checked = requireName(name, "name");
  return scope.store.write((tx) => wait(tx.deleteAlias(scope.tenant, checked)));
}
