// One database under attack: rounds of writers that are killed, and after each round a look at what is left.
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "../../../src/ledger/types.ts";
import { Checker, type Look } from "./checker.ts";
import { copyDatabase, readFacts, removeDatabase } from "./facts.ts";
import { type Attempt, History, isKind, outcomeOf } from "./history.ts";
import type { Findings } from "./invariants.ts";
import type { Line } from "./journal.ts";
import type { LanePlan } from "./lane.ts";
import { quiet } from "./quiet.ts";
import type { Seeded } from "./seeded.ts";
import { openLate, openOn, openStore, type Target } from "./target.ts";
import type { KillPoint, WorkerPlan } from "./worker.ts";
import { startWriter, type WriterProcess } from "./writer-process.ts";

/** How a writer comes to its end. */
export type Death =
  /** So many milliseconds after it was ready, or after it was started. */
  | { by: "time"; after: "ready" | "start"; ms: number }
  /** When what goes on meanwhile is over. */
  | { by: "order" }
  /** By itself at a point; after a while from outside, where it does not come there. */
  | { by: "point"; at: KillPoint }
  | { by: "peace"; steps: number };

/** How it came to its end in fact. */
export type Ending = "time" | "point" | "peace";

/** What goes on while writers work; it is told when all of them are ready. */
type Meanwhile = (ready: Promise<unknown>) => Promise<unknown>;

interface Worker {
  number: number;
  death: Death;
  writer: WriterProcess;
  atPoint: boolean;
}

/** Who writes where. */
export interface Layout {
  writers: number;
  /** Lanes of each writer. */
  lanes: number;
  /** Whether all of them write to one thread, or each also to threads of its own. */
  threads: "one" | "many";
}

export interface SiteOptions {
  /** The writers' program. */
  program: string;
  target: Target;
  layout: Layout;
  findings: Findings;
  random: Seeded;
  /** Whether the database itself is stopped meanwhile: writers then hear that it is unavailable. */
  outage?: boolean;
  hear?: (line: Line) => void;
}

const PATIENCE_MS = 4000;

let workers = 0;

export class Site {
  readonly #program: string;
  readonly target: Target;
  readonly layout: Layout;
  readonly history = new History();
  readonly #checker = new Checker();
  readonly #findings: Findings;
  readonly #random: Seeded;
  readonly #hear: (line: Line) => void;
  readonly #outage: boolean;
  /** By lane of each writer: operations to try again. */
  #retries: Attempt[] = [];
  /** Whether runs of writers that are gone may be left: then nobody purges, since who ends them when is not known. */
  #orphans = false;

  constructor({ program, target, layout, findings, random, outage = false, hear = () => undefined }: SiteOptions) {
    this.#program = program;
    this.target = target;
    this.#outage = outage;
    this.layout = layout;
    this.#findings = findings;
    this.#random = random;
    this.#hear = hear;
  }

  get alone(): boolean {
    return this.layout.writers * this.layout.lanes === 1;
  }

  /** Starts a writer for each death, waits until all are gone, and checks. Says how each ended. */
  async round(deaths: readonly Death[], meanwhile: Meanwhile = (ready) => ready): Promise<Ending[]> {
    const first = this.history.attempts.length;
    const workers = deaths.map((death, slot) => this.#start(slot, death));
    const order = meanwhile(Promise.all(workers.map(({ writer }) => writer.ready)));
    const endings = await Promise.all(workers.map((worker) => this.#bury(worker, order)));
    await quiet(this.target);
    this.#retries = this.history.attempts.slice(first).filter((attempt) => this.#isRetried(attempt));
    await this.#look();
    return endings;
  }

  #start(slot: number, death: Death): Worker {
    const number = workers++;
    const worker = { number, death, atPoint: false };
    const writer = startWriter(this.#program, this.#plan(slot, number, death), (line) => {
      this.history.take(number, line);
      if (line.at === "kill") worker.atPoint = true;
      this.#hear(line);
    });
    return Object.assign(worker, { writer });
  }

  /** Brings a writer to its end. */
  async #bury(worker: Worker, order: Promise<unknown>): Promise<Ending> {
    const { number, death, writer } = worker;
    if (death.by !== "peace") {
      if (death.by !== "time" || death.after === "ready") await writer.ready;
      const time = death.by === "time" ? death.ms : PATIENCE_MS;
      await Promise.race([writer.exit, death.by === "order" ? order : pause(time)]);
      writer.kill();
    }
    const { killed, trouble } = await writer.exit;
    this.#findings.expect("errors", trouble === undefined, `worker ${number}`, () => trouble ?? "");
    if (!killed) return "peace";
    return worker.atPoint ? "point" : "time";
  }

  #plan(slot: number, worker: number, death: Death): WorkerPlan {
    const lanes = Array.from({ length: this.layout.lanes }, (_, lane): LanePlan => {
      const threads = this.#threadsOf(slot, lane);
      // A thread that several write to: its first writer tries again.
      const mine = (threadId: string): boolean =>
        threads.includes(threadId) && (threadId.startsWith("own") || (slot === 0 && lane === 0));
      const retries = this.#retries.flatMap(({ name, what }) =>
        "threadId" in what && mine(what.threadId) ? [{ name, what }] : [],
      );
      const plan: LanePlan = { threads, retries, purge: !this.#orphans && !this.#outage };
      if (death.by === "point") plan.focus = death.at.kind;
      return plan;
    });
    const plan: WorkerPlan = { target: this.target, worker, seed: this.#random.seed(), lanes, alone: this.alone };
    if (death.by === "point") plan.kill = death.at;
    if (death.by === "peace") plan.steps = death.steps;
    return plan;
  }

  #threadsOf(slot: number, lane: number): string[] {
    if (this.layout.threads === "one")
      return [this.alone ? "own-0" : this.layout.writers === 4 ? "mixed-0" : "chain-0"];
    return [`own-${slot}-${lane}-a`, `own-${slot}-${lane}-b`, "mixed-0", "chain-0"];
  }

  /** What nobody answered for is tried again where it has a key, and now and then what was answered too. */
  #isRetried(attempt: Attempt): boolean {
    const outcome = outcomeOf(attempt);
    if (!isKind(attempt, "append", "begin") || attempt.what.key === undefined) return false;
    return outcome === "maybe" || (outcome === "done" && this.#random.chance(0.1));
  }

  /** Checks; then either leaves the crash to the next writer, or ends the runs that were left and checks again. */
  async #look(): Promise<void> {
    // Where there is more than one writer, runs that were left must not be ended while somebody purges.
    const leave = this.#random.chance(this.alone ? 0.5 : 0.25);
    if (leave && this.target.engine === "sqlite") {
      const copy = copyDatabase(this.target.path);
      await this.#check({ ...this.target, path: copy }, false);
      removeDatabase(copy);
    } else await this.#check(this.target, !leave);
    this.#orphans = leave && !this.alone;
  }

  async #check(target: Target, recover: boolean): Promise<void> {
    const { history } = this;
    const findings = this.#findings;
    const outage = this.#outage;
    const facts = await readFacts(target);
    const store = await openStore(target, () => undefined);
    const problems: string[] = [];
    const ledger = openOn(store, { onProblem: ({ messageId, reason }) => problems.push(`${messageId}: ${reason}`) });
    const read = async (threadId: string): ReturnType<Look["read"]> => (await ledger.tree(threadId)).messages;
    await this.#checker.check({ history, facts, read, findings, outage });
    if (recover) await this.#recover(openLate(store), { history, findings, read });
    if (this.#random.chance(0.1)) await verify(ledger, findings);
    findings.expect("readable", problems.length === 0, "ledger", () => problems.join("; "));
    await ledger.close();
  }

  async #recover(late: Ledger, look: Omit<Look, "facts">): Promise<void> {
    await late.recover();
    await this.#checker.check({ ...look, facts: await readFacts(this.target), recovered: true });
  }
}

async function verify(ledger: Ledger, findings: Findings): Promise<void> {
  const problems = await ledger.verify();
  findings.expect("readable", problems.length === 0, "ledger", () => JSON.stringify(problems).slice(0, 500));
}
