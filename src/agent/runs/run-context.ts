// The context that the parts of a run share: the agent's settings, the thread, and the events.
import type { Client, Effects } from "../../client/index.ts";
import type { Ledger, Run } from "../../ledger/index.ts";
import type { Message, StoredMessage } from "../../model/index.ts";
import { isReleased } from "../errors.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import type { AgentEvent, AgentOptions } from "../types.ts";
import type { ThreadHistory } from "./history.ts";
import type { MessageQueue } from "./message-queue.ts";
import { copyJson } from "./recorded-answer.ts";

/** The checked options of an agent, with defaults. */
export interface AgentSettings extends Pick<
  AgentOptions,
  "request" | "call" | "stopWhen" | "approve" | "append" | "maxMessages"
> {
  readonly client: Client;
  readonly model: string;
  readonly toolbox: Toolbox;
  /** The first message of every request. */
  readonly instructions: Message | undefined;
  readonly maxSteps: number;
  readonly maxParallel: number;
  readonly toolTimeoutMs: number;
  readonly effects: Pick<Effects, "sleep">;
}

export interface RunContext {
  readonly settings: AgentSettings;
  readonly ledger: Ledger;
  readonly threadId: string;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly queue: MessageQueue;
  readonly history: ThreadHistory;
  emit(event: AgentEvent): void;
}

/** Emits messages that were appended to the thread. Returns copies, so that readers cannot change the model's history. */
export function publishMessages(context: RunContext, messages: readonly StoredMessage[]): StoredMessage[] {
  context.history.add(messages);
  const copies = messages.map((message) => copyJson(message));
  for (const message of copies) context.emit({ type: "message", message });
  return copies;
}

/** Awaits a part of a run of the ledger. If it throws, fails the run, which keeps its partial messages beside the path. */
export async function orFailRun<T>(run: Run, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await failRun(run, error);
    throw error;
  }
}

/**
 * Fails a run. If the ledger cannot record that, the first error is still the one to throw; the run's lease is released, so
 * that another process need not wait for this one to end.
 */
async function failRun(run: Run, error: unknown): Promise<void> {
  if (isReleased(error)) return run.release();
  try {
    await run.fail(error);
  } catch {
    await run.release();
  }
}
