// Renews the leases of the live runs of an open ledger together, and compacts ended runs in the background.
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import { compactRuns } from "./compact.ts";
import { toThreadKeyOfRun } from "./run-info.ts";

/** A writer whose lease `LiveRuns` renews. */
export interface LeasedRun {
  /** The run's row as its writer knows it. */
  readonly lease: RunRow;
  /** Sets the end of the renewed lease. */
  setLeaseUntil(leaseUntil: number): void;
  /** Rejects all further writes, because another writer has taken over. */
  fence(): void;
  /** Writes all accepted deltas. */
  drain(): Promise<void>;
}

/** The maximum delay of `setInterval`, in milliseconds. */
const MAX_TIMER_DELAY = 2 ** 31 - 1;
/** The minimum time between two background compactions, in milliseconds. */
const COMPACT_INTERVAL_MS = 5000;
/** The number of runs that one write compacts. */
const COMPACT_BATCH = 16;

export class LiveRuns {
  /**
   * The scope of the first run; undefined before the first run. This scope is used for all runs, because store, clock
   * and lease time are the same for all tenants.
   */
  #scope: LedgerScope | undefined;
  readonly #runs = new Set<LeasedRun>();
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  #compacting: Promise<void> = Promise.resolve();
  #lastCompaction = -Infinity;
  #isClosed = false;

  add(scope: LedgerScope, run: LeasedRun): void {
    this.#scope ??= scope;
    this.#runs.add(run);
    if (this.#isClosed || this.#timer !== undefined) return;
    const delay = Math.min(Math.max(scope.leaseMs / 3, 1), MAX_TIMER_DELAY);
    this.#timer = setInterval(() => void this.#renewDue(scope), delay);
    this.#timer.unref();
  }

  /** Throws "closed" after `close`, so that a writer does not accept deltas which cannot be written any more. */
  assertOpen(): void {
    if (this.#isClosed) throw new LedgerError("closed", "The ledger was closed; open it again and resume the run.");
  }

  delete(run: LeasedRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#stopTimer();
  }

  /**
   * Renews the leases of these runs in one write. Calls `fence` of a writer whose run was taken over by another writer.
   */
  async renew(scope: LedgerScope, runs: readonly LeasedRun[]): Promise<void> {
    const leaseUntil = scope.now() + scope.leaseMs;
    const lost = await setLeases(scope, runs, leaseUntil);
    for (const run of runs) {
      if (lost.includes(run)) run.fence();
      else run.setLeaseUntil(leaseUntil);
    }
  }

  /**
   * Ends the lease of one run, so that another writer need not wait until the lease expires. A failed write is ignored,
   * because the lease then expires.
   */
  async release(scope: LedgerScope, run: LeasedRun): Promise<void> {
    this.delete(run);
    await setLeases(scope, [run], 0).catch(() => undefined);
  }

  /** Writes all accepted deltas and ends the leases, so that other writers need not wait until the leases expire. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    const runs = [...this.#runs];
    await Promise.allSettled(runs.map((run) => run.drain()));
    if (this.#scope !== undefined && runs.length > 0) await setLeases(this.#scope, runs, 0).catch(() => undefined);
    await this.#compacting;
  }

  /**
   * Compacts finished runs in the background at most once per interval. Errors are ignored; a later call tries again.
   */
  compactSoon(scope: LedgerScope): void {
    const now = scope.timers.now();
    if (this.#isClosed || now - this.#lastCompaction < COMPACT_INTERVAL_MS) return;
    // Infinity prevents a second compaction while this one is under way.
    this.#lastCompaction = Infinity;
    this.#compacting = this.#compactAll(scope)
      .catch(() => undefined)
      .finally(() => (this.#lastCompaction = scope.timers.now()));
  }

  /** Compacts all runs that ended long enough ago, in small batches, so that other work is not delayed. */
  async #compactAll(scope: LedgerScope): Promise<void> {
    for (let count = COMPACT_BATCH; count === COMPACT_BATCH && !this.#isClosed;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      count = await compactRuns(scope, COMPACT_BATCH);
    }
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Renews the leases of which at least a third has passed. A lease whose writer writes deltas is seldom due, because
   * each write of deltas renews the lease.
   */
  async #renewDue(scope: LedgerScope): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const soon = scope.now() + (scope.leaseMs * 2) / 3;
    const due = [...this.#runs].filter(({ lease }) => lease.leaseUntil <= soon);
    try {
      if (due.length > 0) await this.renew(scope, due);
    } catch {
      // The error is ignored: two more renewals are tried before the lease expires. Meanwhile, writers receive the
      // store's errors.
    } finally {
      this.#isRenewing = false;
    }
  }
}

/** Sets the end of the leases in one write, and returns the runs that another writer has taken over. */
function setLeases(scope: LedgerScope, runs: readonly LeasedRun[], leaseUntil: number): Promise<LeasedRun[]> {
  return scope.store.write(function* leases(tx): Steps<LeasedRun[]> {
    const lost: LeasedRun[] = [];
    for (const run of runs) {
      const { id, epoch } = run.lease;
      if (!(yield* wait(tx.updateRun(toThreadKeyOfRun(run.lease), id, epoch, { leaseUntil })))) lost.push(run);
    }
    return lost;
  });
}
