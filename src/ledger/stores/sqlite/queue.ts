// Commits the work of all callers that wait at the same time as one transaction, so that they share the wait for the
// disk. Work that fails is undone alone; another process in the way is waited for without holding up this one.
import { runNow, type Steps } from "../../steps.ts";
import type { LedgerTransaction } from "../../store.ts";
import { Company } from "./company.ts";
import { type Connection, DATA_VERSION } from "./connection.ts";
import { isBusy } from "./errors.ts";
import type { SqliteTables } from "./heads.ts";
import { outOfPatience, pauseMs } from "./patience.ts";

/** The most that is committed together. */
const LARGEST_GROUP = 256;
/** How long work goes on before the rest of the process gets its turn: timers and sockets wait for it. */
const LONGEST_TURN_MS = 10;

interface Job {
  readonly work: (tx: LedgerTransaction) => Steps<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** What came of it, to be told once it is durable. */
  outcome: { value: unknown } | { error: unknown } | undefined;
  /** Whether it is committed by itself, so that others are not undone because of it. */
  alone: boolean;
  /** When it first met another process. */
  busySince: number | undefined;
}

export class CommitQueue {
  readonly #connection: Connection;
  readonly #transaction: SqliteTables;
  readonly #busyMs: number;
  readonly #waitsForDisk: boolean;
  readonly #committed: () => void;
  readonly #undone: () => void;
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Spent on commits since the rest of the process had its turn. */
  #spentMs = 0;
  readonly #company = new Company();
  #attempts = 0;
  readonly #idle: (() => void)[] = [];

  /** `committed` hears of every commit, before the callers do; `undone` of work that was taken back. */
  constructor(
    connection: Connection,
    transaction: SqliteTables,
    options: { busyMs: number; sync: "full" | "normal"; committed: () => void; undone: () => void },
  ) {
    this.#connection = connection;
    this.#transaction = transaction;
    this.#busyMs = options.busyMs;
    this.#waitsForDisk = options.sync === "full";
    this.#committed = options.committed;
    this.#undone = options.undone;
  }

  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // Given only what its own work came to, which is a T.
      const settle = resolve as (value: unknown) => void;
      this.#jobs.push({ work, resolve: settle, reject, outcome: undefined, alone: false, busySince: undefined });
      if (!this.#isScheduled) this.#schedule();
    });
  }

  /** Resolves when no work is waiting. */
  async idle(): Promise<void> {
    if (this.#isScheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Where a commit waits for the disk, callers that have something to do in this turn still get in. Where it does not,
   * they do if there are such: a single caller would pay for a turn of the loop with each commit.
   */
  #schedule(): void {
    this.#isScheduled = true;
    if (this.#waitsForDisk || this.#spentMs > LONGEST_TURN_MS || this.#company.isExpected()) {
      this.#spentMs = 0;
      setImmediate(this.#drain);
    } else {
      queueMicrotask(this.#drain);
    }
  }

  readonly #drain = (): void => {
    const group = this.#nextGroup();
    this.#company.came(group.length);
    const since = performance.now();
    try {
      this.#commit(group, since);
      this.#spentMs += performance.now() - since;
      this.#attempts = 0;
      for (const job of group) settle(job);
    } catch (error) {
      if (isBusy(error)) {
        this.#waitFor(group, error);
        return;
      }
      this.#separate(group, error);
    }
    this.#goOn();
  };

  #goOn(): void {
    if (this.#jobs.length > 0) {
      this.#schedule();
      return;
    }
    this.#isScheduled = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #nextGroup(): Job[] {
    const jobs = this.#jobs;
    let end = 1;
    if (jobs[0]?.alone !== true) while (end < jobs.length && end < LARGEST_GROUP && jobs[end]?.alone !== true) end++;
    if (end === jobs.length) {
      this.#jobs = [];
      return jobs;
    }
    return jobs.splice(0, end);
  }

  /** All of the group's work in one transaction. Throws where all of it was undone. */
  #commit(group: Job[], since: number): void {
    this.#connection.begin();
    try {
      this.#transaction.begun(Number(this.#connection.read(DATA_VERSION)[0]?.[0]));
      for (const [at, job] of group.entries()) {
        this.#run(job);
        const isLate = at + 1 < group.length && performance.now() - since > LONGEST_TURN_MS;
        if (isLate) this.#jobs = [...group.splice(at + 1), ...this.#jobs];
      }
      this.#connection.commit();
    } catch (error) {
      this.#connection.rollback();
      this.#transaction.undone();
      this.#undone();
      throw error;
    }
    this.#committed();
  }

  /** Work that fails before it has written anything leaves nothing to undo, and the others go on. */
  #run(job: Job): void {
    const before = this.#connection.writes;
    try {
      job.outcome = { value: runNow(job.work(this.#transaction)) };
    } catch (error) {
      job.outcome = { error };
      if (this.#connection.writes === before) return;
      job.alone = true;
      throw error;
    }
  }

  /** The whole group was undone, because of one of them or none in particular. That one, or each, is tried by itself. */
  #separate(group: Job[], error: unknown): void {
    if (group.length === 1) {
      group[0]?.reject(error);
      return;
    }
    if (!group.some(({ alone }) => alone)) for (const job of group) job.alone = true;
    this.#jobs = [...group, ...this.#jobs];
  }

  #waitFor(group: readonly Job[], error: unknown): void {
    const now = performance.now();
    const waiting: Job[] = [];
    for (const job of group) {
      job.busySince ??= now;
      if (now - job.busySince >= this.#busyMs) job.reject(outOfPatience(this.#busyMs, error));
      else waiting.push(job);
    }
    this.#jobs = [...waiting, ...this.#jobs];
    if (this.#jobs.length === 0) this.#goOn();
    else setTimeout(this.#drain, pauseMs(this.#attempts++));
  }
}

function settle({ outcome, resolve, reject }: Job): void {
  if (outcome === undefined) return;
  if ("error" in outcome) reject(outcome.error);
  else resolve(outcome.value);
}
