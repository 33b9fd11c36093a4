// Work in the hands of one holder: its lease, renewed while it is held, and how it ends. A holder that was silent for too
// long finds its lease gone, and is fenced off.
import { LedgerError } from "../errors.ts";
import type { WorkRow } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import type { Ledger, WorkLease } from "../types.ts";

/** Work that somebody took: a row with a lease. */
export interface TakenWork extends WorkRow {
  leaseId: string;
}

/** Leases by the handles that have them: a handle of another making has none. */
const leases = new WeakMap<WorkLease, string>();

export class HeldWork implements WorkLease {
  readonly threadId: string;
  readonly tenant: string;
  readonly ledger: Ledger;
  readonly #scope: Scope;
  readonly #key: ThreadKey;
  readonly #leaseId: string;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  readonly #over: (work: HeldWork) => void;
  #leaseUntil: number;
  /** Renewals that the store has not answered yet. */
  #renewing = 0;
  /** How often it was wanted, as of the last look. */
  #wants: number;
  #isOver = false;

  /** `over` is called once it is held no longer. */
  constructor(scope: Scope, row: TakenWork, leaseMs: number, ledger: Ledger, over: (work: HeldWork) => void) {
    this.threadId = row.threadId;
    this.tenant = row.tenant;
    this.ledger = ledger;
    this.#scope = scope;
    this.#key = { tenant: row.tenant, threadId: row.threadId };
    this.#leaseId = row.leaseId;
    this.#leaseMs = leaseMs;
    this.#leaseUntil = row.leaseUntil;
    this.#wants = row.wants;
    this.#over = over;
    leases.set(this, row.leaseId);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async renew(): Promise<void> {
    this.#demandHeld();
    const leaseUntil = this.#scope.now() + this.#leaseMs;
    this.#renewing++;
    try {
      const { store } = this.#scope;
      const isOurs = await store.write((tx) => got(tx.updateWork(this.#key, this.#leaseId, { leaseUntil })));
      if (!isOurs) this.#lose();
    } finally {
      this.#renewing--;
    }
    this.#demandHeld();
    this.#leaseUntil = leaseUntil;
  }

  async release(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    const free = { holder: null, leaseId: null, leaseUntil: 0, wantedAt: this.#scope.now() };
    const { store } = this.#scope;
    // Where it cannot be written, the lease ends by itself.
    await store.write((tx) => got(tx.updateWork(this.#key, this.#leaseId, free))).catch(() => undefined);
  }

  async done(): Promise<boolean> {
    this.#demandHeld();
    const leaseUntil = this.#scope.now() + this.#leaseMs;
    const row = await this.#scope.store.write((tx) => finish(tx, this.#key, this.#leaseId, this.#wants, leaseUntil));
    if (row === "done") {
      this.#end();
      return true;
    }
    if (row === undefined) this.#lose();
    else [this.#wants, this.#leaseUntil] = [row.wants, leaseUntil];
    this.#demandHeld();
    return false;
  }

  /** Renews the lease if that is due. What goes wrong is tried again, until the time is over. */
  async beat(): Promise<void> {
    if (this.#isOver || this.#leaseUntil > this.#scope.now() + (this.#leaseMs * 2) / 3) return;
    // One that waits for the store for too long must not believe that nobody else came.
    if (this.#renewing > 0) return this.#loseInTime();
    await this.renew().catch(() => this.#loseInTime());
  }

  #loseInTime(): void {
    if (this.#scope.now() >= this.#leaseUntil) this.#lose();
  }

  #end(): void {
    this.#isOver = true;
    leases.delete(this);
    this.#over(this);
  }

  #lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#lost.abort(fencedWork(this.threadId));
  }

  #demandHeld(): void {
    if (this.#isOver) throw fencedWork(this.threadId);
  }
}

/** "done" where no more is wanted; else the row as it is, or nothing where it is somebody else's. */
function* finish(
  tx: LedgerTransaction,
  key: ThreadKey,
  leaseId: string,
  wants: number,
  leaseUntil: number,
): Steps<"done" | WorkRow | undefined> {
  if (yield* got(tx.deleteWork(key, leaseId, wants))) return "done";
  if (!(yield* got(tx.updateWork(key, leaseId, { leaseUntil })))) return undefined;
  return yield* got(tx.work(key));
}

function fencedWork(threadId: string): LedgerError {
  const message = `The work on thread ${threadId} is not held any more: it was let go, done, or taken by somebody else.`;
  return new LedgerError("fenced", message, { path: "holding" });
}

/** Refuses a write of whoever does not hold the work of the thread, which is locked. */
export function* demandHeld(tx: LedgerTransaction, key: ThreadKey, work: WorkLease): Steps<void> {
  const leaseId = leases.get(work);
  const row = leaseId === undefined ? undefined : yield* got(tx.work(key));
  if (row === undefined || row.leaseId !== leaseId) throw fencedWork(key.threadId);
}
