// A task: a thread of its own kind. What it was made with stands in the thread, what became of it in the journal.
import { decodeTime } from "ulid";
import type { Ledger, Thread } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { addUsage, sameJson, type Usage } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { ServerError } from "../errors.ts";
import { encodeWaiting } from "./events.ts";
import type { Journal } from "./journal.ts";
import { openApprovals, type TaskState } from "./state.ts";
import { encodeUsage } from "./wire.ts";

export const TASK_KIND = "task";

/** What a task was made with. */
export interface TaskFacts {
  model: string;
  /** "ask": tools wait until somebody allows them. */
  approval?: "ask" | undefined;
}

export function factsOf({ metadata }: Thread): TaskFacts {
  const { model, approval } = isObject(metadata["task"]) ? metadata["task"] : {};
  return { model: typeof model === "string" ? model : "", approval: approval === "ask" ? "ask" : undefined };
}

/** Metadata in the place of a thread's own: what a task was made with stays. Throws where they say otherwise. */
export function withFacts({ kind, metadata }: Thread, given: Thread["metadata"] | null): Thread["metadata"] | null {
  const { task } = metadata;
  if (kind !== TASK_KIND || task === undefined) return given;
  if (given?.["task"] !== undefined && !sameJson(given["task"], task)) {
    const message = "What a task was made with does not change: leave it out, or make another task.";
    throw new ServerError("invalid-request", message, { path: "/metadata/task" });
  }
  return { ...given, task };
}

/** The thread of a task. Throws a "not-found" for one that is not there, or is no task. */
export async function openTask(ledger: Ledger, id: string): Promise<Thread> {
  const thread = await ledger.thread(id).catch((error: unknown) => {
    if (error instanceof LedgerError && ["unknown-thread", "invalid-input"].includes(error.code)) return undefined;
    throw error;
  });
  if (thread?.kind === TASK_KIND) return thread;
  throw new ServerError("not-found", `There is no task "${id}". GET /v1/tasks lists those that there are.`);
}

/** What a task is doing, in a word. */
export type TaskStatus = "idle" | "running" | "waiting" | "failed" | "cancelled";

function wordOf(state: TaskState): TaskStatus {
  if (state.running) return openApprovals(state).length > 0 ? "waiting" : "running";
  return state.ending === "failed" || state.ending === "cancelled" ? state.ending : "idle";
}

/** A task as clients see it. */
export async function viewOf(journal: Journal, thread: Thread): Promise<Record<string, unknown>> {
  const state = await journal.read();
  const { cursor, failure, queue } = state;
  const { model, approval } = factsOf(thread);
  const usage = await usageOf(journal, state);
  return {
    id: thread.id,
    name: thread.title,
    model,
    state: wordOf(state),
    created_at: thread.createdAt,
    updated_at: cursor === null ? thread.createdAt : new Date(decodeTime(cursor)).toISOString(),
    usage: usage === undefined ? null : encodeUsage(usage),
    queued_messages: queue.map((words) => Object.assign(encodeWaiting(words), { mode: words.mode })),
    pending_tool_calls: openApprovals(state).map(([, { call }]) => call),
    ...(approval !== undefined && { approval }),
    ...(failure !== undefined && { error: failure }),
  };
}

/** Of tasks that rest, as they were when it was counted last. */
const counted = new WeakMap<Journal, { cursor: string | null; usage: Usage | undefined }>();

/** All that its runs have cost, those that failed included. */
async function usageOf(journal: Journal, { cursor, running }: TaskState): Promise<Usage | undefined> {
  const before = counted.get(journal);
  if (before !== undefined && !running && before.cursor === cursor) return before.usage;
  const runs = await journal.ledger.runs(journal.threadId);
  const usages = runs.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const usage = usages.length === 0 ? undefined : usages.reduce(addUsage);
  if (!running) counted.set(journal, { cursor, usage });
  return usage;
}
