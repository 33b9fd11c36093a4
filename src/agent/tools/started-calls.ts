// The record of started calls. Written before a tool runs, so that after a crash a call that may have had effects can be
// distinguished from one that has not.
import type { Run } from "../../ledger/index.ts";
import { yieldToEventLoop } from "../concurrency.ts";

export class StartedCalls {
  readonly #run: Run;
  /** Started calls without a recorded result. */
  readonly #open: Set<string>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  /** `startedBefore`: calls that an earlier process recorded. */
  constructor(run: Run, startedBefore: Iterable<string>) {
    this.#run = run;
    this.#open = new Set(startedBefore);
  }

  /**
   * Records that a call starts. Resolves when the record is durable, together with the answer. Calls that start together
   * share one write. After a failed write there is no other, because it would include calls that never ran.
   */
  markStarted(toolCallId: string): Promise<void> {
    this.#open.add(toolCallId);
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  /** Removes a call whose result is durable. */
  markFinished(toolCallId: string): void {
    this.#open.delete(toolCallId);
  }

  async #write(before: Promise<void>): Promise<void> {
    await before;
    // Waits for calls that start in the same turn of the event loop.
    await yieldToEventLoop();
    this.#next = undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    const written = this.#run.mergeMetadata({ started: [...this.#open] });
    this.#last = written.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    return written;
  }
}

/** Returns the recorded calls of a run. Calls with a result may be missing. */
export function readStartedCalls(metadata: Readonly<Record<string, unknown>> | undefined): Set<string> {
  const started = metadata?.["started"];
  return new Set(Array.isArray(started) ? started.filter((id) => typeof id === "string") : []);
}
