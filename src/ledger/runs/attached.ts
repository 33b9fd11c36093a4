// A run that was begun before with the same idempotency key: it can be looked at, and what it came to is given again, but
// it belongs to its own writer.
import type { RunRow } from "../rows.ts";
import { LedgerError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { CommitResult, EndResult, Run, RunInfo } from "../types.ts";
import { infoOf } from "./info.ts";
import { unknownRun } from "./locked.ts";
import { readOutcome } from "./outcome.ts";
import { type RunStep, transition } from "./transitions.ts";

export class AttachedRun implements Run {
  readonly id: string;
  readonly threadId: string;
  readonly attached = true;
  readonly #scope: Scope;
  #row: RunRow;

  constructor(scope: Scope, row: RunRow) {
    this.id = row.id;
    this.threadId = row.threadId;
    this.#scope = scope;
    this.#row = row;
  }

  get info(): RunInfo {
    return infoOf(this.#row, this.#scope.report);
  }

  async append(): Promise<void> {
    await this.#again("append");
  }

  /** Nothing is taken, and nothing can be committed here: that is told by `commit`. */
  push(): void {}

  async note(): Promise<void> {
    throw this.#notOurs();
  }

  async commit(): Promise<CommitResult> {
    return this.#again("commit");
  }

  async fail(): Promise<EndResult> {
    return this.#ended("fail");
  }

  async cancel(): Promise<EndResult> {
    return this.#ended("cancel");
  }

  async heartbeat(): Promise<void> {
    throw this.#notOurs();
  }

  /** It was never held. */
  async release(): Promise<void> {}

  async #ended(step: RunStep): Promise<EndResult> {
    const { messages } = await this.#again(step);
    return { messages };
  }

  /** What a run that has ended this way came to. */
  async #again(step: RunStep): Promise<CommitResult> {
    const row = await this.#scope.store.reads.run(this.#scope.tenant, this.id);
    if (row === undefined) throw unknownRun(this.id);
    this.#row = row;
    if (transition(row, step) !== "same") throw this.#notOurs();
    return readOutcome(this.#scope, row);
  }

  #notOurs(): LedgerError {
    return new LedgerError(
      "fenced",
      `Run ${this.id} was begun with the same key before and belongs to that writer; follow it, or take it over with resumeRun.`,
    );
  }
}
