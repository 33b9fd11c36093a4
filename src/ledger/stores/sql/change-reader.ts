// Tells watchers what happens to the threads of a tenant: what this process did at its commit, what others did from the
// table that they write it to. A tenant's rows are read once for all of its watchers.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store.ts";
import type { SqlSession } from "./engine.ts";
import type { Statements } from "./statements.ts";

/** Numbers are not always seen in their order: so far back is looked again. */
const OVERLAP = 4096;

type Tell = Parameters<LedgerStore["watchThreads"]>[1];

export interface ReaderParts {
  statements: Statements;
  session: Pick<SqlSession, "all">;
  watch(tenant: string, wake: () => void): () => void;
}

/** A tenant that somebody watches. */
interface Watched {
  readonly tells: Set<Tell>;
  readonly begun: Promise<void>;
  readonly end: () => void;
  /** The largest number that was seen, and those that were seen not far below it. */
  last: number;
  readonly seen: Set<number>;
  isReading: boolean;
  /** Whether somebody called while it was read. */
  isCalled: boolean;
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
    // A function of its own, so that one that watches twice ends once at a time.
    const own: Tell = (changes) => tell(changes);
    const watched = this.#tenants.get(tenant) ?? this.#begin(tenant);
    watched.tells.add(own);
    const end = (): void => {
      watched.tells.delete(own);
      if (watched.tells.size > 0 || this.#tenants.get(tenant) !== watched) return;
      this.#tenants.delete(tenant);
      watched.end();
    };
    try {
      await watched.begun;
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** This process has done it. */
  tell(tenant: string, { threadId, change }: ThreadChange): void {
    const watched = this.#tenants.get(tenant);
    if (watched !== undefined) tellAll(watched, [{ threadId, change }]);
  }

  close(): void {
    for (const { end } of this.#tenants.values()) end();
    this.#tenants.clear();
  }

  #begin(tenant: string): Watched {
    const watched: Watched = {
      tells: new Set(),
      begun: this.#findLast(tenant),
      end: this.#parts.watch(tenant, () => void this.#read(tenant)),
      last: 0,
      seen: new Set(),
      isReading: false,
      isCalled: false,
    };
    this.#tenants.set(tenant, watched);
    return watched;
  }

  async #findLast(tenant: string): Promise<void> {
    const [row] = await this.#parts.session.all(this.#parts.statements.fixed["last-change"], [0]);
    const watched = this.#tenants.get(tenant);
    if (watched !== undefined) watched.last = Number(row?.[0] ?? 0);
  }

  async #read(tenant: string): Promise<void> {
    const watched = this.#tenants.get(tenant);
    if (watched === undefined) return;
    watched.isCalled = true;
    if (watched.isReading) return;
    watched.isReading = true;
    try {
      await watched.begun;
      while (watched.isCalled && this.#tenants.get(tenant) === watched) {
        watched.isCalled = false;
        await this.#readOnce(tenant, watched);
      }
    } catch {
      // What is wrong with the store, its other callers hear; the next call reads on from here.
    } finally {
      watched.isReading = false;
    }
  }

  async #readOnce(tenant: string, watched: Watched): Promise<void> {
    const { fixed } = this.#parts.statements;
    const rows = await this.#parts.session.all(fixed["changes-since"], [tenant, watched.last - OVERLAP, this.#self]);
    const isFirst = watched.seen.size === 0;
    const changes: ThreadChange[] = [];
    for (const [number, threadId, change] of rows) {
      const at = Number(number);
      if (watched.seen.has(at)) continue;
      watched.seen.add(at);
      // As it was written; what was there before the watch began is only remembered.
      if (!isFirst || at > watched.last) changes.push({ threadId: String(threadId), change: String(change) as Change });
    }
    for (const at of watched.seen) watched.last = Math.max(watched.last, at);
    for (const at of watched.seen) if (at <= watched.last - OVERLAP) watched.seen.delete(at);
    if (changes.length > 0) tellAll(watched, changes);
  }
}

type Change = ThreadChange["change"];

/** In a turn of its own, so that what a watcher does or throws is not the writer's business. */
function tellAll({ tells }: Watched, changes: readonly ThreadChange[]): void {
  for (const tell of tells) {
    queueMicrotask(() => {
      if (tells.has(tell)) tell(changes);
    });
  }
}
