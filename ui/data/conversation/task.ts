// What a task is at, folded from its journal as the server folds it: from the server's own summary at first, entry by entry
// from then on. Entries that the summary knows already change nothing in the end.
import type { Message } from "koine";
import type { TaskView } from "../api.ts";
import type { PendingApproval, QueuedMessage, TaskState, Thread } from "../types.ts";
import { plainMessageOf } from "../wire-message.ts";

/** An entry of the journal; fields that are not of its type are absent. */
interface Entry {
  type?: unknown;
  id?: string;
  mode?: QueuedMessage["mode"];
  message?: Message;
  toolCallId?: string;
  runId?: string;
  call?: WireCall;
  approval?: boolean;
  reason?: string;
  error?: { code: string; message: string };
}

/** A tool call as OpenAI's chat shape has it, of either kind. */
interface WireCall {
  id?: string;
  function?: { name?: string; arguments?: string };
  custom?: { name?: string; input?: string };
}

interface Call {
  runId: string;
  asks: boolean;
  isDecided: boolean;
  pending: PendingApproval;
}

export class TaskFold {
  #isRunning: boolean;
  #ending: string | undefined;
  #failure: TaskState["error"];
  #queue: readonly QueuedMessage[];
  #calls = new Map<string, Call>();
  #shown: TaskState | undefined;

  /** `runId`: the run that is under way, which waits for what the summary says is waited for. */
  constructor(view: TaskView, runId = "") {
    this.#isRunning = view.state === "running" || view.state === "waiting";
    this.#ending = view.state === "failed" || view.state === "cancelled" ? view.state : undefined;
    this.#failure = view.error;
    this.#queue = view.queued_messages.map(({ id, message }) => ({
      id,
      mode: "steer",
      message: plainMessageOf(message),
    }));
    for (const call of view.pending_tool_calls as WireCall[]) {
      const pending = pendingOf(call.id ?? "", call);
      this.#calls.set(pending.toolCallId, { runId, asks: true, isDecided: false, pending });
    }
  }

  /** Says whether it was one of a task's. */
  apply(stored: Record<string, unknown>): boolean {
    // Written by the server's tasks alone: threads of another kind are no tasks.
    const entry = stored as Entry;
    if (typeof entry.type !== "string" || !entry.type.startsWith("task.")) return false;
    this.#shown = undefined;
    this.#change(entry.type.slice("task.".length), entry);
    return true;
  }

  #change(type: string, entry: Entry): void {
    switch (type) {
      case "began":
        this.#isRunning = true;
        this.#failure = undefined;
        break;
      case "ended":
        this.#isRunning = false;
        this.#ending = entry.reason;
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

  #enqueue({ id = "", mode = "steer", message = { role: "user", parts: [] } }: Entry): void {
    const queued: QueuedMessage = { id, mode, message };
    const isKnown = this.#queue.some((each) => each.id === id);
    this.#queue = isKnown ? this.#queue.map((each) => (each.id === id ? queued : each)) : [...this.#queue, queued];
  }

  /** Another answer than the one whose calls wait has taken its place: nobody will run those. */
  #addCall({ toolCallId = "", runId = "", call = {}, approval = false }: Entry): void {
    for (const [id, other] of this.#calls) {
      if (other.runId !== runId && other.asks && !other.isDecided) this.#calls.delete(id);
    }
    // As the server's map: what is set again goes on standing where it stood.
    this.#calls.set(toolCallId, { runId, asks: approval, isDecided: false, pending: pendingOf(toolCallId, call) });
  }

  /** The same object while nothing changes. */
  view({ metadata }: Thread): TaskState {
    const { model, approval } = (metadata["task"] ?? {}) as { model?: string; approval?: string };
    if (this.#shown !== undefined && this.#shown.model === model) return this.#shown;
    const approvals = [...this.#calls.values()].flatMap(({ asks, isDecided, pending }) =>
      asks && !isDecided ? [pending] : [],
    );
    const state: TaskState = {
      state: this.#word(approvals.length > 0),
      approval: approval === "ask" ? "ask" : "never",
      queue: this.#queue,
      approvals,
    };
    if (model !== undefined) state.model = model;
    if (this.#failure !== undefined) state.error = this.#failure;
    return (this.#shown = state);
  }

  #word(isWaiting: boolean): TaskState["state"] {
    if (this.#isRunning) return isWaiting ? "waiting" : "running";
    return this.#ending === "failed" || this.#ending === "cancelled" ? this.#ending : "idle";
  }
}

function pendingOf(toolCallId: string, { function: named, custom }: WireCall): PendingApproval {
  return {
    toolCallId,
    toolName: named?.name ?? custom?.name ?? "",
    argumentsText: named?.arguments ?? custom?.input ?? "",
  };
}
