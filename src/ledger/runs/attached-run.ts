// Implements the handle of a run that was begun earlier with the same idempotency key. The handle reads the run and
// returns its result, but cannot write.
import type { RunRow } from "../store/rows.ts";
import { LedgerError } from "../errors.ts";
import type { LedgerScope } from "../scope.ts";
import type { CommitResult, EndResult, Run, RunInfo } from "../types.ts";
import { toRunInfo } from "./run-info.ts";
import { createUnknownRunError } from "./lock-run.ts";
import { readOutcome } from "./run-outcome.ts";
import { type RunStep, requireTransition } from "./transitions.ts";

export class AttachedRun implements Run {
  readonly id: string;
  readonly threadId: string;
  readonly attached = true;
  readonly #scope: LedgerScope;
  #row: RunRow;

  constructor(scope: LedgerScope, row: RunRow) {
    this.id = row.id;
    this.threadId = row.threadId;
    this.#scope = scope;
    this.#row = row;
  }

  get info(): RunInfo {
    return toRunInfo(this.#row, this.#scope.report);
  }

  async append(): Promise<void> {
    await this.#readEnded("append");
  }

  /** Does nothing: this handle cannot write, but `push` never throws. `commit` throws the error. */
  push(): void {}

  async mergeMetadata(): Promise<void> {
    throw this.#createFencedError();
  }

  async commit(): Promise<CommitResult> {
    return this.#readEnded("commit");
  }

  async fail(): Promise<EndResult> {
    return this.#readEndResult("fail");
  }

  async cancel(): Promise<EndResult> {
    return this.#readEndResult("cancel");
  }

  async heartbeat(): Promise<void> {
    throw this.#createFencedError();
  }

  /** Does nothing: this handle has no lease. */
  async release(): Promise<void> {}

  async #readEndResult(step: RunStep): Promise<EndResult> {
    const { messages } = await this.#readEnded(step);
    return { messages };
  }

  /**
   * Returns the result of the run if the run ended with this step. Throws "fenced" if the run is live, and the error of
   * `requireTransition` if the run ended with another step.
   */
  async #readEnded(step: RunStep): Promise<CommitResult> {
    const row = await this.#scope.store.reads.run(this.#scope.tenant, this.id);
    if (row === undefined) throw createUnknownRunError(this.id);
    this.#row = row;
    if (requireTransition(row, step) !== "same") throw this.#createFencedError();
    return readOutcome(this.#scope, row);
  }

  #createFencedError(): LedgerError {
    return new LedgerError(
      "fenced",
      `Run ${this.id} was begun earlier with the same idempotency key and belongs to that writer; follow it, or take it over with resumeRun.`,
    );
  }
}
