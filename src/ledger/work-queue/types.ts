// The public types of the work queue.
import type { Ledger } from "../types.ts";

/** The options of `ledger.claimWork`. */
export interface ClaimWorkOptions {
  /** The name of the worker, for people. */
  holder: string;
  /** Claims only the work of this thread. Default: the earliest request. */
  threadId?: string | undefined;
  /** Default: the ledger's. The ledger renews the lease every third of it. */
  leaseMs?: number | undefined;
  /** Claims work of any tenant. */
  everyTenant?: boolean | undefined;
}
/** The lease of one worker on the requested work of a thread. */
export interface WorkLease {
  readonly threadId: string;
  readonly tenant: string;
  /** A ledger of that tenant. */
  readonly ledger: Ledger;
  /** Aborted when the lease is lost and another worker may have the work. Not aborted by `release` and `complete`. */
  readonly lost: AbortSignal;
  /** Renews the lease now; "fenced" if another worker has it. */
  renew(): Promise<void>;
  /** Gives up the lease. The work stays requested, and another worker can claim it at once. Never rejects. */
  release(): Promise<void>;
  /**
   * Marks the work as complete. Returns false if more work was requested since the claim or the last call: the lease
   * then stays valid and there is more to do. "fenced" if another worker has the lease.
   */
  complete(): Promise<boolean>;
}
