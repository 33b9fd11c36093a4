// Claims requested work: the earliest request, or the work of one thread. The ledger renews the lease until the work is
// completed or released, or until the ledger closes.
import { isObject } from "../../model/value-kind.ts";
import { requireCount, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { WorkRow } from "../store/rows.ts";
import { type LedgerScope, scopeForTenant } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction } from "../store/contract.ts";
import { toThreadKey } from "../threads/threads.ts";
import type { Ledger, ClaimWorkOptions, WorkLease } from "../types.ts";
import { StoreWorkLease, type ClaimedWorkRow } from "./work-lease.ts";

/** The number of requests that one claim tries, because other workers may claim the first requests at the same time. */
const CANDIDATES = 8;
/** The maximum delay of `setInterval`, in milliseconds. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;

/** Claims work for an open ledger, and renews the leases. */
export class WorkLeases {
  readonly #leases = new Set<StoreWorkLease>();
  readonly #timers = new Map<StoreWorkLease, NodeJS.Timeout>();

  /** Claims work and returns its lease; undefined if there is no work without a valid lease. */
  async claim(
    scope: LedgerScope,
    options: ClaimWorkOptions,
    ledgerForTenant: (tenant: string) => Ledger,
  ): Promise<WorkLease | undefined> {
    const { holder, leaseMs } = requireClaimOptions(scope, options);
    for (const row of await findOpenWork(scope, options)) {
      const tenantScope = scopeForTenant(scope, row.tenant);
      const claimed = await scope.store.write((tx) => claimRow(tenantScope, tx, row, holder, leaseMs));
      if (claimed !== undefined) return this.#startLease(tenantScope, claimed, leaseMs, ledgerForTenant(row.tenant));
    }
    return undefined;
  }

  /** Releases all leases, so that other workers need not wait for them to expire. */
  async close(): Promise<void> {
    await Promise.all([...this.#leases].map((lease) => lease.release()));
  }

  #startLease(scope: LedgerScope, row: ClaimedWorkRow, leaseMs: number, ledger: Ledger): WorkLease {
    const lease = new StoreWorkLease(scope, row, leaseMs, ledger, (ended) => {
      this.#leases.delete(ended);
      clearInterval(this.#timers.get(ended));
      this.#timers.delete(ended);
    });
    this.#leases.add(lease);
    const delay = Math.min(Math.max(leaseMs / 3, 1), MAX_TIMER_DELAY);
    this.#timers.set(lease, setInterval(() => void lease.renewIfDue(), delay).unref());
    return lease;
  }
}

function requireClaimOptions(scope: LedgerScope, options: ClaimWorkOptions): { holder: string; leaseMs: number } {
  if (!isObject(options)) throw new LedgerError("invalid-input", "claimWork needs { holder }, the name of the worker.");
  const { holder, leaseMs = scope.leaseMs } = options as ClaimWorkOptions;
  return { holder: requireName(holder, "holder"), leaseMs: requireCount(leaseMs, "leaseMs", 1) };
}

async function findOpenWork(scope: LedgerScope, { threadId, everyTenant }: ClaimWorkOptions): Promise<WorkRow[]> {
  const { reads } = scope.store;
  if (threadId === undefined) {
    return reads.openWork(scope.now(), CANDIDATES, everyTenant === true ? undefined : scope.tenant);
  }
  const row = await reads.work(toThreadKey(scope, threadId));
  return row === undefined || row.leaseUntil >= scope.now() ? [] : [row];
}

/**
 * Claims one request; returns undefined if another worker was faster. The thread is locked, so that a write of the
 * former worker either precedes the claim or is rejected.
 */
function* claimRow(
  scope: LedgerScope,
  tx: LedgerTransaction,
  seen: WorkRow,
  holder: string,
  leaseMs: number,
): Steps<ClaimedWorkRow | undefined> {
  const key = { tenant: seen.tenant, threadId: seen.threadId };
  if ((yield* wait(tx.lockThread(key))) === undefined) return undefined;
  const row = yield* wait(tx.work(key));
  if (row === undefined || row.leaseUntil >= scope.now()) return undefined;
  const lease = { holder, leaseId: scope.nextId(""), leaseUntil: scope.now() + leaseMs };
  const isClaimed = yield* wait(tx.updateWork(key, row.leaseId, lease));
  return isClaimed ? { ...row, ...lease } : undefined;
}
