// Defines the context that the modules of a run share: the agent's settings, the thread, and the events.
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
  /** The first message of every request; undefined if the agent has no instructions. */
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

/**
 * Adds messages that were appended to the thread to the history, and emits an event for each. Emits and returns copies,
 * so that readers cannot change the history.
 */
export function publishMessages(context: RunContext, messages: readonly StoredMessage[]): StoredMessage[] {
  context.history.add(messages);
  const copies = messages.map((message) => copyJson(message));
  for (const message of copies) context.emit({ type: "message", message });
  return copies;
}

/**
 * Awaits a part of the work on a step. If it throws, fails the step's run in the ledger, which stores the partial
 * messages outside the active path, and throws the error again.
 */
export async function orFailRun<T>(run: Run, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await failRun(run, error);
    throw error;
  }
}

/**
 * Fails a run, or releases it if the error is "released". If the ledger cannot record the failure, its exception is
 * ignored, because the caller throws `error`. The lease is released, so that another process need not wait until it
 * expires.
 */
async function failRun(run: Run, error: unknown): Promise<void> {
  if (isReleased(error)) return run.release();
  try {
    await run.fail(error);
  } catch {
    await run.release();
  }
}
