// One of a writer's lanes: does operations one after the other, chosen at random, and says before and after each what it is.
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { Ledger } from "../../../src/ledger/types.ts";
import { choose } from "./choices.ts";
import { draftsOf } from "./content.ts";
import type { Fault, Line, Operation, OperationKind, Result } from "./journal.ts";
import { perform } from "./operations.ts";
import type { Seeded } from "./seeded.ts";
import { ThreadView } from "./view.ts";

/** What a lane works with. */
export interface LaneTools {
  ledger: Ledger;
  /** The same store with a clock that is past every lease, or undefined where other writers' runs must be left alone. */
  late: Ledger | undefined;
  random: Seeded;
  say: (line: Line) => void;
  /** A name that no other operation of the campaign has. */
  nextName: () => string;
  /** Told which kind of operation is under way. */
  enter: (kind: OperationKind | undefined) => void;
}

export interface LanePlan {
  threads: string[];
  /** Operations with a key that nobody answered for: they are tried again first. */
  retries: { name: string; what: Operation }[];
  /** A kind of operation to do more often than others. */
  focus?: OperationKind;
  /** Whether what was replaced may be purged. */
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

  /** Makes sure that the threads are there, sees what is in them, and tries again what nobody answered for. */
  async begin(): Promise<void> {
    for (const view of this.views) {
      await this.attempt({ kind: "create", threadId: view.id });
      await this.attempt({ kind: "observe", threadId: view.id });
    }
    for (const { name, what } of this.plan.retries) await this.attempt(what, name);
  }

  /** One operation of the mix. */
  async step(): Promise<void> {
    const chosen = choose(this);
    if (chosen !== undefined) await this.attempt(chosen.what, chosen.name);
  }

  view(threadId: string): ThreadView {
    const view = this.views.find(({ id }) => id === threadId);
    if (view === undefined) throw new Error(`A lane without the thread ${threadId}.`);
    return view;
  }

  /** Does one operation, and what follows from its outcome. */
  async attempt(what: Operation, name = this.tools.nextName()): Promise<void> {
    const { say, enter } = this.tools;
    say({ at: "intent", operation: name, lane: this.#number, what });
    enter(what.kind);
    let result: Result;
    try {
      result = await perform(this, name, what);
    } catch (error) {
      const fault = faultOf(error);
      say({ at: "fault", operation: name, fault });
      await this.#cope(name, what, fault);
      return;
    } finally {
      enter(undefined);
    }
    say({ at: "done", operation: name, result });
    await this.#follow(what, result);
  }

  /** What comes of a success: a purge is looked at, and a client that was recognised adds its new message. */
  async #follow(what: Operation, result: Result): Promise<void> {
    const { recognised } = result;
    if (what.kind === "purge") await this.attempt({ kind: "observe", threadId: what.threadId });
    if (what.kind !== "recognise" || recognised === undefined || recognised.sent === 0) return;
    const name = this.tools.nextName();
    const drafts = draftsOf(this.tools.random, name, ["user"]);
    await this.attempt({ kind: "append", threadId: what.threadId, drafts, parent: recognised.leaf }, name);
  }

  /** After an error: a run is let go, and where the outcome is open, the same is tried again or looked at. */
  async #cope(name: string, what: Operation, fault: Fault): Promise<void> {
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

function faultOf(error: unknown): Fault {
  if (!(error instanceof LedgerError))
    return { code: "", message: error instanceof Error ? `${error.stack}` : String(error) };
  const { code, message, outcome } = error;
  return outcome === undefined ? { code, message } : { code, message, outcome };
}
