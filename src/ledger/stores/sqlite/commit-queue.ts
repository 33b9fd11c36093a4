// Commits the writes of all waiting callers in one SQLite transaction, so that they share the wait for the disk. A
// write that fails does not affect the other writes. While another process has the lock, this process is not blocked.
import { runSync, type Steps } from "../../store/steps.ts";
import type { LedgerTransaction } from "../../store/contract.ts";
import { CommitBatching } from "./commit-batching.ts";
import { type SqliteConnection, DATA_VERSION } from "./connection.ts";
import { isBusy } from "./errors.ts";
import type { SqliteTransaction } from "./head-cache.ts";
import { createBusyError, randomPauseMs } from "./busy-retry.ts";

/** The maximum number of writes in one commit. */
const MAX_GROUP_SIZE = 256;
/**
 * The time after which a commit begins no further write, and commits yield to the event loop, so that timers and
 * sockets of the process do not wait longer.
 */
const MAX_BLOCKING_MS = 10;

/** A write in the queue. */
interface QueuedWrite {
  readonly work: (tx: LedgerTransaction) => Steps<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The result or error of `work`. The caller receives it after the commit of its group, when results are durable. */
  outcome: { value: unknown } | { error: unknown } | undefined;
  /** True if the write is committed alone, so that its failure does not undo the writes of other callers. */
  isSeparate: boolean;
  /** The time when the write first had to wait for another process. */
  busySince: number | undefined;
}

/** The write queue of a SQLite store. */
export class CommitQueue {
  readonly #connection: SqliteConnection;
  readonly #transaction: SqliteTransaction;
  readonly #busyMs: number;
  readonly #waitsForDisk: boolean;
  readonly #onCommit: () => void;
  readonly #onRollback: () => void;
  #jobs: QueuedWrite[] = [];
  #isScheduled = false;
  /** The time in milliseconds that commits took since the queue last yielded to the event loop. */
  #spentMs = 0;
  readonly #batching = new CommitBatching();
  #attempts = 0;
  readonly #idle: (() => void)[] = [];

  /**
   * Creates a queue that calls `onCommit` after every commit, before the callers' promises resolve, and `onRollback`
   * after every rollback.
   */
  constructor(
    connection: SqliteConnection,
    transaction: SqliteTransaction,
    options: { busyMs: number; sync: "full" | "normal"; onCommit: () => void; onRollback: () => void },
  ) {
    this.#connection = connection;
    this.#transaction = transaction;
    this.#busyMs = options.busyMs;
    this.#waitsForDisk = options.sync === "full";
    this.#onCommit = options.onCommit;
    this.#onRollback = options.onRollback;
  }

  write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The cast is safe, because `resolve` receives only the result of `work`, a T.
      const settle = resolve as (value: unknown) => void;
      this.#jobs.push({ work, resolve: settle, reject, outcome: undefined, isSeparate: false, busySince: undefined });
      if (!this.#isScheduled) this.#schedule();
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    if (this.#isScheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Schedules the next commit. With "full" sync, every commit waits for further callers until the next tick of the
   * event loop. With "normal" sync, a commit waits only if earlier commits took MAX_BLOCKING_MS since the last tick, or
   * if recent commits had several callers: a tick per commit would slow down a single caller.
   */
  #schedule(): void {
    this.#isScheduled = true;
    if (this.#waitsForDisk || this.#spentMs > MAX_BLOCKING_MS || this.#batching.shouldDelay()) {
      this.#spentMs = 0;
      setImmediate(this.#drain);
    } else {
      queueMicrotask(this.#drain);
    }
  }

  readonly #drain = (): void => {
    const group = this.#nextGroup();
    this.#batching.addCommit(group.length);
    const since = performance.now();
    try {
      this.#commit(group, since);
      this.#spentMs += performance.now() - since;
      this.#attempts = 0;
      for (const job of group) settleWrite(job);
    } catch (error) {
      if (isBusy(error)) {
        this.#retryLater(group, error);
        return;
      }
      this.#retrySeparately(group, error);
    }
    this.#continue();
  };

  #continue(): void {
    if (this.#jobs.length > 0) {
      this.#schedule();
      return;
    }
    this.#isScheduled = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #nextGroup(): QueuedWrite[] {
    const jobs = this.#jobs;
    let end = 1;
    if (jobs[0]?.isSeparate !== true)
      while (end < jobs.length && end < MAX_GROUP_SIZE && jobs[end]?.isSeparate !== true) end++;
    if (end === jobs.length) {
      this.#jobs = [];
      return jobs;
    }
    return jobs.splice(0, end);
  }

  /**
   * Runs the writes of a group in one transaction. After MAX_BLOCKING_MS, returns the remaining writes to the queue.
   * Throws if the transaction was rolled back.
   */
  #commit(group: QueuedWrite[], since: number): void {
    this.#connection.begin();
    try {
      this.#transaction.onBegin(Number(this.#connection.read(DATA_VERSION)[0]?.[0]));
      for (const [at, job] of group.entries()) {
        this.#run(job);
        const isLate = at + 1 < group.length && performance.now() - since > MAX_BLOCKING_MS;
        if (isLate) this.#jobs = [...group.splice(at + 1), ...this.#jobs];
      }
      this.#connection.commit();
    } catch (error) {
      this.#connection.rollback();
      this.#transaction.onRollback();
      this.#onRollback();
      throw error;
    }
    this.#onCommit();
  }

  /**
   * Runs one write of a group. If the write fails before it has changed anything, only stores its error, so that the
   * group can continue. Otherwise throws, because the transaction of the group must be rolled back.
   */
  #run(job: QueuedWrite): void {
    const before = this.#connection.writes;
    try {
      job.outcome = { value: runSync(job.work(this.#transaction)) };
    } catch (error) {
      job.outcome = { error };
      if (this.#connection.writes === before) return;
      job.isSeparate = true;
      throw error;
    }
  }

  /**
   * Queues the writes of a group again after a rollback. The write that failed is committed alone; if the failed write
   * is unknown, every write is committed alone. If the group has only one write, rejects that write instead.
   */
  #retrySeparately(group: QueuedWrite[], error: unknown): void {
    if (group.length === 1) {
      group[0]?.reject(error);
      return;
    }
    if (!group.some(({ isSeparate }) => isSeparate)) for (const job of group) job.isSeparate = true;
    this.#jobs = [...group, ...this.#jobs];
  }

  #retryLater(group: readonly QueuedWrite[], error: unknown): void {
    const now = performance.now();
    const waiting: QueuedWrite[] = [];
    for (const job of group) {
      job.busySince ??= now;
      if (now - job.busySince >= this.#busyMs) job.reject(createBusyError(this.#busyMs, error));
      else waiting.push(job);
    }
    this.#jobs = [...waiting, ...this.#jobs];
    if (this.#jobs.length === 0) this.#continue();
    else setTimeout(this.#drain, randomPauseMs(this.#attempts++));
  }
}

function settleWrite({ outcome, resolve, reject }: QueuedWrite): void {
  if (outcome === undefined) return;
  if ("error" in outcome) reject(outcome.error);
  else resolve(outcome.value);
}
