// Computes the state of a task from the server's summary and the journal entries after it, in the same way as the
// server. Applying an entry that the summary already includes does not change the result.
import type { Message } from "koine";
import type { TaskSummaryJson } from "../api.ts";
import type { PendingApproval, QueueEntry, TaskActivity, ThreadJson } from "../types.ts";
import { decodeTaskText } from "../task-message.ts";

/**
 * A journal entry of a task. This type has the fields of all entry types; an entry has only the fields of its own type.
 */
interface TaskJournalEntry {
  type?: unknown;
  id?: string;
  mode?: QueueEntry["mode"];
  message?: Message;
  toolCallId?: string;
  runId?: string;
  call?: JournalToolCall;
  approval?: boolean;
  reason?: string;
  error?: { code: string; message: string };
}

/** A tool call of the OpenAI chat format, function or custom. */
interface JournalToolCall {
  id?: string;
  function?: { name?: string; arguments?: string };
  custom?: { name?: string; input?: string };
}

interface TrackedToolCall {
  runId: string;
  needsApproval: boolean;
  isDecided: boolean;
  pending: PendingApproval;
}

export class TaskReducer {
  #isRunning: boolean;
  #endReason: string | undefined;
  #failure: TaskActivity["error"];
  #queue: readonly QueueEntry[];
  #calls = new Map<string, TrackedToolCall>();
  #lastState: TaskActivity | undefined;

  /**
   * Starts from the server's summary of the task. `runId` is the task's live run, to which the tool calls that wait for
   * approval belong.
   */
  constructor(summary: TaskSummaryJson, runId = "") {
    this.#isRunning = summary.state === "running" || summary.state === "waiting";
    this.#endReason = summary.state === "failed" || summary.state === "cancelled" ? summary.state : undefined;
    this.#failure = summary.error;
    this.#queue = summary.queued_messages.map(({ id, message }) => ({
      id,
      mode: "steer",
      message: decodeTaskText(message),
    }));
    for (const call of summary.pending_tool_calls as JournalToolCall[]) {
      const pending = toPendingApproval(call.id ?? "", call);
      this.#calls.set(pending.toolCallId, { runId, needsApproval: true, isDecided: false, pending });
    }
  }

  /** Applies a journal entry. Returns false if the entry does not belong to a task. */
  apply(stored: Record<string, unknown>): boolean {
    // The entry is not validated, because only the server writes entries whose type starts with "task.".
    const entry = stored as TaskJournalEntry;
    if (typeof entry.type !== "string" || !entry.type.startsWith("task.")) return false;
    this.#lastState = undefined;
    this.#applyEntry(entry.type.slice("task.".length), entry);
    return true;
  }

  #applyEntry(type: string, entry: TaskJournalEntry): void {
    switch (type) {
      case "began":
        this.#isRunning = true;
        this.#failure = undefined;
        break;
      case "ended":
        this.#isRunning = false;
        this.#endReason = entry.reason;
        this.#calls = new Map();
        break;
      case "queued":
        this.#enqueue(entry);
        break;
      case "unqueued":
        this.#queue = this.#queue.filter(({ id }) => id !== entry.id);
        break;
      case "calling":
        this.#addCall(entry);
        break;
      case "decided": {
        const call = this.#calls.get(entry.toolCallId ?? "");
        if (call !== undefined) call.isDecided = true;
        break;
      }
      case "failed":
        this.#failure = entry.error;
        break;
    }
  }

  #enqueue({ id = "", mode = "steer", message = { role: "user", parts: [] } }: TaskJournalEntry): void {
    const queued: QueueEntry = { id, mode, message };
    const isKnown = this.#queue.some((each) => each.id === id);
    this.#queue = isKnown ? this.#queue.map((each) => (each.id === id ? queued : each)) : [...this.#queue, queued];
  }

  /**
   * Adds a call that the task is about to execute. Calls of other runs that still wait for a decision are removed:
   * another answer has replaced theirs, so they are never executed.
   */
  #addCall({ toolCallId = "", runId = "", call = {}, approval = false }: TaskJournalEntry): void {
    for (const [id, other] of this.#calls) {
      if (other.runId !== runId && other.needsApproval && !other.isDecided) this.#calls.delete(id);
    }
    // `set` of a call that is already in the map does not change its position, so the approvals have the same order as
    // on the server.
    this.#calls.set(toolCallId, {
      runId,
      needsApproval: approval,
      isDecided: false,
      pending: toPendingApproval(toolCallId, call),
    });
  }

  /**
   * Returns the state of the task. If no entry was applied since the previous call and the thread's task settings are
   * the same, returns the same object as the previous call.
   */
  computeState({ metadata }: ThreadJson): TaskActivity {
    const { model, approval } = (metadata["task"] ?? {}) as { model?: string; approval?: string };
    const mode = approval === "ask" ? "ask" : "never";
    if (this.#lastState?.model === model && this.#lastState?.approval === mode) return this.#lastState;
    const approvals = [...this.#calls.values()].flatMap(({ needsApproval, isDecided, pending }) =>
      needsApproval && !isDecided ? [pending] : [],
    );
    const state: TaskActivity = {
      state: this.#computeStatus(approvals.length > 0),
      approval: mode,
      queue: this.#queue,
      approvals,
    };
    if (model !== undefined) state.model = model;
    if (this.#failure !== undefined) state.error = this.#failure;
    return (this.#lastState = state);
  }

  #computeStatus(isWaiting: boolean): TaskActivity["state"] {
    if (this.#isRunning) return isWaiting ? "waiting" : "running";
    return this.#endReason === "failed" || this.#endReason === "cancelled" ? this.#endReason : "idle";
  }
}

function toPendingApproval(toolCallId: string, { function: functionCall, custom }: JournalToolCall): PendingApproval {
  return {
    toolCallId,
    toolName: functionCall?.name ?? custom?.name ?? "",
    argumentsText: functionCall?.arguments ?? custom?.input ?? "",
  };
}
