// The live runs of an open ledger: their leases are renewed together while their writers live, and finished runs are
// compacted along the way.
import { LedgerError } from "../errors.ts";
import type { RunRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import { compactSome } from "./compact.ts";
import { threadOf } from "./info.ts";

/** What a writer shows of itself. */
export interface LiveRun {
  /** The run as its writer knows it. */
  readonly lease: RunRow;
  renewed(leaseUntil: number): void;
  fence(): void;
  drain(): Promise<void>;
}

/** Timers take no longer delays than this. */
const LONGEST_DELAY = 2 ** 31 - 1;
/** Milliseconds from the end of one compaction along the way to the next, and how many runs one write takes. */
const COMPACT_EVERY = 5000;
const COMPACT_RUNS = 16;

export class LiveRuns {
  /** Of the first run: store, clock and lease are the same for all, whichever tenant they are of. */
  #scope: Scope | undefined;
  readonly #runs = new Set<LiveRun>();
  #timer: NodeJS.Timeout | undefined;
  #beating = false;
  #compacting: Promise<void> = Promise.resolve();
  #lastCompaction = -Infinity;
  #isClosed = false;

  add(scope: Scope, run: LiveRun): void {
    this.#scope ??= scope;
    this.#runs.add(run);
    if (this.#isClosed || this.#timer !== undefined) return;
    const delay = Math.min(Math.max(scope.leaseMs / 3, 1), LONGEST_DELAY);
    this.#timer = setInterval(() => void this.#beat(scope), delay);
    this.#timer.unref();
  }

  /** Whoever writes learns at once, not after the delay of a batch, that the ledger was closed. */
  demandOpen(): void {
    if (this.#isClosed) throw new LedgerError("closed", "The ledger was closed; open it again and resume the run.");
  }

  delete(run: LiveRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#stopTimer();
  }

  /** Renews the leases of these runs in one write; a run that has another writer by now is fenced. */
  async renew(scope: Scope, runs: readonly LiveRun[]): Promise<void> {
    const leaseUntil = scope.now() + scope.leaseMs;
    const lost = await setLeases(scope, runs, leaseUntil);
    for (const run of runs) {
      if (lost.includes(run)) run.fence();
      else run.renewed(leaseUntil);
    }
  }

  /** Gives one lease back, or lets it end by itself. */
  async release(scope: Scope, run: LiveRun): Promise<void> {
    this.delete(run);
    await setLeases(scope, [run], 0).catch(() => undefined);
  }

  /** Writes what waits, and gives the leases back: whoever comes next need not wait for them to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    const runs = [...this.#runs];
    await Promise.allSettled(runs.map((run) => run.drain()));
    if (this.#scope !== undefined && runs.length > 0) await setLeases(this.#scope, runs, 0).catch(() => undefined);
    await this.#compacting;
  }

  /** Compacts finished runs behind the caller's back, now and then. What fails is tried again another time. */
  compactSoon(scope: Scope): void {
    const now = performance.now();
    if (this.#isClosed || now - this.#lastCompaction < COMPACT_EVERY) return;
    // One at a time, however long it takes.
    this.#lastCompaction = Infinity;
    this.#compacting = this.#compactAll(scope)
      .catch(() => undefined)
      .finally(() => (this.#lastCompaction = performance.now()));
  }

  /** A few runs at a time, so that nobody waits for long; on and on while there are more, so that none are left behind. */
  async #compactAll(scope: Scope): Promise<void> {
    for (let count = COMPACT_RUNS; count === COMPACT_RUNS && !this.#isClosed;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      count = await compactSome(scope, COMPACT_RUNS);
    }
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Those that write renew their own leases, and are left alone. */
  async #beat(scope: Scope): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    const soon = scope.now() + (scope.leaseMs * 2) / 3;
    const due = [...this.#runs].filter(({ lease }) => lease.leaseUntil <= soon);
    try {
      if (due.length > 0) await this.renew(scope, due);
    } catch {
      // The lease has two more beats; whoever writes meanwhile hears of the store's trouble.
    } finally {
      this.#beating = false;
    }
  }
}

/** Sets the leases in one write, and gives the runs that have another writer by now. */
function setLeases(scope: Scope, runs: readonly LiveRun[], leaseUntil: number): Promise<LiveRun[]> {
  return scope.store.write(function* leases(tx): Steps<LiveRun[]> {
    const lost: LiveRun[] = [];
    for (const run of runs) {
      const { id, epoch } = run.lease;
      if (!(yield* got(tx.updateRun(threadOf(run.lease), id, epoch, { leaseUntil })))) lost.push(run);
    }
    return lost;
  });
}
