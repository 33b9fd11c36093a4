// Exports the API of the entry point `koine/ledger`: durable, branching transcripts, their runs and their events.
// Authors of stores use `koine/ledger/store`.
export { assertStorableMessages } from "./check-arguments.ts";
export type { LedgerErrorCode, LedgerErrorDetails } from "./errors.ts";
export { LEDGER_ERRORS, LedgerError } from "./errors.ts";
export { createLedger, openLedger } from "./open.ts";
export { THREAD_CHANGES } from "./overview/types.ts";
export { messageFromResponse } from "./runs/run-turn.ts";
export type { LedgerStore } from "./store/contract.ts";
export type { SearchHit } from "./store/queries.ts";
export type { DeletionCounts, RunMode, RunState } from "./store/rows.ts";
export { RUN_STATES } from "./store/rows.ts";
export type {
  AppendOptions,
  ClaimWorkOptions,
  CommitOptions,
  CommitResult,
  ContextOptions,
  EndResult,
  FindThreadOptions,
  FollowOptions,
  ImportOptions,
  ImportResult,
  InitialContent,
  JournalEntry,
  Ledger,
  LedgerEvent,
  LedgerOptions,
  LedgerProblem,
  LedgerTimers,
  ListedThread,
  LogOptions,
  LogResult,
  NewRecord,
  NewRun,
  NewThread,
  Outline,
  OutlinedMessage,
  PurgeOptions,
  RecordResult,
  RecoveredRun,
  Run,
  RunInfo,
  RunInput,
  RunsPage,
  SearchOptions,
  Thread,
  ThreadChange,
  ThreadChanges,
  ThreadList,
  ThreadListPage,
  ThreadMatch,
  ThreadPage,
  ThreadSearchOptions,
  ThreadSearchResult,
  ThreadSummary,
  TranscriptOptions,
  Tree,
  WatchOptions,
  WorkLease,
} from "./types.ts";
