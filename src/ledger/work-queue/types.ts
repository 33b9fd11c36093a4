// Declares the public types of the work queue.
import type { Ledger } from "../types.ts";

/** The options of `ledger.claimWork`. */
export interface ClaimWorkOptions {
  /** The name of the worker. It is stored for information only. */
  holder: string;
  /** The thread whose work is claimed. Default: the thread with the earliest request. */
  threadId?: string | undefined;
  /**
   * The duration of the lease; the ledger renews the lease after a third of this time. Default: `leaseMs` of the
   * ledger.
   */
  leaseMs?: number | undefined;
  /** True to claim work of any tenant. Default false: only work of the ledger's tenant is claimed. */
  everyTenant?: boolean | undefined;
}
/** The lease of one worker on the requested work of a thread. */
export interface WorkLease {
  readonly threadId: string;
  readonly tenant: string;
  /** A ledger of the tenant whose work was claimed. */
  readonly ledger: Ledger;
  /**
   * Aborts when the lease is lost, because another worker may then claim the work. `release` and `complete` do not
   * abort the signal.
   */
  readonly lost: AbortSignal;
  /** Renews the lease now. Throws "fenced" if the lease is no longer valid. */
  renew(): Promise<void>;
  /** Ends the lease. The work stays requested, and another worker can claim it at once. Never rejects. */
  release(): Promise<void>;
  /**
   * Marks the work as complete. Returns false if more work was requested since the claim or the last call; the lease
   * then stays valid, and the worker must continue. Throws "fenced" if the lease is no longer valid.
   */
  complete(): Promise<boolean>;
}
