// Makes tool calls wait for a person's approval. The request for approval and the decision are journal entries, so that
// any process can receive the decision and continue the task.
import type { Approval, ToolContext } from "../../agent/index.ts";
import type { WorkLease } from "../../ledger/index.ts";
import type { JsonObject, ToolCallPart } from "../../model/index.ts";
import type { TaskEntry } from "./journal-entries.ts";
import type { TaskJournal } from "./journal.ts";
import { findToolCall, type TaskState } from "./task-state.ts";
import { encodeCall } from "./wire-message.ts";

type CallingEntry = Extract<TaskEntry, { type: "calling" }>;

export function createCallingEntry(call: ToolCallPart, runId: string): CallingEntry {
  // The cast is safe: an encoded tool call is an entry of `tool_calls`, which is plain JSON.
  return { type: "calling", toolCallId: call.toolCallId, runId, call: encodeCall(call) as JsonObject };
}

export class PendingApprovals {
  readonly #journal: TaskJournal;
  readonly #work: WorkLease;
  readonly #listeners = new Set<(state: TaskState) => void>();

  constructor(journal: TaskJournal, work: WorkLease) {
    this.#journal = journal;
    this.#work = work;
  }

  /**
   * Waits for a person's decision about a tool call. Calls `onVisible` when the request for approval is in the journal.
   */
  async wait(call: ToolCallPart, { signal, runId }: ToolContext, onVisible: () => void): Promise<Approval> {
    const journal = this.#journal;
    const work = this.#work;
    const entry = createCallingEntry(call, runId);
    const { toolCallId } = entry;
    if (findToolCall(await journal.read(), toolCallId, entry.call)?.approval !== true) {
      await journal.write([{ ...entry, approval: true }], { workLease: work });
    }
    const { promise, resolve } = Promise.withResolvers<Approval>();
    const resolveIfDecided = (state: TaskState): void => {
      const { decision } = findToolCall(state, toolCallId, entry.call) ?? {};
      if (decision !== undefined) resolve(decision.approve ? true : (decision.reason ?? false));
    };
    this.#listeners.add(resolveIfDecided);
    signal.addEventListener("abort", () => resolve(false), { once: true });
    if (signal.aborted) resolve(false);
    resolveIfDecided(await journal.read());
    onVisible();
    try {
      return await promise;
    } finally {
      this.#listeners.delete(resolveIfDecided);
    }
  }

  /**
   * Resolves each pending `wait` whose tool call has a decision in `state`. Must be called after new journal entries
   * were read.
   */
  notify(state: TaskState): void {
    for (const listener of this.#listeners) listener(state);
  }
}
