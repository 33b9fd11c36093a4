// Other names of runs: the ids by which clients know their answers. A name belongs to the run that was given it last; that
// a run of another thread had it before is noted.
import { checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import type { RunInfo } from "../types.ts";
import { infoOf } from "./info.ts";

const MOST_NAMES = 1000;

/** The name that is there, too, where runs of several threads were given the name. */
export function severalOf(name: string): string {
  return `${name} (several)`;
}

/** The names that a caller gives, one or several. */
export function checkAliases(alias: unknown): readonly string[] {
  if (alias === undefined) return [];
  if (!Array.isArray(alias)) return [checkName(alias, "alias")];
  if (alias.length > MOST_NAMES) {
    throw new LedgerError("invalid-input", `A run has at most ${MOST_NAMES} names.`, { path: "alias" });
  }
  return alias.map((name) => checkName(name, "alias"));
}

export function* putAliases(
  tx: LedgerTransaction,
  { tenant, threadId, id: runId }: RunRow,
  names: readonly string[],
): Steps<void> {
  for (const name of names) {
    const alias = { tenant, name, threadId, runId };
    const holder = yield* got(tx.claimAlias(alias));
    if (holder.runId === runId) continue;
    yield* got(tx.putAlias(alias));
    if (holder.threadId !== threadId) yield* got(tx.putAlias({ ...alias, name: severalOf(name) }));
  }
}

/** Takes a name that one run at a time may have. */
export function* claimName(tx: LedgerTransaction, row: RunRow, name: string): Steps<void> {
  const { tenant, threadId, id: runId } = row;
  const alias = { tenant, name, threadId, runId };
  const holder = yield* got(tx.claimAlias(alias));
  if (holder.runId === runId) return;
  const other = yield* got(tx.run(tenant, holder.runId));
  if (other !== undefined && other.state !== "failed" && other.state !== "cancelled") {
    const message = `Run ${other.id} has the name "${name}" and is ${other.state}; wait for it, or take what it came to.`;
    throw new LedgerError("conflict", message, { path: "claim" });
  }
  yield* got(tx.putAlias(alias));
}

export async function runByAlias(scope: Scope, name: string): Promise<RunInfo | undefined> {
  const { reads } = scope.store;
  const alias = await reads.alias(scope.tenant, checkName(name, "name"));
  const row = alias === undefined ? undefined : await reads.run(scope.tenant, alias.runId);
  return row && infoOf(row, scope.report);
}

export async function dropAlias(scope: Scope, name: string): Promise<boolean> {
  const checked = checkName(name, "name");
  return scope.store.write((tx) => got(tx.deleteAlias(scope.tenant, checked)));
}
