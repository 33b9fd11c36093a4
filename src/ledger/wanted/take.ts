// Takes work: what was wanted first, or what is wanted on one thread. Whoever takes it holds a lease, which the ledger renews
// until the work is done, let go, or the ledger closes.
import { isObject } from "../../model/kind.ts";
import { checkCount, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { WorkRow } from "../rows.ts";
import { type Scope, scopeFor } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction } from "../store.ts";
import { threadKey } from "../threads.ts";
import type { Ledger, ClaimWorkOptions, WorkLease } from "../types.ts";
import { HeldWork, type TakenWork } from "./held.ts";

/** Work that is looked at at a time: others may be faster with the first of it. */
const LOOKED_AT = 8;
/** Timers take no longer delays than this. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The work that an open ledger holds. */
export class WorkInHand {
  readonly #held = new Set<HeldWork>();
  readonly #timers = new Map<HeldWork, NodeJS.Timeout>();

  /** Undefined where there is none that nobody holds. */
  async take(
    scope: Scope,
    options: ClaimWorkOptions,
    ledgerOf: (tenant: string) => Ledger,
  ): Promise<WorkLease | undefined> {
    const { holder, leaseMs } = checkOptions(scope, options);
    for (const row of await openRows(scope, options)) {
      const own = scopeFor(scope, row.tenant);
      const taken = await scope.store.write((tx) => takeRow(own, tx, row, holder, leaseMs));
      if (taken !== undefined) return this.#hold(own, taken, leaseMs, ledgerOf(row.tenant));
    }
    return undefined;
  }

  /** Lets go of all of it: whoever comes next need not wait for the leases to end. */
  async close(): Promise<void> {
    await Promise.all([...this.#held].map((work) => work.release()));
  }

  #hold(scope: Scope, row: TakenWork, leaseMs: number, ledger: Ledger): WorkLease {
    const work = new HeldWork(scope, row, leaseMs, ledger, (over) => {
      this.#held.delete(over);
      clearInterval(this.#timers.get(over));
      this.#timers.delete(over);
    });
    this.#held.add(work);
    const delay = Math.min(Math.max(leaseMs / 3, 1), LONGEST_DELAY);
    this.#timers.set(work, setInterval(() => void work.beat(), delay).unref());
    return work;
  }
}

function checkOptions(scope: Scope, options: ClaimWorkOptions): { holder: string; leaseMs: number } {
  if (!isObject(options)) throw new LedgerError("invalid-input", "Say who takes the work: { holder }.");
  const { holder, leaseMs = scope.leaseMs } = options as ClaimWorkOptions;
  return { holder: checkName(holder, "holder"), leaseMs: checkCount(leaseMs, "leaseMs", 1) };
}

async function openRows(scope: Scope, { threadId, everyTenant }: ClaimWorkOptions): Promise<WorkRow[]> {
  const { reads } = scope.store;
  if (threadId === undefined) {
    return reads.openWork(scope.now(), LOOKED_AT, everyTenant === true ? undefined : scope.tenant);
  }
  const row = await reads.work(threadKey(scope, threadId));
  return row === undefined || row.leaseUntil >= scope.now() ? [] : [row];
}

/** Undefined where somebody else was faster. The thread is locked: what its former holder writes comes before or is refused. */
function* takeRow(
  scope: Scope,
  tx: LedgerTransaction,
  seen: WorkRow,
  holder: string,
  leaseMs: number,
): Steps<TakenWork | undefined> {
  const key = { tenant: seen.tenant, threadId: seen.threadId };
  if ((yield* got(tx.lockThread(key))) === undefined) return undefined;
  const row = yield* got(tx.work(key));
  if (row === undefined || row.leaseUntil >= scope.now()) return undefined;
  const lease = { holder, leaseId: scope.nextId(""), leaseUntil: scope.now() + leaseMs };
  const isTaken = yield* got(tx.updateWork(key, row.leaseId, lease));
  return isTaken ? { ...row, ...lease } : undefined;
}
