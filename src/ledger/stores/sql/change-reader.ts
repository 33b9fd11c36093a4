// Notifies watchers of changes of a tenant's threads. Changes of this process are reported at the commit; changes of
// other processes are read from the table `thread_changes`, once for all watchers of a tenant.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store/contract.ts";
import type { SqlSession } from "./engine.ts";
import type { Statements } from "./statements.ts";

/**
 * Every read begins this many change numbers before the largest number that was read, because changes may be committed
 * in another order than that of their numbers.
 */
const OVERLAP = 4096;

type ThreadChangeCallback = Parameters<LedgerStore["watchThreads"]>[1];

interface ChangeReaderParts {
  statements: Statements;
  session: Pick<SqlSession, "all">;
  watch(tenant: string, wake: () => void): () => void;
}

/** Notifies the watchers of all tenants. */
export class ChangeReader {
  readonly #parts: ChangeReaderParts;
  readonly #self: string;
  readonly #tenants = new Map<string, WatchedTenant>();

  constructor(parts: ChangeReaderParts, self: string) {
    this.#parts = parts;
    this.#self = self;
  }

  /**
   * Adds a watcher of a tenant's threads. Resolves with a function that ends the watch. All changes that are committed
   * after the promise has resolved are reported.
   */
  async watch(tenant: string, notify: ThreadChangeCallback): Promise<() => void> {
    const watched = this.#tenants.get(tenant) ?? this.#begin(tenant);
    // Each watch has its own function, so that two watches with the same callback end separately.
    const callback: ThreadChangeCallback = (changes) => notify(changes);
    watched.callbacks.add(callback);
    const end = (): void => {
      watched.callbacks.delete(callback);
      if (watched.callbacks.size > 0 || this.#tenants.get(tenant) !== watched) return;
      this.#tenants.delete(tenant);
      watched.end();
    };
    try {
      await watched.begin();
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Reports a change that this process has committed. */
  notify(tenant: string, { threadId, change }: ThreadChange): void {
    this.#tenants.get(tenant)?.notify([{ threadId, change }]);
  }

  close(): void {
    for (const watched of this.#tenants.values()) watched.end();
    this.#tenants.clear();
  }

  #begin(tenant: string): WatchedTenant {
    const watched = new WatchedTenant(this.#parts, tenant, this.#self);
    this.#tenants.set(tenant, watched);
    return watched;
  }
}

/** A tenant with watchers. */
class WatchedTenant {
  readonly callbacks = new Set<ThreadChangeCallback>();
  readonly #parts: ChangeReaderParts;
  readonly #tenant: string;
  readonly #self: string;
  readonly #unwatch: () => void;
  #begun: Promise<void> | undefined;
  /** The largest change number that was read. */
  #last = 0;
  /**
   * The numbers of the changes that were read and that the next read returns again because of OVERLAP. These changes
   * are not reported twice.
   */
  readonly #seen = new Set<number>();
  #isReading = false;
  /** True if a wakeup arrived after the last read of the table began, so that the table must be read again. */
  #isPending = false;
  #hasEnded = false;

  constructor(parts: ChangeReaderParts, tenant: string, self: string) {
    this.#parts = parts;
    this.#tenant = tenant;
    this.#self = self;
    this.#unwatch = parts.watch(tenant, () => void this.#read());
  }

  /**
   * Skips the changes that were in the table before the watch: they are read, but not reported. Resolves when this is
   * done.
   */
  begin(): Promise<void> {
    this.#begun ??= this.#skipExisting();
    return this.#begun;
  }

  end(): void {
    this.#hasEnded = true;
    this.callbacks.clear();
    this.#unwatch();
  }

  /** Calls the watchers of the tenant in microtasks, so that an error of a watcher does not reach the writer. */
  notify(changes: readonly ThreadChange[]): void {
    for (const callback of this.callbacks) {
      queueMicrotask(() => {
        if (this.callbacks.has(callback)) callback(changes);
      });
    }
  }

  async #skipExisting(): Promise<void> {
    const [row] = await this.#parts.session.all(this.#parts.statements.fixed["last-change"], [0]);
    this.#last = Number(row?.[0] ?? 0);
    await this.#readUnseen();
  }

  async #read(): Promise<void> {
    this.#isPending = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.begin();
      while (this.#isPending && !this.#hasEnded) {
        this.#isPending = false;
        const changes = await this.#readUnseen();
        if (changes.length > 0) this.notify(changes);
      }
    } catch {
      // The error is ignored, because other calls of the store report it. The next wakeup repeats the read.
    } finally {
      this.#isReading = false;
    }
  }

  async #readUnseen(): Promise<ThreadChange[]> {
    const { fixed } = this.#parts.statements;
    const values = [this.#tenant, this.#last - OVERLAP, this.#self];
    const rows = await this.#parts.session.all(fixed["changes-since"], values);
    const changes: ThreadChange[] = [];
    for (const [number, threadId, text] of rows) {
      const at = Number(number);
      if (this.#seen.has(at)) continue;
      this.#seen.add(at);
      if (at > this.#last) this.#last = at;
      for (const change of String(text).split(" ")) {
        // The cast is safe, because the process that wrote the change used the same type.
        changes.push({ threadId: String(threadId), change: change as ThreadChange["change"] });
      }
    }
    for (const at of this.#seen) if (at <= this.#last - OVERLAP) this.#seen.delete(at);
    return changes;
  }
}
