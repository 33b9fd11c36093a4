// What the pieces of a run share: the agent's settings, the thread, and the ways to say what happens.
import type { Client, Effects } from "../client/index.ts";
import type { Ledger, Run } from "../ledger/index.ts";
import type { Message, StoredMessage } from "../model/index.ts";
import { isLeft } from "./errors.ts";
import type { History } from "./history.ts";
import type { MessageQueue } from "./queue.ts";
import { copyOf } from "./record.ts";
import type { Toolbox } from "./toolbox.ts";
import type { AgentEvent, AgentOptions } from "./types.ts";

/** The options of an agent, checked, with everything that has a default. */
export interface Settings extends Pick<
  AgentOptions,
  "request" | "call" | "stopWhen" | "approve" | "append" | "maxMessages"
> {
  readonly client: Client;
  readonly model: string;
  readonly toolbox: Toolbox;
  /** In front of every call. */
  readonly instructions: Message | undefined;
  readonly maxSteps: number;
  readonly maxParallel: number;
  readonly toolTimeoutMs: number;
  readonly effects: Pick<Effects, "sleep">;
}

/** A run of the agent, as its pieces see it. */
export interface RunContext {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly threadId: string;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly queue: MessageQueue;
  readonly history: History;
  emit(event: AgentEvent): void;
}

/** Tells of messages that the thread has now. Gives what it told: copies, so that readers cannot change what the model is sent. */
export function announce(work: RunContext, messages: readonly StoredMessage[]): StoredMessage[] {
  work.history.add(messages);
  const told = messages.map((message) => copyOf(message));
  for (const message of told) work.emit({ type: "message", message });
  return told;
}

/**
 * What a step of a run of the ledger gives. Where it throws, the run cannot go on and is ended; what had arrived is kept
 * beside the path.
 */
export async function orGiveUp<T>(run: Run, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await giveUp(run, error);
    throw error;
  }
}

/**
 * What went wrong first matters more than a ledger that cannot write it down. A run that could not be ended is let go of:
 * whoever resumes it need not wait for this process to end.
 */
async function giveUp(run: Run, error: unknown): Promise<void> {
  if (isLeft(error)) return run.release();
  try {
    await run.fail(error);
  } catch {
    await run.release();
  }
}
