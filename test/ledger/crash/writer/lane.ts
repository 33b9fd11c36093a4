// One lane of a writer: performs random operations one after the other, and logs each before and after.
import { LedgerError } from "../../../../src/ledger/errors.ts";
import type { Ledger } from "../../../../src/ledger/types.ts";
import { chooseOperation } from "./choose-operation.ts";
import { createDrafts } from "./content.ts";
import type { OperationFault, WriterLogLine, Operation, OperationKind, OperationResult } from "./writer-log.ts";
import { performOperation } from "./operations.ts";
import type { SeededRandom } from "../campaign/seeded-random.ts";
import { ThreadView } from "./lane-view.ts";

/** The shared objects of a lane. */
export interface LaneTools {
  ledger: Ledger;
  /**
   * The same store with a clock after the end of every lease; undefined if other writers' runs must not be recovered.
   */
  late: Ledger | undefined;
  random: SeededRandom;
  log: (line: WriterLogLine) => void;
  /** Returns a name that is unique in the campaign. */
  nextName: () => string;
  /** Called with the kind of the current operation. */
  enter: (kind: OperationKind | undefined) => void;
}

export interface LanePlan {
  threads: string[];
  /** Operations with a key and without a response; they are retried first. */
  retries: { name: string; what: Operation }[];
  /** A kind of operation to perform more often. */
  focus?: OperationKind;
  /** True if replaced messages may be purged. */
  purge: boolean;
}

export class Lane {
  readonly views: ThreadView[];
  readonly tools: LaneTools;
  readonly plan: LanePlan;
  readonly #number: number;

  constructor(number: number, plan: LanePlan, tools: LaneTools) {
    this.#number = number;
    this.plan = plan;
    this.tools = tools;
    this.views = plan.threads.map((id) => new ThreadView(id));
  }

  /** Creates missing threads, reads them, and retries operations without a response. */
  async begin(): Promise<void> {
    for (const view of this.views) {
      await this.attempt({ kind: "create", threadId: view.id });
      await this.attempt({ kind: "observe", threadId: view.id });
    }
    for (const { name, what } of this.plan.retries) await this.attempt(what, name);
  }

  /** Performs one random operation. */
  async step(): Promise<void> {
    const chosen = chooseOperation(this);
    if (chosen !== undefined) await this.attempt(chosen.what, chosen.name);
  }

  view(threadId: string): ThreadView {
    const view = this.views.find(({ id }) => id === threadId);
    if (view === undefined) throw new Error(`A lane without the thread ${threadId}.`);
    return view;
  }

  /** Performs one operation and its consequences. */
  async attempt(what: Operation, name = this.tools.nextName()): Promise<void> {
    const { log, enter } = this.tools;
    log({ at: "intent", operation: name, lane: this.#number, what });
    enter(what.kind);
    let result: OperationResult;
    try {
      result = await performOperation(this, name, what);
    } catch (error) {
      const fault = toFault(error);
      log({ at: "fault", operation: name, fault });
      await this.#cope(name, what, fault);
      return;
    } finally {
      enter(undefined);
    }
    log({ at: "done", operation: name, result });
    await this.#follow(what, result);
  }

  /** After a success: reads the thread after a purge; a client with a matched history appends its new message. */
  async #follow(what: Operation, result: OperationResult): Promise<void> {
    const { threadMatch } = result;
    if (what.kind === "purge") await this.attempt({ kind: "observe", threadId: what.threadId });
    if (what.kind !== "findThread" || threadMatch === undefined || threadMatch.sent === 0) return;
    const name = this.tools.nextName();
    const drafts = createDrafts(this.tools.random, name, ["user"]);
    await this.attempt({ kind: "append", threadId: what.threadId, drafts, parent: threadMatch.leaf }, name);
  }

  /** After an error: drops the run; if the outcome is unknown, retries or reads the thread. */
  async #cope(name: string, what: Operation, fault: OperationFault): Promise<void> {
    if ("runId" in what) this.view(what.threadId).drop(what.runId);
    if (fault.code !== "unavailable") return;
    await new Promise((resolve) => void setTimeout(resolve, 25));
    if ("key" in what && what.key !== undefined) return this.attempt(what, name);
    if (what.kind === "create") return this.attempt(what);
    if ("threadId" in what && fault.outcome === "unknown")
      await this.attempt({ kind: "observe", threadId: what.threadId });
    else if (what.kind === "observe") await this.attempt(what);
  }
}

function toFault(error: unknown): OperationFault {
  if (!(error instanceof LedgerError))
    return { code: "", message: error instanceof Error ? `${error.stack}` : String(error) };
  const { code, message, outcome } = error;
  return outcome === undefined ? { code, message } : { code, message, outcome };
}
