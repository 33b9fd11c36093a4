// Exports the API of the entry point `koine/ledger/store`: the contract of a store, its rows, and helpers for authors
// of stores.
export type { LedgerErrorCode, LedgerErrorDetails } from "../errors.ts";
export { LEDGER_ERRORS, LedgerError } from "../errors.ts";
export type { ThreadChange } from "../overview/types.ts";
export { compareIds } from "../stores/compare-ids.ts";
export type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "./contract.ts";
export type { ActivityPage, IdRange, SearchHit, SearchQuery, ThreadsPage, TitlesPage } from "./queries.ts";
export type {
  ActiveThread,
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  DeletionCounts,
  KeyRow,
  ListedHead,
  LogRow,
  MessageCount,
  MessageCountRange,
  MessageHeader,
  MessageRow,
  QuarantineRow,
  RunChanges,
  RunMode,
  RunRow,
  RunState,
  RunUsage,
  ThreadHead,
  ThreadRow,
  WorkChanges,
  WorkRow,
} from "./rows.ts";
export { FIRST_MESSAGES, NOTHING_DELETED, RUN_STATES } from "./rows.ts";
export type { Awaitable, Steps } from "./steps.ts";
export { runAsync, runSync, wait } from "./steps.ts";
