// Notifies watchers of changes of a tenant's threads: own changes at the commit, changes of other processes from their
// table. A tenant's rows are read once for all of its watchers.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store/contract.ts";
import type { SqlSession } from "./engine.ts";
import type { Statements } from "./statements.ts";

/** The overlap of two reads, because change numbers do not always become visible in order. */
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

  /** Resolves when all later changes will be reported. */
  async watch(tenant: string, notify: ThreadChangeCallback): Promise<() => void> {
    const watched = this.#tenants.get(tenant) ?? this.#begin(tenant);
    // A separate function, so that a callback that watches twice is removed once per call.
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

  /** Reports a change of this process. */
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
  /** The largest number that was read, and recently read numbers below it. */
  #last = 0;
  readonly #seen = new Set<number>();
  #isReading = false;
  /** True if a wakeup came during a read. */
  #isPending = false;
  #hasEnded = false;

  constructor(parts: ChangeReaderParts, tenant: string, self: string) {
    this.#parts = parts;
    this.#tenant = tenant;
    this.#self = self;
    this.#unwatch = parts.watch(tenant, () => void this.#read());
  }

  /** Skips existing changes. */
  begin(): Promise<void> {
    this.#begun ??= this.#skipExisting();
    return this.#begun;
  }

  end(): void {
    this.#hasEnded = true;
    this.callbacks.clear();
    this.#unwatch();
  }

  /** Calls watchers in a microtask, so that their errors do not reach the writer. */
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
      // Other calls of the store report the error; the next wakeup continues from here.
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
        // Another process wrote it from this type.
        changes.push({ threadId: String(threadId), change: change as ThreadChange["change"] });
      }
    }
    for (const at of this.#seen) if (at <= this.#last - OVERLAP) this.#seen.delete(at);
    return changes;
  }
}
