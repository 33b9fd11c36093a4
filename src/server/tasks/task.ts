// Reads tasks from the ledger. A task is a thread of the kind "task". Its settings are in the metadata of the thread,
// and its state is in the journal of the thread.
import { decodeTime } from "ulid";
import type { Ledger, Thread } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { addUsage, sameJson, type Usage } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { ServerError } from "../errors.ts";
import { encodePendingMessage } from "./task-events.ts";
import type { TaskJournal } from "./journal.ts";
import { listOpenApprovals, type TaskState } from "./task-state.ts";
import { encodeUsage } from "./wire-message.ts";

export const TASK_KIND = "task";

/** The settings that a task was created with. */
export interface TaskSettings {
  model: string;
  /** "ask" if tool calls wait for approval; undefined if they run without approval. */
  approval?: "ask" | undefined;
}

export function readTaskSettings({ metadata }: Thread): TaskSettings {
  const { model, approval } = isObject(metadata["task"]) ? metadata["task"] : {};
  return { model: typeof model === "string" ? model : "", approval: approval === "ask" ? "ask" : undefined };
}

/**
 * Returns the metadata to store if a client sets the metadata of a thread to `metadataInput`. The settings of a task
 * (`task`) are kept. Throws if `metadataInput` contains different settings of the task.
 */
export function preserveTaskSettings(
  { kind, metadata }: Thread,
  metadataInput: Thread["metadata"] | null,
): Thread["metadata"] | null {
  const { task } = metadata;
  if (kind !== TASK_KIND || task === undefined) return metadataInput;
  if (metadataInput?.["task"] !== undefined && !sameJson(metadataInput["task"], task)) {
    const message = "The settings of a task cannot be changed: remove metadata.task, or create another task.";
    throw new ServerError("invalid-request", message, { path: "/metadata/task" });
  }
  return { ...metadataInput, task };
}

/** Returns the thread of a task. Throws "not-found" if the thread does not exist or is not a task. */
export async function requireTask(ledger: Ledger, id: string): Promise<Thread> {
  const thread = await ledger.thread(id).catch((error: unknown) => {
    if (error instanceof LedgerError && ["unknown-thread", "invalid-input"].includes(error.code)) return undefined;
    throw error;
  });
  if (thread?.kind === TASK_KIND) return thread;
  throw new ServerError("not-found", `There is no task "${id}". GET /v1/tasks lists the existing ones.`);
}

/** The status of a task, as clients receive it. */
export type TaskStatus = "idle" | "running" | "waiting" | "failed" | "cancelled";

function toTaskStatus(state: TaskState): TaskStatus {
  if (state.running) return listOpenApprovals(state).length > 0 ? "waiting" : "running";
  return state.ending === "failed" || state.ending === "cancelled" ? state.ending : "idle";
}

/** Returns a task in the format that clients receive. */
export async function toTaskView(journal: TaskJournal, thread: Thread): Promise<Record<string, unknown>> {
  const state = await journal.read();
  const { cursor, failure, queue } = state;
  const { model, approval } = readTaskSettings(thread);
  const usage = await sumUsage(journal, state);
  return {
    id: thread.id,
    name: thread.title,
    model,
    state: toTaskStatus(state),
    created_at: thread.createdAt,
    updated_at: cursor === null ? thread.createdAt : new Date(decodeTime(cursor)).toISOString(),
    usage: usage === undefined ? null : encodeUsage(usage),
    queued_messages: queue.map((queued) => Object.assign(encodePendingMessage(queued), { mode: queued.mode })),
    pending_tool_calls: listOpenApprovals(state).map(([, { call }]) => call),
    ...(approval !== undefined && { approval }),
    ...(failure !== undefined && { error: failure }),
  };
}

/** The usage of idle tasks, by journal. A cached usage is valid as long as the journal has the same `cursor`. */
const usageCache = new WeakMap<TaskJournal, { cursor: string | null; usage: Usage | undefined }>();

/** Returns the sum of the usage of all runs of a task, including failed runs; undefined if no run has a usage. */
async function sumUsage(journal: TaskJournal, { cursor, running }: TaskState): Promise<Usage | undefined> {
  const cached = usageCache.get(journal);
  if (cached !== undefined && !running && cached.cursor === cursor) return cached.usage;
  const runs = await journal.ledger.runs(journal.threadId);
  const usages = runs.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const usage = usages.length === 0 ? undefined : usages.reduce(addUsage);
  if (!running) usageCache.set(journal, { cursor, usage });
  return usage;
}
