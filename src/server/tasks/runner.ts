// Who does the work that tasks want: takes it from the ledger, one holder each among all instances, and gives it back
// when the server stops. What a process that died had held is taken up when its lease is over.
import type { Ledger, WorkLease } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import { OpenCalls } from "../http/open-calls.ts";
import type { Services } from "../types.ts";
import type { Agents } from "./agents.ts";
import { TaskExecution } from "./conversation.ts";
import type { TaskEntry } from "./entries.ts";
import type { Journal, Journals } from "./journal.ts";
import { nextQueuedMessages } from "./state.ts";
import { factsOf } from "./task.ts";
import { toThreadMessage } from "./words.ts";

/** The longest between two looks for work that others have left. */
const LONGEST_POLL_MS = 5000;
const DEFAULT_LEASE_MS = 30_000;
/** How long work is kept after a trouble that may pass: it is tried again then, here or elsewhere. */
const TROUBLE_MS = 3000;

/** Work in our hands. */
interface Held {
  conversation?: TaskExecution;
  /** More was wanted since: it is to be looked for again when this ends. */
  isWantedAgain: boolean;
}

export interface RunnerOptions {
  services: Services;
  journals: Journals;
  agents: Agents;
}

export class Runner {
  readonly #options: RunnerOptions;
  readonly #held = new Map<string, Held>();
  readonly #works = new Set<Promise<void>>();
  /** Work counts as calls do: a tenant has so much of it at a time, and leaves room for the others. */
  readonly #open: OpenCalls;
  readonly #over = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { draining, config } = options.services;
    this.#open = new OpenCalls(config, () => undefined);
    if (draining.aborted) this.#leave();
    else draining.addEventListener("abort", () => this.#leave(), { once: true });
  }

  start(): void {
    this.#polling ??= this.#poll();
  }

  /** No new work; what is under way ends between two steps, or when the server's time is up, and is handed over. */
  async stop(): Promise<void> {
    this.#leave();
    await this.#polling;
    await Promise.all(this.#works);
  }

  /** Something was written into a task that needs somebody. It never rejects. */
  async wake(ledger: Ledger, threadId: string): Promise<void> {
    const held = this.#held.get(keyOf(ledger.tenant, threadId));
    if (held !== undefined) {
      held.isWantedAgain = true;
      held.conversation?.wake();
      return;
    }
    await this.#take(ledger, threadId);
  }

  #leave(): void {
    this.#over.abort();
    for (const { conversation } of this.#held.values()) conversation?.release();
  }

  async #poll(): Promise<void> {
    const { services } = this.#options;
    const lease = services.config.ledger.leaseMs ?? DEFAULT_LEASE_MS;
    const pause = Math.min(lease / 4, LONGEST_POLL_MS);
    const { ledger, config } = services;
    const tenants = config.tenants.size === 0 ? [ledger.tenant] : [...config.tenants.keys()];
    const all = tenants.map((tenant) => ledger.forTenant(tenant));
    while (!this.#over.signal.aborted) {
      // In turns: whoever wants much waits as long for its second as others for their first.
      for (let wanting = all; wanting.length > 0;) {
        const more: Ledger[] = [];
        for (const each of wanting) if (await this.#take(each)) more.push(each);
        wanting = more;
      }
      await services.session.effects.sleep(pause, this.#over.signal).catch(() => undefined);
    }
  }

  /** Work of a tenant, or that on one thread. Says whether there may be more. It never rejects. */
  async #take(ledger: Ledger, threadId?: string): Promise<boolean> {
    const { services } = this.#options;
    // More than a tenant may have at a time is wanted, and waits.
    if (this.#over.signal.aborted || !this.#enter(ledger.tenant)) return false;
    let work: WorkLease | undefined;
    try {
      work = await ledger.takeWork({ holder: services.instance, threadId });
    } catch (error) {
      this.#report("task-work-not-taken", {}, error);
    }
    if (work === undefined) {
      this.#open.leave(ledger.tenant);
      return false;
    }
    const doing = this.#perform(work).finally(() => {
      this.#works.delete(doing);
      this.#open.leave(ledger.tenant);
      // What waited for the room.
      services.background(this.#take(ledger));
    });
    this.#works.add(doing);
    services.background(doing);
    return true;
  }

  #enter(tenant: string): boolean {
    try {
      this.#open.enter(tenant);
      return true;
    } catch {
      return false;
    }
  }

  async #perform(work: WorkLease): Promise<void> {
    const { services, journals } = this.#options;
    const { threadId, tenant, ledger } = work;
    const key = keyOf(tenant, threadId);
    const held: Held = { isWantedAgain: false };
    this.#held.set(key, held);
    const running = services.metrics.gauge("koine_tasks_running", "Tasks that this process works on.");
    running.add(1);
    try {
      await this.#workOn(work, held, journals.open(ledger, threadId));
    } catch (error) {
      await this.#giveBack(work, error);
    } finally {
      running.add(-1);
      // Where the lease was lost, it may be held anew.
      if (this.#held.get(key) === held) this.#held.delete(key);
    }
    // It may have been wanted when nobody listened any more.
    if (held.isWantedAgain) await this.wake(ledger, threadId);
  }

  async #workOn(work: WorkLease, held: Held, journal: Journal): Promise<void> {
    const { services, agents } = this.#options;
    for (;;) {
      if (this.#over.signal.aborted || work.lost.aborted) return work.release();
      const state = await journal.read();
      if (state.running) {
        const task = factsOf(await work.ledger.thread(work.threadId));
        const conversation = new TaskExecution({ services, agents, work, journal, task });
        held.conversation = conversation;
        if (this.#over.signal.aborted) conversation.release();
        const end = await conversation.run();
        if (end === "left") return work.release();
        // Whoever decides wants it again.
        if (end === "waiting" && (await work.done())) return;
      } else if (state.queue.length > 0 && !state.held) await begin(journal, work);
      else if (await work.done()) return;
    }
  }

  /** Trouble that may pass is waited out with the work in hand, so that it is not taken at once and again and again. */
  async #giveBack(work: WorkLease, error: unknown): Promise<void> {
    const { services, journals } = this.#options;
    if (error instanceof LedgerError && error.code === "unknown-thread") {
      journals.forget(work.ledger, work.threadId);
      return work.release();
    }
    const isLost = work.lost.aborted || (error instanceof LedgerError && error.code === "fenced");
    if (!isLost) {
      this.#report("task-work-interrupted", { task: work.threadId }, error);
      await services.session.effects.sleep(TROUBLE_MS, this.#over.signal).catch(() => undefined);
    }
    await work.release();
  }

  #report(event: string, fields: Record<string, string>, error: unknown): void {
    if (this.#over.signal.aborted && error instanceof LedgerError) return;
    this.#options.services.log.error(event, fields, error);
  }
}

/** A conversation begins with what waits. */
async function begin(journal: Journal, work: WorkLease): Promise<void> {
  await journal.change((state) => {
    const next = nextQueuedMessages(state);
    const [first] = next;
    if (state.running || first === undefined) return undefined;
    const said = next.map(({ id }): TaskEntry => ({ type: "unqueued", id, said: true }));
    return {
      holding: work,
      entries: [{ type: "began", id: first.id }, ...said],
      append: { messages: next.map(toThreadMessage) },
    };
  });
}

function keyOf(tenant: string, threadId: string): string {
  return `${tenant}\n${threadId}`;
}
