// The ledger itself: one line per method, each handed to the file that owns it.
import type { JsonObject } from "../model/json.ts";
import type { Message, StoredMessage } from "../model/message.ts";
import { append, select } from "./append.ts";
import { putBlob, readBlob } from "./blobs/index.ts";
import { checkName } from "./check.ts";
import { scopeOf } from "./configure.ts";
import { context } from "./context/index.ts";
import { createThread } from "./create.ts";
import { LedgerError } from "./errors.ts";
import { closeReaders, follow } from "./follow/index.ts";
import { issueId } from "./ids.ts";
import { entriesOf, log } from "./journal.ts";
import { recognise } from "./identity/recognise.ts";
import { searchThreads } from "./overview/find.ts";
import { listThreads } from "./overview/list.ts";
import { outline } from "./overview/outline.ts";
import { watch } from "./overview/watch.ts";
import { purge } from "./purge/index.ts";
import type { DeletionCounts } from "./rows.ts";
import {
  beginRun,
  compact,
  dropAlias,
  LiveRuns,
  record,
  recover,
  resumeRun,
  runByAlias,
  runInfo,
  runsOf,
} from "./runs/index.ts";
import { type Scope, scopeFor } from "./scope.ts";
import { search, SearchIndex } from "./search/index.ts";
import type { LedgerStore, SearchHit } from "./store.ts";
import { getThread, updateThread } from "./threads.ts";
import { transcript, tree } from "./transcript.ts";
import { exportThread } from "./transfer/export.ts";
import { importLines } from "./transfer/import.ts";
import type * as Api from "./types.ts";
import { verify } from "./verify.ts";
import { WorkInHand } from "./wanted/take.ts";
import { want } from "./wanted/want.ts";

/** What ledgers of one store share, whichever tenant they are for. */
interface Shared {
  readonly scope: Scope;
  readonly live: LiveRuns;
  readonly work: WorkInHand;
  readonly index: SearchIndex;
  closing: Promise<void> | undefined;
}

function share(scope: Scope, indexMs: number | false | undefined): Shared {
  const index = new SearchIndex(scope, indexMs);
  return {
    scope: { ...scope, wrote: () => index.touched() },
    live: new LiveRuns(),
    work: new WorkInHand(),
    index,
    closing: undefined,
  };
}

/** A ledger on any store. */
export class StoreLedger implements Api.Ledger {
  readonly #whole: Scope;
  readonly #shared: Shared;

  constructor(
    store: LedgerStore,
    options: Api.LedgerOptions = {},
    shared: Shared = share(scopeOf(store, options), options.indexMs),
  ) {
    this.#whole = scopeFor(shared.scope, options.tenant ?? shared.scope.tenant);
    this.#shared = shared;
  }

  /** What operations work on, while the ledger is open. */
  get #scope(): Scope {
    if (this.#shared.closing === undefined) return this.#whole;
    throw new LedgerError("closed", "The ledger was closed; open it again.");
  }

  get tenant(): string {
    return this.#whole.tenant;
  }
  forTenant(tenant: string): Api.Ledger {
    return new StoreLedger(this.#scope.store, { tenant: checkName(tenant, "tenant") }, this.#shared);
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
  async findThreads(query: string, options: Api.ThreadSearchOptions = {}): Promise<Api.ThreadSearchResult> {
    return searchThreads(this.#scope, query, options, this.#shared.index);
  }
  async watch(options?: Api.WatchOptions): Promise<AsyncIterableIterator<Api.ThreadChange>> {
    return watch(this.#scope, options);
  }

  async append(threadId: string, messages: readonly Message[], options?: Api.AppendOptions): Promise<StoredMessage[]> {
    return append(this.#scope, threadId, messages, options);
  }
  async transcript(threadId: string, options?: Api.TranscriptOptions): Promise<StoredMessage[]> {
    return transcript(this.#scope, threadId, options);
  }
  async context(threadId: string, options?: Api.ContextOptions): Promise<StoredMessage[]> {
    return context(this.#scope, threadId, options);
  }
  async tree(threadId: string): Promise<Api.Tree> {
    return tree(this.#scope, threadId);
  }
  async outline(threadId: string): Promise<Api.Outline> {
    return outline(this.#scope, threadId);
  }
  async select(threadId: string, messageId: string | null): Promise<void> {
    return select(this.#scope, threadId, messageId);
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
    return runInfo(this.#scope, runId);
  }
  async runs(threadId: string, page?: Api.RunsPage): Promise<Api.RunInfo[]> {
    return runsOf(this.#scope, threadId, page);
  }
  async record(call: Api.NewRecord): Promise<Api.RecordResult> {
    return record(this.#scope, call);
  }
  async runByAlias(name: string): Promise<Api.RunInfo | undefined> {
    return runByAlias(this.#scope, name);
  }
  async dropAlias(name: string): Promise<boolean> {
    return dropAlias(this.#scope, name);
  }
  async log(threadId: string, entries: readonly JsonObject[], options?: Api.LogOptions): Promise<Api.LogResult> {
    return log(this.#scope, threadId, entries, options);
  }
  async entries(
    threadId: string,
    page?: { after?: string | undefined; limit?: number | undefined },
  ): Promise<Api.Entry[]> {
    return entriesOf(this.#scope, threadId, page);
  }
  async want(threadId: string): Promise<void> {
    return want(this.#scope, threadId);
  }
  async takeWork(options: Api.ClaimWorkOptions): Promise<Api.WorkLease | undefined> {
    return this.#shared.work.take(this.#scope, options, (tenant) => this.forTenant(tenant));
  }
  async recover(options?: { everyTenant?: boolean | undefined }): Promise<Api.RecoveredRun[]> {
    return recover(this.#scope, options);
  }
  async compact(): Promise<number> {
    return compact(this.#scope);
  }
  follow(options: Api.FollowOptions): AsyncIterableIterator<Api.LedgerEvent> {
    return follow(this.#scope, options);
  }

  async recognise(messages: readonly Message[], options?: Api.FindThreadOptions): Promise<Api.ThreadMatch> {
    return recognise(this.#scope, messages, options);
  }

  async putBlob(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ blob: string; size: number }> {
    return putBlob(this.#scope, bytes);
  }
  blob(reference: string): AsyncIterable<Uint8Array> {
    return readBlob(this.#scope, reference);
  }

  async search(query: string, options?: Api.SearchOptions): Promise<SearchHit[]> {
    return search(this.#scope, query, options, this.#shared.index);
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
    this.#shared.closing ??= this.#end();
    return this.#shared.closing;
  }

  /** First those that write by themselves. */
  async #end(): Promise<void> {
    closeReaders(this.#whole.store);
    await this.#shared.work.close();
    await this.#shared.live.close();
    await this.#shared.index.close();
    await this.#whole.store.close();
  }
}
