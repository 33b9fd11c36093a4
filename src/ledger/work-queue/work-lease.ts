// Implements the lease of one worker on the requested work of a thread. A worker that does not renew in time loses the
// lease, and its later writes are rejected.
import { LedgerError } from "../errors.ts";
import type { WorkRow } from "../store/rows.ts";
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import type { Ledger, WorkLease } from "../types.ts";

/** A work row that has a lease. */
export interface ClaimedWorkRow extends WorkRow {
  leaseId: string;
}

/**
 * The `leaseId` of each lease object that this process created and that has not ended. `assertLeased` rejects an object
 * without an entry.
 */
const leaseIds = new WeakMap<WorkLease, string>();

export class StoreWorkLease implements WorkLease {
  readonly threadId: string;
  readonly tenant: string;
  readonly ledger: Ledger;
  readonly #scope: LedgerScope;
  readonly #key: ThreadKey;
  readonly #leaseId: string;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #onEnd: (work: StoreWorkLease) => void;
  #leaseUntil: number;
  /** The number of pending renewals. */
  #renewing = 0;
  /**
   * The number of requests for work (`wants`) when the row was last read. A larger number in the store means that more
   * work was requested.
   */
  #wants: number;
  #hasEnded = false;

  /** `onEnd` is called when the lease was released, completed or lost. */
  constructor(
    scope: LedgerScope,
    row: ClaimedWorkRow,
    leaseMs: number,
    ledger: Ledger,
    onEnd: (lease: StoreWorkLease) => void,
  ) {
    this.threadId = row.threadId;
    this.tenant = row.tenant;
    this.ledger = ledger;
    this.#scope = scope;
    this.#key = { tenant: row.tenant, threadId: row.threadId };
    this.#leaseId = row.leaseId;
    this.#leaseMs = leaseMs;
    this.#leaseUntil = row.leaseUntil;
    this.#wants = row.wants;
    this.#onEnd = onEnd;
    leaseIds.set(this, row.leaseId);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async renew(): Promise<void> {
    this.#assertValid();
    const leaseUntil = this.#scope.now() + this.#leaseMs;
    this.#renewing++;
    try {
      const { store } = this.#scope;
      const isRenewed = await store.write((tx) => wait(tx.updateWork(this.#key, this.#leaseId, { leaseUntil })));
      if (!isRenewed) this.#lose();
    } finally {
      this.#renewing--;
    }
    this.#assertValid();
    this.#leaseUntil = leaseUntil;
  }

  async release(): Promise<void> {
    if (this.#hasEnded) return;
    this.#end();
    const released = { holder: null, leaseId: null, leaseUntil: 0, wantedAt: this.#scope.now() };
    const { store } = this.#scope;
    // If the write fails, other workers can claim the work when the lease has expired.
    await store.write((tx) => wait(tx.updateWork(this.#key, this.#leaseId, released))).catch(() => undefined);
  }

  async complete(): Promise<boolean> {
    this.#assertValid();
    const leaseUntil = this.#scope.now() + this.#leaseMs;
    const row = await this.#scope.store.write((tx) =>
      completeWork(tx, this.#key, this.#leaseId, this.#wants, leaseUntil),
    );
    if (row === "done") {
      this.#end();
      return true;
    }
    if (row === undefined) this.#lose();
    else [this.#wants, this.#leaseUntil] = [row.wants, leaseUntil];
    this.#assertValid();
    return false;
  }

  /**
   * Renews the lease if a third of its duration has passed. If the renewal fails, the next calls try again until the
   * lease expires.
   */
  async renewIfDue(): Promise<void> {
    if (this.#hasEnded || this.#leaseUntil > this.#scope.now() + (this.#leaseMs * 2) / 3) return;
    // An earlier renewal may wait for the store until the lease expires; the lease then counts as lost.
    if (this.#renewing > 0) return this.#loseIfExpired();
    await this.renew().catch(() => this.#loseIfExpired());
  }

  #loseIfExpired(): void {
    if (this.#scope.now() >= this.#leaseUntil) this.#lose();
  }

  #end(): void {
    this.#hasEnded = true;
    leaseIds.delete(this);
    this.#onEnd(this);
  }

  #lose(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#lost.abort(createLostLeaseError(this.threadId));
  }

  #assertValid(): void {
    if (this.#hasEnded) throw createLostLeaseError(this.threadId);
  }
}

/**
 * Deletes the work row and returns "done" if no work was requested since `wants` was read. Otherwise renews the lease
 * and returns the work row; returns undefined if another worker has the lease.
 */
function* completeWork(
  tx: LedgerTransaction,
  key: ThreadKey,
  leaseId: string,
  wants: number,
  leaseUntil: number,
): Steps<"done" | WorkRow | undefined> {
  if (yield* wait(tx.deleteWork(key, leaseId, wants))) return "done";
  if (!(yield* wait(tx.updateWork(key, leaseId, { leaseUntil })))) return undefined;
  return yield* wait(tx.work(key));
}

function createLostLeaseError(threadId: string): LedgerError {
  const message = `The work on thread ${threadId} has no valid lease: it was released, completed, or claimed by another worker.`;
  return new LedgerError("fenced", message, { path: "workLease" });
}

/** Throws "fenced" if the lease is not valid. The transaction must have locked the thread. */
export function* assertLeased(tx: LedgerTransaction, key: ThreadKey, lease: WorkLease): Steps<void> {
  const leaseId = leaseIds.get(lease);
  const row = leaseId === undefined ? undefined : yield* wait(tx.work(key));
  if (row === undefined || row.leaseId !== leaseId) throw createLostLeaseError(key.threadId);
}
