// Records the started calls of a run. A record is written before a tool runs, so that after a crash the calls that may
// have had effects are known.
import type { Run } from "../../ledger/index.ts";
import { yieldToEventLoop } from "../concurrency.ts";

export class StartedCalls {
  readonly #run: Run;
  /** The model's ids of started calls without a recorded result. */
  readonly #open: Set<string>;
  /** The most recent write; never rejects. */
  #last: Promise<void> = Promise.resolve();
  /** The write that has not begun yet, which includes all calls that start until then; undefined if there is none. */
  #next: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  /** `startedBefore` contains the calls that an earlier process recorded. */
  constructor(run: Run, startedBefore: Iterable<string>) {
    this.#run = run;
    this.#open = new Set(startedBefore);
  }

  /**
   * Records that a call starts. Resolves when the record and the answer are durable. Calls that start together share
   * one write. After a failed write, no further write follows, because it would include calls that never ran.
   */
  markStarted(toolCallId: string): Promise<void> {
    this.#open.add(toolCallId);
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  /** Removes a call whose result is durable from the record. */
  markFinished(toolCallId: string): void {
    this.#open.delete(toolCallId);
  }

  async #write(before: Promise<void>): Promise<void> {
    await before;
    // The write waits for other calls that start in the same turn of the event loop.
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

/** Returns the ids of the started calls that a run has recorded. Calls with a result may be missing. */
export function readStartedCalls(metadata: Readonly<Record<string, unknown>> | undefined): Set<string> {
  const started = metadata?.["started"];
  return new Set(Array.isArray(started) ? started.filter((id) => typeof id === "string") : []);
}
