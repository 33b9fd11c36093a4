// The public types of threads and their journals.
import type { JsonObject, Message, StoredMessage } from "../../model/index.ts";
import type { AppendOptions } from "../types.ts";
import type { WorkLease } from "../work-queue/types.ts";

/** Selects a page of threads. */
export interface ThreadPage {
  /** Default 50. */
  limit?: number | undefined;
  /** Only threads with a smaller id. */
  before?: string | undefined;
  /** Only threads of this kind; null: threads without a kind. */
  kind?: string | null | undefined;
}

/** The fields of a new thread. */
export interface NewThread {
  /** Default: a new ULID. An existing id is a conflict. */
  id?: string | undefined;
  title?: string | undefined;
  /** A user or token within the tenant; `findThread` prefers threads of the same scope. */
  scope?: string | undefined;
  /** The purpose of a thread that is not a plain conversation, such as "task". Threads can be listed by kind. */
  kind?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}
/** The first entries and messages of a new thread. */
export interface InitialContent {
  /** Entries of its journal; they precede the messages. */
  entries?: readonly JsonObject[] | undefined;
  messages?: readonly Message[] | undefined;
  /** Like `ledger.requestWork`. */
  requestWork?: boolean | undefined;
  /**
   * Unique within the tenant. The same key and request returns the thread that was created before; another request is a
   * conflict.
   */
  idempotencyKey?: string | undefined;
}
/** A thread. */
export interface Thread {
  id: string;
  title: string | null;
  scope: string | null;
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
}
/** Changes of a thread; null removes a value. */
export interface ThreadChanges {
  title?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Further writes in the same transaction as journal entries. */
export interface LogOptions {
  /** Messages to append, after the entries. */
  append?: ({ messages: readonly Message[] } & Omit<AppendOptions, "idempotencyKey">) | undefined;
  /** Like `ledger.requestWork`. */
  requestWork?: boolean | undefined;
  /** The last entry of the thread must have this cursor (null: no entry exists); otherwise a conflict. */
  expectedEntry?: string | null;
  /** The lease must still be valid; otherwise the write fails with "fenced". */
  workLease?: WorkLease | undefined;
  /** The same key and request returns the earlier result; another request is a conflict. */
  idempotencyKey?: string | undefined;
}
/** The result of `ledger.log`. */
export interface LogResult {
  /** The cursors of the entries, as in `follow`. */
  cursors: string[];
  messages: StoredMessage[];
}
/** One entry of a thread's journal. */
export interface JournalEntry {
  cursor: string;
  /** undefined if the entry cannot be read: readers skip it and continue after its cursor (B91). */
  entry: JsonObject | undefined;
}
