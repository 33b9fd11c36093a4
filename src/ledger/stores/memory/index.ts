// Implements the memory store, for tests and for data that need not outlive the process. The store uses maps and sorted
// lists instead of tables.
import type { ThreadChange } from "../../overview/types.ts";
import type { ActiveThread, ListedHead, MessageRow } from "../../store/rows.ts";
import { createSnippet, parseQuery } from "../../search/tokenize.ts";
import { runSync, type Steps } from "../../store/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../store/contract.ts";
import type { ActivityPage, SearchHit, SearchQuery } from "../../store/queries.ts";
import { listActiveThreads, findLastActivity } from "./activity.ts";
import { getOrCreate, MemoryData, toThreadMapKey } from "./data.ts";
import { UndoLog } from "./undo-log.ts";
import { MemoryReads } from "./reads.ts";
import { compareIds } from "../compare-ids.ts";
import { MemoryTransaction } from "./deletions.ts";
import { createIndexedText, rankText } from "./search-index.ts";

/** Creates an empty memory store. */
export function memoryStore(): LedgerStore {
  return new MemoryStore();
}

class MemoryStore implements LedgerStore {
  readonly name = "memory";
  readonly #data = new MemoryData();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** The callbacks of `watchThreads`, by tenant. */
  readonly #listeners = new Map<string, Set<(changes: readonly ThreadChange[]) => void>>();
  readonly #reads = new MemoryReads(this.#data);
  readonly reads: LedgerReads = this.#reads;

  async write<T>(work: (tx: LedgerTransaction) => Steps<T>): Promise<T> {
    this.#data.assertOpen();
    const undoLog = new UndoLog();
    const tx = new MemoryTransaction(this.#data, undoLog);
    let result: T;
    try {
      result = runSync(work(tx));
    } catch (error) {
      undoLog.undo();
      throw error;
    }
    for (const name of tx.writtenThreads) this.#wake(name);
    for (const { tenant, threadId, change } of tx.changes) this.#notify(tenant, { threadId, change });
    return result;
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    this.#data.assertOpen();
    const name = toThreadMapKey(key);
    // Each watch has its own function, so that two watches with the same callback end separately.
    const watcher = (): void => wake();
    const watchers = getOrCreate(this.#watchers, name, () => new Set());
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name);
    };
  }

  async activeThreads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    return listActiveThreads(this.#data.tenant(tenant), page);
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    const { data } = this.#data.tenant(tenant);
    return [...new Set(ids)].flatMap((threadId) => {
      const head = this.#reads.thread({ tenant, threadId });
      if (head === undefined) return [];
      const threadData = data.get(threadId);
      return [
        { ...head, lastActivity: findLastActivity(head, threadData), purges: threadData?.purges.get("purges") ?? 0 },
      ];
    });
  }

  async watchThreads(tenant: string, notify: (changes: readonly ThreadChange[]) => void): Promise<() => void> {
    this.#data.assertOpen();
    const listener: typeof notify = (changes) => notify(changes);
    const listeners = getOrCreate(this.#listeners, tenant, () => new Set());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(tenant) === listeners) this.#listeners.delete(tenant);
    };
  }

  async indexMessages(readText: (row: MessageRow) => string | undefined, limit: number): Promise<number> {
    this.#data.assertOpen();
    // All texts are read before the first message is indexed, so that no message is indexed if `readText` throws.
    const batch: MessageRow[] = [];
    for (const row of this.#data.unindexed.keys()) {
      if (batch.length >= limit) break;
      batch.push(row);
    }
    const texts = batch.map((row) => readText({ ...row }));
    if (texts.includes(undefined)) return 0;
    for (const [at, row] of batch.entries()) {
      this.#data.getOrCreateThread(row).texts.set(row.id, createIndexedText(texts[at] ?? ""));
      this.#data.unindexed.delete(row);
    }
    return batch.length;
  }

  async search({ tenant, threadId, limit, perThread = Infinity, ...query }: SearchQuery): Promise<SearchHit[]> {
    const { data } = this.#data.tenant(tenant);
    const queryTerms = parseQuery(query);
    if (queryTerms.terms.size === 0 && queryTerms.prefix === "") return [];
    const hits: { threadId: string; messageId: string; score: number; text: string }[] = [];
    for (const [id, thread] of data.entries()) {
      if (threadId !== undefined && id !== threadId) continue;
      for (const [messageId, entry] of thread.texts.entries()) {
        const score = rankText(entry, queryTerms);
        if (score > 0) hits.push({ threadId: id, messageId, score, text: entry.text });
      }
    }
    const counts = new Map<string, number>();
    return hits
      .sort((left, right) => right.score - left.score || compareIds(right.messageId, left.messageId))
      .filter((hit) => {
        const count = counts.get(hit.threadId) ?? 0;
        counts.set(hit.threadId, count + 1);
        return count < perThread;
      })
      .slice(0, limit)
      .map((hit) => ({
        threadId: hit.threadId,
        messageId: hit.messageId,
        snippet: createSnippet(hit.text, queryTerms),
      }));
  }

  async vacuum(): Promise<void> {
    // There is nothing else to do: the garbage collector frees deleted rows.
    this.#data.assertOpen();
  }

  /** Closes the store without waiting: a write is complete when its call returns, so no write can be pending. */
  async close(): Promise<void> {
    this.#watchers.clear();
    this.#listeners.clear();
    this.#data.close();
  }

  /** Calls the watchers of a thread in microtasks, so that an error of a watcher does not reach the writer. */
  #wake(name: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) {
      queueMicrotask(() => {
        if (this.#watchers.get(name)?.has(watcher) === true) watcher();
      });
    }
  }

  /** Calls the listeners of a tenant in microtasks, so that an error of a listener does not reach the writer. */
  #notify(tenant: string, change: ThreadChange): void {
    for (const listener of this.#listeners.get(tenant) ?? []) {
      queueMicrotask(() => {
        if (this.#listeners.get(tenant)?.has(listener) === true) listener([change]);
      });
    }
  }
}
