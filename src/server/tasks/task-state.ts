// Derives the state of a task from its journal entries. The functions are pure, so that every process derives the same
// state.
import type { JsonObject } from "../../model/index.ts";
import { sameJson } from "../../model/json/index.ts";
import type {
  TaskEndReason,
  KeyedEntry,
  QueueMode,
  TaskEntry,
  TaskFailure,
  PendingMessage,
} from "./journal-entries.ts";

export interface QueuedTaskMessage extends PendingMessage {
  mode: QueueMode;
}

/** A tool call that has started or waits for approval. */
export interface TaskToolCall {
  /** The id of the run whose answer contains the call. */
  runId: string;
  call: JsonObject;
  /** True if the call needs approval; it waits for approval while `decision` is undefined. */
  approval: boolean;
  decision?: { approve: boolean; reason?: string | undefined };
}

/** The stored result of a post with an idempotency key, which a repeated post returns again. */
export interface KeyedMessage {
  id: string;
  queued: boolean;
  digest: string | undefined;
}

/** The maximum number of idempotency keys in the state of a task. If there are more, the oldest key is dropped. */
const MAX_REMEMBERED_KEYS = 1000;

export interface TaskState {
  /** The cursor of the last entry; null if the journal is empty. */
  cursor: string | null;
  running: boolean;
  queue: readonly QueuedTaskMessage[];
  /** True if a client has requested the end of the work and the work has not ended yet. */
  cancelling: boolean;
  /** True after a failure. Queued messages are then not delivered until the next message is posted. */
  isQueueHeld: boolean;
  /** The tool calls of the current work, by tool call id. */
  calls: ReadonlyMap<string, TaskToolCall>;
  keys: ReadonlyMap<string, KeyedMessage>;
  /** The reason why the last work ended; undefined if no work has ended yet. */
  ending?: TaskEndReason | undefined;
  failure?: TaskFailure | undefined;
}

export const INITIAL_TASK_STATE: TaskState = {
  cursor: null,
  running: false,
  queue: [],
  cancelling: false,
  isQueueHeld: false,
  calls: new Map(),
  keys: new Map(),
};

/**
 * Returns the state after a journal entry. `entry` is undefined for an entry that does not belong to a task; then only
 * the cursor of the state changes.
 */
export function advanceTaskState(state: TaskState, cursor: string, entry: TaskEntry | undefined): TaskState {
  return { ...state, ...(entry !== undefined && changesByEntry(state, entry)), cursor };
}

function changesByEntry(state: TaskState, entry: TaskEntry): Partial<TaskState> {
  switch (entry.type) {
    case "began":
      return { running: true, isQueueHeld: false, failure: undefined, keys: rememberKey(state, entry, false) };
    case "ended":
      return { running: false, cancelling: false, calls: new Map(), ending: entry.reason };
    case "queued": {
      const { id, mode, message } = entry;
      return {
        queue: [...state.queue, { id, mode, message }],
        isQueueHeld: false,
        keys: rememberKey(state, entry, true),
      };
    }
    case "unqueued":
      return { queue: state.queue.filter(({ id }) => id !== entry.id) };
    case "calling":
      return { calls: withCall(state, entry) };
    case "decided":
      return { calls: withDecision(state, entry) };
    case "cancel":
      // A cancellation has no effect if no work is running.
      return state.running ? { cancelling: true } : {};
    case "failed":
      return { isQueueHeld: true, failure: entry.error };
    case "cancelled":
      return {};
  }
}

function rememberKey({ keys }: TaskState, entry: KeyedEntry & { id: string }, queued: boolean): TaskState["keys"] {
  const { key, digest, id } = entry;
  if (key === undefined) return keys;
  const remembered = keys.size < MAX_REMEMBERED_KEYS ? keys : [...keys].slice(1);
  return new Map(remembered).set(key, { id, queued, digest });
}

/**
 * Adds a tool call. Calls of other runs that still wait for approval are removed: the answers that contain these calls
 * were replaced, so the calls never run.
 */
function withCall({ calls }: TaskState, entry: Extract<TaskEntry, { type: "calling" }>): TaskState["calls"] {
  const { toolCallId, runId, call, approval = false } = entry;
  const others = [...calls].filter(
    ([, other]) => other.runId === runId || other.decision !== undefined || !other.approval,
  );
  return new Map(others).set(toolCallId, { runId, call, approval });
}

function withDecision({ calls }: TaskState, entry: Extract<TaskEntry, { type: "decided" }>): TaskState["calls"] {
  const { toolCallId, approve, reason } = entry;
  const call = calls.get(toolCallId);
  // A decision about an unknown call is ignored, and so is every decision about a call after the first one.
  if (call === undefined || call.decision !== undefined) return calls;
  return new Map(calls).set(toolCallId, { ...call, decision: { approve, reason } });
}

/**
 * Returns the call with this id and content; undefined if there is none. The content is compared, because an answer
 * that was lost in a crash may have used the same id for a different call.
 */
export function findToolCall({ calls }: TaskState, toolCallId: string, call: JsonObject): TaskToolCall | undefined {
  const known = calls.get(toolCallId);
  return known !== undefined && sameJson(known.call, call) ? known : undefined;
}

/** Lists the calls that wait for a decision. */
export function listOpenApprovals({ calls }: TaskState): [toolCallId: string, call: TaskToolCall][] {
  return [...calls].filter(([, { approval, decision }]) => approval && decision === undefined);
}

/**
 * Returns the messages to deliver after an answer: all queued steering messages or, if there are none, the first queued
 * message.
 */
export function nextQueuedMessages({ queue }: TaskState): readonly QueuedTaskMessage[] {
  const steering = queue.filter(({ mode }) => mode === "steer");
  return steering.length > 0 ? steering : queue.slice(0, 1);
}
