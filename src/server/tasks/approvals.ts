// Tools that wait until somebody allows them. Both the question and the decision stand in the journal, so that either may
// come from, and be answered by, another process than the one that works.
import type { Approval, ToolContext } from "../../agent/index.ts";
import type { WorkLease } from "../../ledger/index.ts";
import type { JsonObject, ToolCallPart } from "../../model/index.ts";
import type { TaskEntry } from "./entries.ts";
import type { Journal } from "./journal.ts";
import { knownCall, type TaskState } from "./state.ts";
import { encodeCall } from "./wire.ts";

type Calling = Extract<TaskEntry, { type: "calling" }>;

export function callingOf(call: ToolCallPart, runId: string): Calling {
  // A call on the wire is plain JSON.
  return { type: "calling", toolCallId: call.toolCallId, runId, call: encodeCall(call) as JsonObject };
}

export class Approvals {
  readonly #journal: Journal;
  readonly #work: WorkLease;
  readonly #undecided = new Set<(state: TaskState) => void>();

  constructor(journal: Journal, work: WorkLease) {
    this.#journal = journal;
    this.#work = work;
  }

  /** Waits until it is decided. `asked` is called when everybody can see the question. */
  async wait(call: ToolCallPart, { signal, runId }: ToolContext, asked: () => void): Promise<Approval> {
    const journal = this.#journal;
    const work = this.#work;
    const entry = callingOf(call, runId);
    const { toolCallId } = entry;
    if (knownCall(await journal.read(), toolCallId, entry.call)?.approval !== true) {
      await journal.write([{ ...entry, approval: true }], { holding: work });
    }
    const { promise, resolve } = Promise.withResolvers<Approval>();
    const look = (state: TaskState): void => {
      const { decision } = knownCall(state, toolCallId, entry.call) ?? {};
      if (decision !== undefined) resolve(decision.approve ? true : (decision.reason ?? false));
    };
    this.#undecided.add(look);
    signal.addEventListener("abort", () => resolve(false), { once: true });
    look(await journal.read());
    asked();
    try {
      return await promise;
    } finally {
      this.#undecided.delete(look);
    }
  }

  /** The journal says more than before. */
  look(state: TaskState): void {
    for (const look of this.#undecided) look(state);
  }
}
