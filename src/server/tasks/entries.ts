// A task's journal: what is written down beside its messages, entry by entry. Everything that a task is at (whether it
// works, what waits, what was asked of it) is a sum of these.
import type { JsonObject, Message } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";

/** When a message that waits is said: *steer* after this round of tools, *follow-up* after this answer. */
export type QueueMode = "steer" | "follow-up";

/** The same key with the same message is not said again (B95). */
export interface Keyed {
  /** The client's key, and what was said with it. */
  key?: string | undefined;
  digest?: string | undefined;
}

/** Why a conversation ended, as `AgentResult` has it; or it failed. */
export type TaskEndReason = "done" | "max-steps" | "stopped" | "cut-off" | "cancelled" | "failed";

export interface TaskFailure {
  /** A kind of `ProviderError`, or the code of whatever went wrong. */
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
  /** Work begins, with the message that goes with it. */
  | ({ type: "began"; id: string } & Keyed)
  | { type: "ended"; reason: TaskEndReason }
  | ({ type: "queued"; mode: QueueMode } & PendingMessage & Keyed)
  /** It does not wait any more: it was said, or dropped. */
  | { type: "unqueued"; id: string; said: boolean }
  /** A tool begins, or waits for somebody to allow it. */
  | { type: "calling"; toolCallId: string; runId: string; call: JsonObject; approval?: true | undefined }
  /** Somebody has decided about a tool that waits. */
  | { type: "decided"; toolCallId: string; approve: boolean; reason?: string | undefined }
  /** Somebody wants the work to end. */
  | { type: "cancel"; id: string }
  | { type: "cancelled"; pending: PendingMessage[] }
  | { type: "failed"; error: TaskFailure };

/** Each name once, so that the compiler misses none. */
const TYPES: Record<TaskEntry["type"], true> = {
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

/** What waits is dropped, and told to whoever reads. */
export function dropEntries(queue: readonly PendingMessage[]): TaskEntry[] {
  const pending = queue.map(({ id, message }) => ({ id, message }));
  return [...queue.map(({ id }): TaskEntry => ({ type: "unqueued", id, said: false })), { type: "cancelled", pending }];
}

/** As the ledger stores it: what is undefined is left out. */
export function encodeEntry(entry: TaskEntry): JsonObject {
  const fields = Object.entries({ ...entry, type: `task.${entry.type}` });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** undefined for what others have written into the thread's journal. */
export function decodeEntry(stored: JsonObject): TaskEntry | undefined {
  const { type, ...fields } = stored;
  const name = typeof type === "string" && type.startsWith("task.") ? type.slice("task.".length) : "";
  if (!Object.hasOwn(TYPES, name) || !isObject(fields)) return undefined;
  // Written by `encodeEntry` alone: threads of another kind are no tasks.
  return { ...fields, type: name } as unknown as TaskEntry;
}
