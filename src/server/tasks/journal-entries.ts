// Defines the journal entries of a task, from which the state of the task (running, queue, approvals) is derived.
import type { JsonObject, Message } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

/** The time at which a queued message is delivered: "steer" after the tool round, "follow-up" after the answer. */
export type QueueMode = "steer" | "follow-up";

/**
 * The fields of an entry that stores a posted message. They ensure that a message is posted only once with the same
 * idempotency key (B95).
 */
export interface KeyedEntry {
  /** The client's idempotency key. */
  key?: string | undefined;
  /** The hash of the message, which detects that a key is used for another message. */
  digest?: string | undefined;
}

/** The reason why the work on a task ended: the reason of an `AgentResult`, or "failed". */
export type TaskEndReason = "done" | "max-steps" | "stopped" | "cut-off" | "cancelled" | "failed";

export interface TaskFailure {
  /** The kind of a provider error, or the code of any other error. */
  code: string;
  message: string;
  status?: number | undefined;
  retryable?: boolean | undefined;
}

export interface PendingMessage {
  id: string;
  message: Message;
}

export type TaskEntry =
  /** The work has begun with an appended message, whose id is `id`. */
  | ({ type: "began"; id: string } & KeyedEntry)
  | { type: "ended"; reason: TaskEndReason }
  | ({ type: "queued"; mode: QueueMode } & PendingMessage & KeyedEntry)
  /** A message was removed from the queue. `said` is true if the message was delivered, and false if it was dropped. */
  | { type: "unqueued"; id: string; said: boolean }
  /** A tool call has started or, if `approval` is true, waits for approval. */
  | { type: "calling"; toolCallId: string; runId: string; call: JsonObject; approval?: true | undefined }
  /** A person has decided about a tool call that waited for approval. */
  | { type: "decided"; toolCallId: string; approve: boolean; reason?: string | undefined }
  /** A client has requested the end of the work. */
  | { type: "cancel"; id: string }
  | { type: "cancelled"; pending: PendingMessage[] }
  | { type: "failed"; error: TaskFailure };

/** The types of entries, as a record instead of a list, so that the compiler reports a missing type. */
const ENTRY_TYPES: Record<TaskEntry["type"], true> = {
  began: true,
  ended: true,
  queued: true,
  unqueued: true,
  calling: true,
  decided: true,
  cancel: true,
  cancelled: true,
  failed: true,
};

/**
 * Returns the entries that drop the queue: an "unqueued" entry for each message, and a "cancelled" entry that lists all
 * dropped messages for clients.
 */
export function createDropEntries(queue: readonly PendingMessage[]): TaskEntry[] {
  const pending = queue.map(({ id, message }) => ({ id, message }));
  return [...queue.map(({ id }): TaskEntry => ({ type: "unqueued", id, said: false })), { type: "cancelled", pending }];
}

/** Encodes an entry for the ledger; undefined fields are omitted. */
export function encodeEntry(entry: TaskEntry): JsonObject {
  const fields = Object.entries({ ...entry, type: `task.${entry.type}` });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Decodes a stored journal entry. Returns undefined for an entry that does not belong to a task. */
export function decodeEntry(stored: JsonObject): TaskEntry | undefined {
  const { type, ...fields } = stored;
  const name = typeof type === "string" && type.startsWith("task.") ? type.slice("task.".length) : "";
  if (!Object.hasOwn(ENTRY_TYPES, name) || !isObject(fields)) return undefined;
  // The cast is safe: only `encodeEntry` writes entries whose type starts with "task.".
  return { ...fields, type: name } as unknown as TaskEntry;
}
