// One attacked database: rounds of writers that are killed, with a check after each round.
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "../../../../src/ledger/types.ts";
import { Checker, type CheckOptions } from "../checker/checker.ts";
import { copyDatabase, readDatabaseRows, removeDatabase } from "../checker/database-rows.ts";
import { type Attempt, WriterHistory, isOperationKind, readOutcome } from "../checker/writer-history.ts";
import type { Findings } from "../checker/invariants.ts";
import type { WriterLogLine } from "../writer/writer-log.ts";
import type { LanePlan } from "../writer/lane.ts";
import { waitForIdle } from "./wait-for-idle.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { openAfterLeases, openCampaignLedger, openStore, type Target } from "./target.ts";
import type { KillPoint, WorkerPlan } from "../writer/writer-program.ts";
import { startWriter, type WriterProcess } from "./writer-process.ts";

/** The planned end of a writer. */
export type PlannedEnd =
  /** This many milliseconds after it was ready or started. */
  | { by: "time"; after: "ready" | "start"; ms: number }
  /** After the concurrent activity has ended. */
  | { by: "order" }
  /** By itself at a trace point; from outside after a while if it does not reach the point. */
  | { by: "point"; at: KillPoint }
  | { by: "peace"; steps: number };

/** The actual end of a writer. */
export type ActualEnd = "time" | "point" | "peace";

/** Activity during the writers' work; it receives a promise that resolves when all of them are ready. */
type ConcurrentActivity = (ready: Promise<unknown>) => Promise<unknown>;

interface Worker {
  number: number;
  death: PlannedEnd;
  writer: WriterProcess;
  atPoint: boolean;
}

/** The writers and their threads. */
export interface Layout {
  writers: number;
  /** The lanes of each writer. */
  lanes: number;
  /** "one" thread for all writers, or also own threads of each writer. */
  threads: "one" | "many";
}

export interface AttackOptions {
  /** The path of the writer program. */
  program: string;
  target: Target;
  layout: Layout;
  findings: Findings;
  random: SeededRandom;
  /** True if the database server itself is stopped: writers then receive "unavailable". */
  outage?: boolean;
  onLine?: (line: WriterLogLine) => void;
}

const PATIENCE_MS = 4000;

let workers = 0;

export class AttackedDatabase {
  readonly #program: string;
  readonly target: Target;
  readonly layout: Layout;
  readonly history = new WriterHistory();
  readonly #checker = new Checker();
  readonly #findings: Findings;
  readonly #random: SeededRandom;
  readonly #onLine: (line: WriterLogLine) => void;
  readonly #outage: boolean;
  /** Operations to retry, by lane of each writer. */
  #retries: Attempt[] = [];
  /** True if runs of dead writers may remain: then no lane purges, because the time of their recovery is unknown. */
  #orphans = false;

  constructor({ program, target, layout, findings, random, outage = false, onLine = () => undefined }: AttackOptions) {
    this.#program = program;
    this.target = target;
    this.#outage = outage;
    this.layout = layout;
    this.#findings = findings;
    this.#random = random;
    this.#onLine = onLine;
  }

  get alone(): boolean {
    return this.layout.writers * this.layout.lanes === 1;
  }

  /** Starts a writer for each planned end, waits until all have ended, and checks. Returns how each ended. */
  async round(deaths: readonly PlannedEnd[], meanwhile: ConcurrentActivity = (ready) => ready): Promise<ActualEnd[]> {
    const first = this.history.attempts.length;
    const workers = deaths.map((death, slot) => this.#start(slot, death));
    const order = meanwhile(Promise.all(workers.map(({ writer }) => writer.ready)));
    const endings = await Promise.all(workers.map((worker) => this.#bury(worker, order)));
    await waitForIdle(this.target);
    this.#retries = this.history.attempts.slice(first).filter((attempt) => this.#isRetried(attempt));
    await this.#look();
    return endings;
  }

  #start(slot: number, death: PlannedEnd): Worker {
    const number = workers++;
    const worker = { number, death, atPoint: false };
    const writer = startWriter(this.#program, this.#plan(slot, number, death), (line) => {
      this.history.take(number, line);
      if (line.at === "kill") worker.atPoint = true;
      this.#onLine(line);
    });
    return Object.assign(worker, { writer });
  }

  /** Ends a writer. */
  async #bury(worker: Worker, order: Promise<unknown>): Promise<ActualEnd> {
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

  #plan(slot: number, worker: number, death: PlannedEnd): WorkerPlan {
    const lanes = Array.from({ length: this.layout.lanes }, (_, lane): LanePlan => {
      const threads = this.#threadsOf(slot, lane);
      // In a shared thread, only the first writer retries.
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

  /** Collects operations with a key to retry: those without a response, and sometimes others. */
  #isRetried(attempt: Attempt): boolean {
    const outcome = readOutcome(attempt);
    if (!isOperationKind(attempt, "append", "begin") || attempt.what.key === undefined) return false;
    return outcome === "maybe" || (outcome === "done" && this.#random.chance(0.1));
  }

  /** Checks; then either leaves the crash to the next writer, or recovers the remaining runs and checks again. */
  async #look(): Promise<void> {
    // With several writers, remaining runs must not be recovered while a lane purges.
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
    const facts = await readDatabaseRows(target);
    const store = await openStore(target, () => undefined);
    const problems: string[] = [];
    const ledger = openCampaignLedger(store, {
      onProblem: ({ messageId, reason }) => problems.push(`${messageId}: ${reason}`),
    });
    const read = async (threadId: string): ReturnType<CheckOptions["read"]> => (await ledger.tree(threadId)).messages;
    await this.#checker.check({ history, facts, read, findings, outage });
    if (recover) await this.#recover(openAfterLeases(store), { history, findings, read });
    if (this.#random.chance(0.1)) await verify(ledger, findings);
    findings.expect("readable", problems.length === 0, "ledger", () => problems.join("; "));
    await ledger.close();
  }

  async #recover(late: Ledger, look: Omit<CheckOptions, "facts">): Promise<void> {
    await late.recover();
    await this.#checker.check({ ...look, facts: await readDatabaseRows(this.target), recovered: true });
  }
}

async function verify(ledger: Ledger, findings: Findings): Promise<void> {
  const problems = await ledger.verify();
  findings.expect("readable", problems.length === 0, "ledger", () => JSON.stringify(problems).slice(0, 500));
}
