// Tells watchers what happens to the threads of a tenant: what this process did at its commit, what others did from the
// table that they write it to. A tenant's rows are read once for all of its watchers.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store.ts";
import type { SqlSession } from "./engine.ts";
import type { Statements } from "./statements.ts";

/** Numbers are not always seen in their order: so far back is looked again. */
const OVERLAP = 4096;

type Tell = Parameters<LedgerStore["watchThreads"]>[1];

interface ReaderParts {
  statements: Statements;
  session: Pick<SqlSession, "all">;
  watch(tenant: string, wake: () => void): () => void;
}

export class ChangeReader {
  readonly #parts: ReaderParts;
  readonly #self: string;
  readonly #tenants = new Map<string, Watched>();

  constructor(parts: ReaderParts, self: string) {
    this.#parts = parts;
    this.#self = self;
  }

  /** Resolves when everything that comes from now on will be told. */
  async watch(tenant: string, tell: Tell): Promise<() => void> {
    const watched = this.#tenants.get(tenant) ?? this.#begin(tenant);
    // A function of its own, so that one that watches twice ends once at a time.
    const own: Tell = (changes) => tell(changes);
    watched.tells.add(own);
    const end = (): void => {
      watched.tells.delete(own);
      if (watched.tells.size > 0 || this.#tenants.get(tenant) !== watched) return;
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

  /** This process has done it. */
  tell(tenant: string, { threadId, change }: ThreadChange): void {
    this.#tenants.get(tenant)?.tell([{ threadId, change }]);
  }

  close(): void {
    for (const watched of this.#tenants.values()) watched.end();
    this.#tenants.clear();
  }

  #begin(tenant: string): Watched {
    const watched = new Watched(this.#parts, tenant, this.#self);
    this.#tenants.set(tenant, watched);
    return watched;
  }
}

/** A tenant that somebody watches. */
class Watched {
  readonly tells = new Set<Tell>();
  readonly #parts: ReaderParts;
  readonly #tenant: string;
  readonly #self: string;
  readonly #unwatch: () => void;
  #begun: Promise<void> | undefined;
  /** The largest number that was seen, and those that were seen not far below it. */
  #last = 0;
  readonly #seen = new Set<number>();
  #isReading = false;
  /** Whether somebody called while it was read. */
  #isCalled = false;
  #isOver = false;

  constructor(parts: ReaderParts, tenant: string, self: string) {
    this.#parts = parts;
    this.#tenant = tenant;
    this.#self = self;
    this.#unwatch = parts.watch(tenant, () => void this.#read());
  }

  /** Passes over what is there already. */
  begin(): Promise<void> {
    this.#begun ??= this.#findLast();
    return this.#begun;
  }

  end(): void {
    this.#isOver = true;
    this.tells.clear();
    this.#unwatch();
  }

  /** In a turn of its own, so that what a watcher does or throws is not the writer's business. */
  tell(changes: readonly ThreadChange[]): void {
    for (const tell of this.tells) {
      queueMicrotask(() => {
        if (this.tells.has(tell)) tell(changes);
      });
    }
  }

  async #findLast(): Promise<void> {
    const [row] = await this.#parts.session.all(this.#parts.statements.fixed["last-change"], [0]);
    this.#last = Number(row?.[0] ?? 0);
    await this.#unseen();
  }

  async #read(): Promise<void> {
    this.#isCalled = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.begin();
      while (this.#isCalled && !this.#isOver) {
        this.#isCalled = false;
        const changes = await this.#unseen();
        if (changes.length > 0) this.tell(changes);
      }
    } catch {
      // What is wrong with the store, its other callers hear; the next call reads on from here.
    } finally {
      this.#isReading = false;
    }
  }

  async #unseen(): Promise<ThreadChange[]> {
    const { fixed } = this.#parts.statements;
    const values = [this.#tenant, this.#last - OVERLAP, this.#self];
    const rows = await this.#parts.session.all(fixed["changes-since"], values);
    const changes: ThreadChange[] = [];
    for (const [number, threadId, told] of rows) {
      const at = Number(number);
      if (this.#seen.has(at)) continue;
      this.#seen.add(at);
      if (at > this.#last) this.#last = at;
      for (const change of String(told).split(" ")) {
        // As another process wrote it.
        changes.push({ threadId: String(threadId), change: change as ThreadChange["change"] });
      }
    }
    for (const at of this.#seen) if (at <= this.#last - OVERLAP) this.#seen.delete(at);
    return changes;
  }
}
