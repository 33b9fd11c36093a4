// The journal entries of a task, from which the state of the task (running, queue, approvals) is derived.
import type { JsonObject, Message } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";

/** The delivery of a queued message: *steer* after the current tool round, *follow-up* after the current answer. */
export type QueueMode = "steer" | "follow-up";

/** The idempotency key of a posted message. A message with the same key is posted only once (B95). */
export interface KeyedEntry {
  /** The client's idempotency key. */
  key?: string | undefined;
  /** The hash of the message. */
  digest?: string | undefined;
}

/** The reason why the work on a task ended: the reason of an `AgentResult`, or "failed". */
export type TaskEndReason = "done" | "max-steps" | "stopped" | "cut-off" | "cancelled" | "failed";

export interface TaskFailure {
  /** A provider error kind, or the code of another error. */
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
  /** The work begins with an appended message. */
  | ({ type: "began"; id: string } & KeyedEntry)
  | { type: "ended"; reason: TaskEndReason }
  | ({ type: "queued"; mode: QueueMode } & PendingMessage & KeyedEntry)
  /** A message was removed from the queue; `said` is true if it was delivered, and false if it was dropped. */
  | { type: "unqueued"; id: string; said: boolean }
  /** A tool call starts, or waits for approval. */
  | { type: "calling"; toolCallId: string; runId: string; call: JsonObject; approval?: true | undefined }
  /** A person has decided about a waiting tool call. */
  | { type: "decided"; toolCallId: string; approve: boolean; reason?: string | undefined }
  /** A client has requested the end of the work. */
  | { type: "cancel"; id: string }
  | { type: "cancelled"; pending: PendingMessage[] }
  | { type: "failed"; error: TaskFailure };

/** The types of entries. They are a record instead of a list, so that the compiler reports a missing type. */
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

/** Returns the entries that remove all messages from the queue. */
export function createDropEntries(queue: readonly PendingMessage[]): TaskEntry[] {
  const pending = queue.map(({ id, message }) => ({ id, message }));
  return [...queue.map(({ id }): TaskEntry => ({ type: "unqueued", id, said: false })), { type: "cancelled", pending }];
}

/** Encodes an entry for the ledger; undefined fields are omitted. */
export function encodeEntry(entry: TaskEntry): JsonObject {
  const fields = Object.entries({ ...entry, type: `task.${entry.type}` });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Decodes a stored entry. Returns undefined for journal entries of other modules. */
export function decodeEntry(stored: JsonObject): TaskEntry | undefined {
  const { type, ...fields } = stored;
  const name = typeof type === "string" && type.startsWith("task.") ? type.slice("task.".length) : "";
  if (!Object.hasOwn(ENTRY_TYPES, name) || !isObject(fields)) return undefined;
  // The cast is safe: only `encodeEntry` writes entries of these types.
  return { ...fields, type: name } as unknown as TaskEntry;
}
