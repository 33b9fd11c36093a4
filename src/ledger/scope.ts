// The scope of a ledger's operations: the store, the tenant and the settings that every operation receives. (A thread's
// `scope` is something else: a user or token within the tenant.)
import type { LedgerProblem, LedgerTimers } from "./types.ts";
import type { LedgerStore } from "./store/contract.ts";

/** A problem report; without a tenant, it concerns the tenant of the scope. */
export type ReportedProblem = Omit<LedgerProblem, "tenant"> & Partial<Pick<LedgerProblem, "tenant">>;

/** The store, tenant, clock and settings that every operation of a ledger receives. */
export interface LedgerScope {
  readonly store: LedgerStore;
  readonly tenant: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timers: LedgerTimers;
  /** Returns the next id of a thread, larger than `last`; "" if the thread has none yet. */
  readonly nextId: (last: string) => string;
  readonly leaseMs: number;
  readonly flushMs: number;
  readonly deltaRetentionMs: number;
  readonly blobThreshold: number;
  /** Called after messages were written and are durable. */
  readonly onMessagesWritten: () => void;
  /** Reports an unreadable record. */
  readonly report: (problem: ReportedProblem) => void;
}

/** Returns the scope of another tenant on the same store. */
export function scopeForTenant(scope: LedgerScope, tenant: string): LedgerScope {
  if (tenant === scope.tenant) return scope;
  return { ...scope, tenant, report: (problem) => scope.report({ tenant, ...problem }) };
}
