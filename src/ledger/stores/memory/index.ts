// A store in memory: for tests, for trying things, and for what need not outlive its process. A true second reading of
// the contract, with maps and sorted lists where the others have tables.
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, ListedHead, MessageRow } from "../../rows.ts";
import { snippetOf, wantedBy } from "../../search/words.ts";
import { runNow, type Steps } from "../../steps.ts";
import type {
  ActivityPage,
  LedgerReads,
  LedgerStore,
  LedgerTransaction,
  SearchHit,
  SearchQuery,
  ThreadKey,
} from "../../store.ts";
import { activeThreads, lastActivity } from "./activity.ts";
import { kept, MemoryData, nameOf } from "./data.ts";
import { Journal } from "./journal.ts";
import { MemoryReads } from "./reads.ts";
import { compareIds } from "../compare.ts";
import { MemoryTransaction } from "./transaction.ts";
import { indexed, rank } from "./words.ts";

/** A new, empty store. */
export function memoryStore(): LedgerStore {
  return new MemoryStore();
}

class MemoryStore implements LedgerStore {
  readonly name = "memory";
  readonly #data = new MemoryData();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** By tenant. */
  readonly #listeners = new Map<string, Set<(changes: readonly ThreadChange[]) => void>>();
  readonly #reads = new MemoryReads(this.#data);
  readonly reads: LedgerReads = this.#reads;

  async write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    this.#data.demandOpen();
    const journal = new Journal();
    const tx = new MemoryTransaction(this.#data, journal);
    let result: T;
    try {
      result = runNow(work(tx));
    } catch (error) {
      journal.undo();
      throw error;
    }
    for (const name of tx.touched) this.#wake(name);
    for (const { tenant, threadId, change } of tx.changes) this.#tell(tenant, { threadId, change });
    return result;
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.#data.demandOpen();
    const name = nameOf(key);
    // Its own function, so that one that watches twice ends once at a time.
    const watcher = (): void => wake();
    const watchers = kept(this.#watchers, name, () => new Set());
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name);
    };
  }

  async activeThreads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    return activeThreads(this.#data.tenant(tenant), page);
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    const { data } = this.#data.tenant(tenant);
    return [...new Set(ids)].flatMap((threadId) => {
      const head = this.#reads.thread({ tenant, threadId });
      if (head === undefined) return [];
      const own = data.get(threadId);
      return [{ ...head, lastActivity: lastActivity(head, own), purges: own?.purges.get("purges") ?? 0 }];
    });
  }

  async watchThreads(tenant: string, tell: (changes: readonly ThreadChange[]) => void): Promise<() => void> {
    this.#data.demandOpen();
    const listener: typeof tell = (changes) => tell(changes);
    const listeners = kept(this.#listeners, tenant, () => new Set());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(tenant) === listeners) this.#listeners.delete(tenant);
    };
  }

  async indexMessages(textOf: (row: MessageRow) => string | undefined, limit: number): Promise<number> {
    this.#data.demandOpen();
    // Every text first: where one throws, none is taken.
    const taken: MessageRow[] = [];
    for (const row of this.#data.unindexed.keys()) {
      if (taken.length >= limit) break;
      taken.push(row);
    }
    const texts = taken.map((row) => textOf({ ...row }));
    if (texts.includes(undefined)) return 0;
    for (const [at, row] of taken.entries()) {
      this.#data.keptThread(row).texts.set(row.id, indexed(texts[at] ?? ""));
      this.#data.unindexed.delete(row);
    }
    return taken.length;
  }

  async search({ tenant, threadId, limit, perThread = Infinity, ...query }: SearchQuery): Promise<SearchHit[]> {
    const { data } = this.#data.tenant(tenant);
    const wanted = wantedBy(query);
    if (wanted.words.size === 0 && wanted.beginning === "") return [];
    const found: { threadId: string; messageId: string; score: number; text: string }[] = [];
    for (const [id, thread] of data.entries()) {
      if (threadId !== undefined && id !== threadId) continue;
      for (const [messageId, entry] of thread.texts.entries()) {
        const score = rank(entry, wanted);
        if (score > 0) found.push({ threadId: id, messageId, score, text: entry.text });
      }
    }
    const counts = new Map<string, number>();
    return found
      .sort((left, right) => right.score - left.score || compareIds(right.messageId, left.messageId))
      .filter((hit) => {
        const count = counts.get(hit.threadId) ?? 0;
        counts.set(hit.threadId, count + 1);
        return count < perThread;
      })
      .slice(0, limit)
      .map((hit) => ({ threadId: hit.threadId, messageId: hit.messageId, snippet: snippetOf(hit.text, wanted) }));
  }

  async vacuum(): Promise<void> {
    // The collector gives back what was deleted.
    this.#data.demandOpen();
  }

  /** Writes are over when their call returns: there is nothing to wait for. */
  async close(): Promise<void> {
    this.#watchers.clear();
    this.#listeners.clear();
    this.#data.close();
  }

  /** In a turn of its own, so that what a watcher does or throws is not the writer's business. */
  #wake(name: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) {
      queueMicrotask(() => {
        if (this.#watchers.get(name)?.has(watcher) === true) watcher();
      });
    }
  }

  /** As `#wake`. */
  #tell(tenant: string, change: ThreadChange): void {
    for (const listener of this.#listeners.get(tenant) ?? []) {
      queueMicrotask(() => {
        if (this.#listeners.get(tenant)?.has(listener) === true) listener([change]);
      });
    }
  }
}
