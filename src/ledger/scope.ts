// Defines the scope of a ledger's operations: the store, the tenant and the settings that every operation receives. The
// field `scope` of a thread has a different meaning: a user or token within the tenant.
import type { LedgerProblem, LedgerTimers } from "./types.ts";
import type { LedgerStore } from "./store/contract.ts";

/** A problem to report. The default of `tenant` is the tenant of the scope. */
export type ReportedProblem = Omit<LedgerProblem, "tenant"> & Partial<Pick<LedgerProblem, "tenant">>;

/** The store, tenant, clock and settings that every operation of a ledger receives. */
export interface LedgerScope {
  readonly store: LedgerStore;
  readonly tenant: string;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  readonly timers: LedgerTimers;
  /**
   * Returns an id that is larger than `last`, the largest id of a thread; `last` is "" if the thread has no ids yet.
   */
  readonly nextId: (last: string) => string;
  readonly leaseMs: number;
  readonly flushMs: number;
  readonly deltaRetentionMs: number;
  readonly blobThreshold: number;
  /** Called after messages were written durably. */
  readonly onMessagesWritten: () => void;
  /** Reports an unreadable record. */
  readonly report: (problem: ReportedProblem) => void;
}

/** Returns the scope of the given tenant on the same store. */
export function scopeForTenant(scope: LedgerScope, tenant: string): LedgerScope {
  if (tenant === scope.tenant) return scope;
  return { ...scope, tenant, report: (problem) => scope.report({ tenant, ...problem }) };
}
