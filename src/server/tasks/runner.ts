// Runs tasks: claims the work of tasks from the ledger, and releases work at shutdown. A lease ensures that only one
// process works on a task. The work of a dead process is claimed when its lease has expired.
import type { Ledger, WorkLease } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { OpenCallLimiter } from "../http/open-call-limiter.ts";
import type { Services } from "../types.ts";
import type { TaskAgents } from "./agents.ts";
import { TaskExecution } from "./task-execution.ts";
import type { TaskEntry } from "./journal-entries.ts";
import type { TaskJournal, JournalCache } from "./journal.ts";
import { nextQueuedMessages } from "./task-state.ts";
import { readTaskSettings } from "./task.ts";
import { toThreadMessage } from "./thread-message.ts";

/**
 * The maximum interval between two searches for claimable work, such as the work of dead processes, in milliseconds.
 */
const MAX_POLL_MS = 5000;
const DEFAULT_LEASE_MS = 30_000;
/**
 * The time in milliseconds for which the runner keeps the lease of a task after a transient error. Then it releases the
 * work, so that any process can claim it again.
 */
const RETRY_DELAY_MS = 3000;

/** A task whose lease this process holds. */
interface HeldTask {
  execution?: TaskExecution;
  /**
   * True if `wake` was called for the task after the claim. The task may then have new work, so it is claimed again at
   * the end of the execution.
   */
  isWorkRequested: boolean;
}

export interface TaskRunnerOptions {
  services: Services;
  journals: JournalCache;
  agents: TaskAgents;
}

export class TaskRunner {
  readonly #options: TaskRunnerOptions;
  readonly #heldTasks = new Map<string, HeldTask>();
  readonly #executions = new Set<Promise<void>>();
  /** The limiter of running tasks. A tenant can run as many tasks at the same time as it can have open calls. */
  readonly #openCalls: OpenCallLimiter;
  readonly #stopSignal = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    const { draining, config } = options.services;
    this.#openCalls = new OpenCallLimiter(config, () => undefined);
    if (draining.aborted) this.#releaseAll();
    else draining.addEventListener("abort", () => this.#releaseAll(), { once: true });
  }

  start(): void {
    this.#polling ??= this.#poll();
  }

  /**
   * Stops claiming work. Work in progress is released after its current step, or when the server's signal `stopping` is
   * aborted.
   */
  async stop(): Promise<void> {
    this.#releaseAll();
    await this.#polling;
    await Promise.all(this.#executions);
  }

  /**
   * Notifies the runner of a new journal entry of a task. If this process holds the task, its execution reads the
   * entry; otherwise the task is claimed. The returned promise never rejects.
   */
  async wake(ledger: Ledger, threadId: string): Promise<void> {
    const heldTask = this.#heldTasks.get(createTaskKey(ledger.tenant, threadId));
    if (heldTask !== undefined) {
      heldTask.isWorkRequested = true;
      heldTask.execution?.wake();
      return;
    }
    await this.#claim(ledger, threadId);
  }

  #releaseAll(): void {
    this.#stopSignal.abort();
    for (const { execution } of this.#heldTasks.values()) execution?.release();
  }

  async #poll(): Promise<void> {
    const { services } = this.#options;
    const lease = services.config.ledger.leaseMs ?? DEFAULT_LEASE_MS;
    const pause = Math.min(lease / 4, MAX_POLL_MS);
    const { ledger, config } = services;
    const tenants = config.tenants.size === 0 ? [ledger.tenant] : [...config.tenants.keys()];
    const all = tenants.map((tenant) => ledger.forTenant(tenant));
    while (!this.#stopSignal.signal.aborted) {
      // Work is claimed from each tenant in turn, so that a tenant with many tasks does not delay the others.
      for (let claimable = all; claimable.length > 0;) {
        const more: Ledger[] = [];
        for (const each of claimable) if (await this.#claim(each)) more.push(each);
        claimable = more;
      }
      await services.clientContext.effects.sleep(pause, this.#stopSignal.signal).catch(() => undefined);
    }
  }

  /**
   * Claims and starts one piece of work: of any task of the tenant, or of the task `threadId` if it is given. Returns
   * true if work was claimed. Never rejects.
   */
  async #claim(ledger: Ledger, threadId?: string): Promise<boolean> {
    const { services } = this.#options;
    // No work is claimed during shutdown, or if the tenant has reached its limit of running tasks. The work then stays
    // in the work queue.
    if (this.#stopSignal.signal.aborted || !this.#tryCount(ledger.tenant)) return false;
    let work: WorkLease | undefined;
    try {
      work = await ledger.claimWork({ holder: services.instance, threadId });
    } catch (error) {
      this.#report("task-work-not-claimed", {}, error);
    }
    if (work === undefined) {
      this.#openCalls.leave(ledger.tenant);
      return false;
    }
    const execution = this.#perform(work).finally(() => {
      this.#executions.delete(execution);
      this.#openCalls.leave(ledger.tenant);
      // The next work of the tenant is claimed at once, because the tenant is below its limit of running tasks again.
      services.background(this.#claim(ledger));
    });
    this.#executions.add(execution);
    services.background(execution);
    return true;
  }

  #tryCount(tenant: string): boolean {
    try {
      this.#openCalls.enter(tenant);
      return true;
    } catch {
      return false;
    }
  }

  async #perform(work: WorkLease): Promise<void> {
    const { services, journals } = this.#options;
    const { threadId, tenant, ledger } = work;
    const key = createTaskKey(tenant, threadId);
    const heldTask: HeldTask = { isWorkRequested: false };
    this.#heldTasks.set(key, heldTask);
    const running = services.metrics.gauge("koine_tasks_running", "Tasks that run in this process.");
    running.add(1);
    try {
      await this.#workOn(work, heldTask, journals.open(ledger, threadId));
    } catch (error) {
      await this.#releaseAfterError(work, error);
    } finally {
      running.add(-1);
      // If the lease was lost, this process may have claimed the task again. In that case the map contains the entry of
      // the newer claim, which is not removed.
      if (this.#heldTasks.get(key) === heldTask) this.#heldTasks.delete(key);
    }
    // If a message or decision arrived during the execution, the task may have new work, so it is claimed again.
    if (heldTask.isWorkRequested) await this.wake(ledger, threadId);
  }

  async #workOn(work: WorkLease, heldTask: HeldTask, journal: TaskJournal): Promise<void> {
    const { services, agents } = this.#options;
    for (;;) {
      if (this.#stopSignal.signal.aborted || work.lost.aborted) return work.release();
      const state = await journal.read();
      if (state.running) {
        const task = readTaskSettings(await work.ledger.thread(work.threadId));
        const execution = new TaskExecution({ services, agents, work, journal, task });
        heldTask.execution = execution;
        if (this.#stopSignal.signal.aborted) execution.release();
        const end = await execution.run();
        if (end === "released") return work.release();
        // A task that waits for an approval needs no lease, because the decision requests work again. `complete` gives
        // up the lease; it returns false if work was requested in the meantime, and the loop then continues.
        if (end === "waiting" && (await work.complete())) return;
      } else if (state.queue.length > 0 && !state.isQueueHeld) await startFromQueue(journal, work);
      else if (await work.complete()) return;
    }
  }

  /**
   * Releases work after an error. Waits before the release if the error may be transient, so that the work is not
   * claimed again at once.
   */
  async #releaseAfterError(work: WorkLease, error: unknown): Promise<void> {
    const { services, journals } = this.#options;
    if (error instanceof LedgerError && error.code === "unknown-thread") {
      journals.forget(work.ledger, work.threadId);
      return work.release();
    }
    const isLost = work.lost.aborted || (error instanceof LedgerError && error.code === "fenced");
    if (!isLost) {
      this.#report("task-work-interrupted", { task: work.threadId }, error);
      await services.clientContext.effects.sleep(RETRY_DELAY_MS, this.#stopSignal.signal).catch(() => undefined);
    }
    await work.release();
  }

  #report(event: string, fields: Record<string, string>, error: unknown): void {
    if (this.#stopSignal.signal.aborted && error instanceof LedgerError) return;
    this.#options.services.log.error(event, fields, error);
  }
}

/** Starts the work of an idle task: appends its next queued messages to the thread and removes them from the queue. */
async function startFromQueue(journal: TaskJournal, work: WorkLease): Promise<void> {
  await journal.change((state) => {
    const next = nextQueuedMessages(state);
    const [first] = next;
    if (state.running || first === undefined) return undefined;
    const unqueuedEntries = next.map(({ id }): TaskEntry => ({ type: "unqueued", id, said: true }));
    return {
      workLease: work,
      entries: [{ type: "began", id: first.id }, ...unqueuedEntries],
      append: { messages: next.map(toThreadMessage) },
    };
  });
}

function createTaskKey(tenant: string, threadId: string): string {
  return `${tenant}\n${threadId}`;
}
