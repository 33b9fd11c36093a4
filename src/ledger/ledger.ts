// Implements the interface `Ledger`: each method calls the function of the module that implements the operation.
import type { JsonObject } from "../model/json/index.ts";
import type { Message, StoredMessage } from "../model/message.ts";
import { appendMessages, selectLeaf } from "./messages/append.ts";
import { putBlob, readBlob } from "./blobs/index.ts";
import { requireName } from "./check-arguments.ts";
import { createScope } from "./options.ts";
import { readContext } from "./context/index.ts";
import { createThread } from "./threads/create-thread.ts";
import { LedgerError } from "./errors.ts";
import { closeReaders, follow } from "./follow/index.ts";
import { issueId } from "./ids.ts";
import { listEntries, logEntries } from "./threads/journal.ts";
import { findThread } from "./identity/find-thread.ts";
import { searchThreads } from "./overview/search-threads.ts";
import { listThreads } from "./overview/list-threads.ts";
import { readOutline } from "./overview/outline.ts";
import { watchThreads } from "./overview/watch-threads.ts";
import { purge } from "./purge/index.ts";
import type { DeletionCounts } from "./store/rows.ts";
import {
  beginRun,
  compactTenant,
  deleteAlias,
  LiveRuns,
  recordCall,
  recoverRuns,
  resumeRun,
  findRunByAlias,
  readRunInfo,
  listRuns,
} from "./runs/index.ts";
import { type LedgerScope, scopeForTenant } from "./scope.ts";
import { searchMessages, SearchIndex } from "./search/index.ts";
import type { LedgerStore } from "./store/contract.ts";
import type { SearchHit } from "./store/queries.ts";
import { getThread, updateThread } from "./threads/threads.ts";
import { readTranscript, readTree } from "./messages/transcript.ts";
import { exportThread } from "./transfer/export.ts";
import { importLines } from "./transfer/import.ts";
import type * as Api from "./types.ts";
import { verify } from "./verify.ts";
import { WorkLeases } from "./work-queue/claim-work.ts";
import { requestWork } from "./work-queue/request-work.ts";

/** The state that the ledgers of all tenants on one store share. */
interface SharedLedgerState {
  readonly scope: LedgerScope;
  readonly live: LiveRuns;
  readonly work: WorkLeases;
  readonly index: SearchIndex;
  closing: Promise<void> | undefined;
}

function createSharedState(scope: LedgerScope, indexMs: number | false | undefined): SharedLedgerState {
  const index = new SearchIndex(scope, indexMs);
  return {
    scope: { ...scope, onMessagesWritten: () => index.scheduleUpdate() },
    live: new LiveRuns(),
    work: new WorkLeases(),
    index,
    closing: undefined,
  };
}

/** A ledger whose data is in the given store. */
export class StoreLedger implements Api.Ledger {
  readonly #openScope: LedgerScope;
  readonly #shared: SharedLedgerState;

  constructor(
    store: LedgerStore,
    options: Api.LedgerOptions = {},
    shared: SharedLedgerState = createSharedState(createScope(store, options), options.indexMs),
  ) {
    this.#openScope = scopeForTenant(shared.scope, options.tenant ?? shared.scope.tenant);
    this.#shared = shared;
  }

  /** The scope that is passed to operations. Reading it throws "closed" after `close`. */
  get #scope(): LedgerScope {
    if (this.#shared.closing === undefined) return this.#openScope;
    throw new LedgerError("closed", "The ledger was closed; open it again.");
  }

  get tenant(): string {
    return this.#openScope.tenant;
  }
  forTenant(tenant: string): Api.Ledger {
    return new StoreLedger(this.#scope.store, { tenant: requireName(tenant, "tenant") }, this.#shared);
  }

  async createThread(thread?: Api.NewThread, first?: Api.InitialContent): Promise<Api.Thread> {
    return createThread(this.#scope, thread, first);
  }
  async thread(threadId: string): Promise<Api.Thread> {
    return getThread(this.#scope, threadId);
  }
  async threads(page?: Api.ThreadPage): Promise<Api.Thread[]> {
    return (await listThreads(this.#scope, page)).threads;
  }
  async updateThread(threadId: string, changes: Api.ThreadChanges): Promise<Api.Thread> {
    return updateThread(this.#scope, threadId, changes);
  }
  async listThreads(page?: Api.ThreadListPage): Promise<Api.ThreadList> {
    return listThreads(this.#scope, page);
  }
  async searchThreads(query: string, options: Api.ThreadSearchOptions = {}): Promise<Api.ThreadSearchResult> {
    return searchThreads(this.#scope, query, options, this.#shared.index);
  }
  async watch(options?: Api.WatchOptions): Promise<AsyncIterableIterator<Api.ThreadChange>> {
    return watchThreads(this.#scope, options);
  }

  async append(threadId: string, messages: readonly Message[], options?: Api.AppendOptions): Promise<StoredMessage[]> {
    return appendMessages(this.#scope, threadId, messages, options);
  }
  async transcript(threadId: string, options?: Api.TranscriptOptions): Promise<StoredMessage[]> {
    return readTranscript(this.#scope, threadId, options);
  }
  async context(threadId: string, options?: Api.ContextOptions): Promise<StoredMessage[]> {
    return readContext(this.#scope, threadId, options);
  }
  async tree(threadId: string): Promise<Api.Tree> {
    return readTree(this.#scope, threadId);
  }
  async outline(threadId: string): Promise<Api.Outline> {
    return readOutline(this.#scope, threadId);
  }
  async select(threadId: string, messageId: string | null): Promise<void> {
    return selectLeaf(this.#scope, threadId, messageId);
  }

  newId(): string {
    return issueId(this.#scope.store, this.#scope.nextId);
  }
  async beginRun(run: Api.NewRun): Promise<Api.Run> {
    return beginRun(this.#scope, this.#shared.live, run);
  }
  async resumeRun(runId: string, options?: { force?: boolean | undefined }): Promise<Api.Run> {
    return resumeRun(this.#scope, this.#shared.live, runId, options);
  }
  async run(runId: string): Promise<Api.RunInfo> {
    return readRunInfo(this.#scope, runId);
  }
  async runs(threadId: string, page?: Api.RunsPage): Promise<Api.RunInfo[]> {
    return listRuns(this.#scope, threadId, page);
  }
  async record(call: Api.NewRecord): Promise<Api.RecordResult> {
    return recordCall(this.#scope, call);
  }
  async runByAlias(name: string): Promise<Api.RunInfo | undefined> {
    return findRunByAlias(this.#scope, name);
  }
  async dropAlias(name: string): Promise<boolean> {
    return deleteAlias(this.#scope, name);
  }
  async log(threadId: string, entries: readonly JsonObject[], options?: Api.LogOptions): Promise<Api.LogResult> {
    return logEntries(this.#scope, threadId, entries, options);
  }
  async entries(
    threadId: string,
    page?: { after?: string | undefined; limit?: number | undefined },
  ): Promise<Api.JournalEntry[]> {
    return listEntries(this.#scope, threadId, page);
  }
  async requestWork(threadId: string): Promise<void> {
    return requestWork(this.#scope, threadId);
  }
  async claimWork(options: Api.ClaimWorkOptions): Promise<Api.WorkLease | undefined> {
    return this.#shared.work.claim(this.#scope, options, (tenant) => this.forTenant(tenant));
  }
  async recover(options?: { everyTenant?: boolean | undefined }): Promise<Api.RecoveredRun[]> {
    return recoverRuns(this.#scope, options);
  }
  async compact(): Promise<number> {
    return compactTenant(this.#scope);
  }
  follow(options: Api.FollowOptions): AsyncIterableIterator<Api.LedgerEvent> {
    return follow(this.#scope, options);
  }

  async findThread(messages: readonly Message[], options?: Api.FindThreadOptions): Promise<Api.ThreadMatch> {
    return findThread(this.#scope, messages, options);
  }

  async putBlob(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ blob: string; size: number }> {
    return putBlob(this.#scope, bytes);
  }
  blob(reference: string): AsyncIterable<Uint8Array> {
    return readBlob(this.#scope, reference);
  }

  async search(query: string, options?: Api.SearchOptions): Promise<SearchHit[]> {
    return searchMessages(this.#scope, query, options, this.#shared.index);
  }
  export(threadId: string): AsyncIterable<string> {
    return exportThread(this.#scope, threadId);
  }
  async import(
    lines: Iterable<string> | AsyncIterable<string>,
    options?: Api.ImportOptions,
  ): Promise<Api.ImportResult> {
    return importLines(this.#scope, lines, options);
  }
  async purge(options: Api.PurgeOptions): Promise<DeletionCounts> {
    return purge(this.#scope, options);
  }
  async vacuum(): Promise<void> {
    return this.#scope.store.vacuum();
  }
  async verify(threadId?: string): Promise<Api.LedgerProblem[]> {
    return verify(this.#scope, threadId);
  }

  close(): Promise<void> {
    this.#shared.closing ??= this.#shutDown();
    return this.#shared.closing;
  }

  /** Stops readers and background writers, and then closes the store. */
  async #shutDown(): Promise<void> {
    closeReaders(this.#openScope.store);
    await this.#shared.work.close();
    await this.#shared.live.close();
    await this.#shared.index.close();
    await this.#openScope.store.close();
  }
}
