// What every operation of a ledger is given: the store, whose records it is about, and the effects, passed in.
import type { LedgerProblem } from "./types.ts";
import type { LedgerStore } from "./store.ts";

/** A problem as it is found: whose it is, the scope knows. */
export type Finding = Omit<LedgerProblem, "tenant"> & Partial<Pick<LedgerProblem, "tenant">>;

export interface Scope {
  readonly store: LedgerStore;
  readonly tenant: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The next id of a thread: larger than `last`, which is "" before the first. */
  readonly nextId: (last: string) => string;
  readonly leaseMs: number;
  readonly flushMs: number;
  readonly deltaRetentionMs: number;
  readonly blobThreshold: number;
  /** Messages were written, and are durable. */
  readonly wrote: () => void;
  /** Of the scope's own tenant where none is named. */
  readonly report: (problem: Finding) => void;
}

/** The same store, for another tenant. */
export function scopeFor(scope: Scope, tenant: string): Scope {
  if (tenant === scope.tenant) return scope;
  return { ...scope, tenant, report: (problem) => scope.report({ tenant, ...problem }) };
}
