// What a task is at, folded from its journal. Pure: every reader of the same entries comes to the same.
import type { JsonObject } from "../../model/index.ts";
import { sameJson } from "../../model/json.ts";
import type { TaskEndReason, Keyed, QueueMode, TaskEntry, TaskFailure, PendingMessage } from "./entries.ts";

export interface QueuedTaskMessage extends PendingMessage {
  mode: QueueMode;
}

/** A tool that began in this conversation, or waits to. */
export interface CallState {
  /** The answer that made it. */
  runId: string;
  call: JsonObject;
  approval: boolean;
  decision?: { approve: boolean; reason?: string | undefined };
}

/** What became of a message that was said with a key. */
export interface KeyedMessage {
  id: string;
  queued: boolean;
  digest: string | undefined;
}

/** The keys of this many messages are remembered, the last ones. */
const MOST_KEYS = 1000;

export interface TaskState {
  /** Of the last entry; null where there is none. */
  cursor: string | null;
  running: boolean;
  queue: readonly QueuedTaskMessage[];
  /** Whether somebody wants the conversation to end. */
  cancelling: boolean;
  /** It failed, and what waits goes on waiting until something is said. */
  held: boolean;
  /** By call, of this conversation. */
  calls: ReadonlyMap<string, CallState>;
  keys: ReadonlyMap<string, KeyedMessage>;
  /** How the last conversation ended; undefined before that. */
  ending?: TaskEndReason | undefined;
  failure?: TaskFailure | undefined;
}

export const NEW_STATE: TaskState = {
  cursor: null,
  running: false,
  queue: [],
  cancelling: false,
  held: false,
  calls: new Map(),
  keys: new Map(),
};

/** The state after an entry; undefined stands for one that is no task's. */
export function advance(state: TaskState, cursor: string, entry: TaskEntry | undefined): TaskState {
  return { ...state, ...(entry !== undefined && changes(state, entry)), cursor };
}

function changes(state: TaskState, entry: TaskEntry): Partial<TaskState> {
  switch (entry.type) {
    case "began":
      return { running: true, held: false, failure: undefined, keys: noted(state, entry, false) };
    case "ended":
      return { running: false, cancelling: false, calls: new Map(), ending: entry.reason };
    case "queued": {
      const { id, mode, message } = entry;
      return { queue: [...state.queue, { id, mode, message }], held: false, keys: noted(state, entry, true) };
    }
    case "unqueued":
      return { queue: state.queue.filter(({ id }) => id !== entry.id) };
    case "calling":
      return { calls: withCall(state, entry) };
    case "decided":
      return { calls: withDecision(state, entry) };
    case "cancel":
      // Where nothing is to be ended, there is nothing to do about it.
      return state.running ? { cancelling: true } : {};
    case "failed":
      return { held: true, failure: entry.error };
    case "cancelled":
      return {};
  }
}

function noted({ keys }: TaskState, entry: Keyed & { id: string }, queued: boolean): TaskState["keys"] {
  const { key, digest, id } = entry;
  if (key === undefined) return keys;
  const kept = keys.size < MOST_KEYS ? keys : [...keys].slice(1);
  return new Map(kept).set(key, { id, queued, digest });
}

/** Another answer than the one whose calls wait has taken its place: nobody will run those. */
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
  // The first one counts.
  if (call === undefined || call.decision !== undefined) return calls;
  return new Map(calls).set(toolCallId, { ...call, decision: { approve, reason } });
}

/** What is known of exactly this call: the id alone may have been another call's, of an answer that was lost. */
export function knownCall({ calls }: TaskState, toolCallId: string, call: JsonObject): CallState | undefined {
  const known = calls.get(toolCallId);
  return known !== undefined && sameJson(known.call, call) ? known : undefined;
}

/** The calls that wait for somebody to decide. */
export function openApprovals({ calls }: TaskState): [toolCallId: string, call: CallState][] {
  return [...calls].filter(([, { approval, decision }]) => approval && decision === undefined);
}

/** What is said next, now that the model has said all: what steers and came too late for that, else the next that waits. */
export function nextQueuedMessages({ queue }: TaskState): readonly QueuedTaskMessage[] {
  const steering = queue.filter(({ mode }) => mode === "steer");
  return steering.length > 0 ? steering : queue.slice(0, 1);
}
