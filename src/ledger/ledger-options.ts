// Declares the options of a ledger, and the problems that a ledger reports.
import type { Clock } from "../assembly/index.ts";

/** The options of `openLedger` and `createLedger`. */
export interface LedgerOptions {
  /** The tenant whose data the ledger reads and writes. Default "default". */
  tenant?: string | undefined;
  clock?: Clock | undefined;
  /** The timers for `flushMs` and for compaction. Default: the timers of the process; tests can replace them. */
  timers?: LedgerTimers | undefined;
  /**
   * The duration of the lease on a run. A writer that has not renewed its lease for this time counts as dead, and its
   * run as abandoned. Writers renew their leases after a third of this time. Default 30 s.
   */
  leaseMs?: number | undefined;
  /**
   * The durability of a commit. SQLite: "full" (default) survives a power failure; "normal" survives `kill -9` but may
   * lose the last commits before a power failure. Postgres: with "full" a commit waits for the server's disk even if
   * `synchronous_commit` is "off"; "normal" uses the server's setting. A server setting that also waits for standbys is
   * never weakened.
   */
  sync?: "full" | "normal" | undefined;
  /**
   * The number of characters above which a string of a message is stored as a blob, once per content. Default 32,768.
   */
  blobThreshold?: number | undefined;
  /** The maximum time to wait for a lock of another process. Default 10 s. */
  busyMs?: number | undefined;
  /** The maximum time that deltas wait before they are written together in a batch. Default 10 ms. */
  flushMs?: number | undefined;
  /**
   * The time between the last write and the indexing of new messages for search. Default 1 s. With false, messages are
   * indexed only before a search.
   */
  indexMs?: number | false | undefined;
  /** The time after the end of a run during which its deltas can still be followed. Default 60 s. */
  deltaRetentionMs?: number | undefined;
  /** The Postgres schema that contains the tables. Default "koine". */
  schema?: string | undefined;
  /** The maximum number of Postgres connections. Default 10. */
  connections?: number | undefined;
  /**
   * True to open the database without changing it. If tables are missing or older, opening fails with "schema-too-old".
   * Default false.
   */
  readOnly?: boolean | undefined;
  /** Called for each record that could not be read. Default: emits a process warning. */
  onProblem?: ((problem: LedgerProblem) => void) | undefined;
}

/** A monotonic clock and timers that use it. */
export interface LedgerTimers {
  now(): number;
  /** Calls `callback` once after `ms` milliseconds. Returns a function that cancels the timer. */
  after(callback: () => void, ms: number): () => void;
}

/** A record that could not be read; the rest of its thread is readable. */
export interface LedgerProblem {
  tenant: string;
  threadId: string;
  messageId: string;
  reason: string;
}
