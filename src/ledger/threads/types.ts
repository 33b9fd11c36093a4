// Declares the public types of threads and their journals.
import type { JsonObject, Message, StoredMessage } from "../../model/index.ts";
import type { AppendOptions } from "../types.ts";
import type { WorkLease } from "../work-queue/types.ts";

/** Selects a page of threads. */
export interface ThreadPage {
  /** The maximum number of threads. Default 50. */
  limit?: number | undefined;
  /** Selects only threads whose id is smaller than this id. */
  before?: string | undefined;
  /** Selects only threads of this kind; null selects threads without a kind. */
  kind?: string | null | undefined;
}

/** The fields of a new thread. */
export interface NewThread {
  /** The id of the thread. Default: a new ULID. An existing id is a conflict. */
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
  /** Journal entries; they precede the messages. */
  entries?: readonly JsonObject[] | undefined;
  messages?: readonly Message[] | undefined;
  /** True to request work on the thread, as `ledger.requestWork` does. */
  requestWork?: boolean | undefined;
  /**
   * A key that is unique within the tenant. A repeated call with the same key and content returns the thread that the
   * first call created; the same key with different content is a conflict.
   */
  idempotencyKey?: string | undefined;
}
/** A thread: a conversation with its title, metadata and active leaf. */
export interface Thread {
  id: string;
  title: string | null;
  scope: string | null;
  kind: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  activeLeafId: string | null;
}
/** Changes of a thread; null removes a value, and undefined leaves it unchanged. */
export interface ThreadChanges {
  title?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** Conditions under which entries are written to a journal, and further writes in the same transaction. */
export interface LogOptions {
  /** Messages to append after the entries. */
  append?: ({ messages: readonly Message[] } & Omit<AppendOptions, "idempotencyKey">) | undefined;
  /** True to request work on the thread, as `ledger.requestWork` does. */
  requestWork?: boolean | undefined;
  /**
   * The cursor that the last journal entry must have; null if there must be no entry. Otherwise the write fails with
   * "conflict".
   */
  expectedEntry?: string | null;
  /** A lease that must still be valid; otherwise the write fails with "fenced". */
  workLease?: WorkLease | undefined;
  /**
   * A repeated call with the same key and content returns the result of the first call; the same key with different
   * content is a conflict.
   */
  idempotencyKey?: string | undefined;
}
/** The result of `ledger.log`. */
export interface LogResult {
  /** The cursors of the written entries; `follow` returns the same cursors. */
  cursors: string[];
  messages: StoredMessage[];
}
/** One entry of a thread's journal. */
export interface JournalEntry {
  cursor: string;
  /** The entry; undefined if it cannot be read. Readers then continue after its cursor (B91). */
  entry: JsonObject | undefined;
}
