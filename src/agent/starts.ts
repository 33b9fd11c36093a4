// The record of which calls were begun. Written before a tool runs, so that whoever goes on after a crash can tell a call
// that may have taken effect from one that cannot.
import type { Run } from "../ledger/index.ts";
import { letOthersRun } from "./waiting.ts";

export class StartedCalls {
  readonly #run: Run;
  /** Those that have begun and have no result yet: one with a result is known by it. */
  readonly #open: Set<string>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  /** `begun` are calls of which an earlier process wrote it. */
  constructor(run: Run, begun: Iterable<string>) {
    this.#run = run;
    this.#open = new Set(begun);
  }

  /**
   * Resolves once it is durable, with the whole answer. Calls that begin together share one write. After one that failed
   * there is no other: it would tell of calls that never ran.
   */
  note(toolCallId: string): Promise<void> {
    this.#open.add(toolCallId);
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  /** The call has a result that is durable. */
  forget(toolCallId: string): void {
    this.#open.delete(toolCallId);
  }

  async #write(before: Promise<void>): Promise<void> {
    await before;
    // Those that are about to begin, too.
    await letOthersRun();
    this.#next = undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    const written = this.#run.note({ started: [...this.#open] });
    this.#last = written.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    return written;
  }
}

/** The calls that a run says were begun; of those that it has results of, not all. */
export function startedCalls(metadata: Readonly<Record<string, unknown>> | undefined): Set<string> {
  const started = metadata?.["started"];
  return new Set(Array.isArray(started) ? started.filter((id) => typeof id === "string") : []);
}
