// Stores the thread list, ordered by last activity. The list is read page by page, and read again when the event feed
// reports changes.
import type { Api, ThreadListResponse } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import type { PageFeed, ThreadChangeEvent } from "./page-feed.ts";
import { ApiError } from "./http.ts";
import { reuseIfEqual, reuseList } from "./structural-sharing.ts";
import { reuseIfSameFields, Store } from "./store.ts";
import type { ConnectionStatus, ThreadSearchHit, ThreadJson, ThreadFilter, ThreadListState } from "./types.ts";

const PAGE_SIZE = 50;
/**
 * Time between a change that the event feed reports and the refresh of the list; all changes within this time cause one
 * refresh.
 */
const REFRESH_INTERVAL_MS = 400;
/** Time between the last typed character and the search on the server. */
const SEARCH_DELAY_MS = 150;

const INITIAL_THREAD_LIST: ThreadListState = {
  status: "loading",
  connection: "connecting",
  search: "",
  filter: "all",
  threads: [],
  hits: [],
  more: false,
  createdIds: new Set(),
};

/** Values of the parameter `kind` of the server's thread list, by filter. */
const KIND_QUERIES: Record<ThreadFilter, { kind?: string }> = {
  all: {},
  chats: { kind: "none" },
  tasks: { kind: "task" },
};

export class ThreadListStore extends Store<ThreadListState> {
  readonly #api: Api;
  readonly #feed: PageFeed;
  #status: ThreadListState["status"] = "loading";
  #error: Error | undefined;
  #connection: ConnectionStatus = "connecting";
  #search = "";
  #filter: ThreadFilter = "all";
  #threads: readonly ThreadJson[] = [];
  #hits: readonly ThreadSearchHit[] = [];
  #createdIds: ReadonlySet<string> = INITIAL_THREAD_LIST.createdIds;
  /** Value of the query parameter `before` that reads the next page; null if all pages are loaded. */
  #next: string | null = null;
  #hasMoreFailed = false;
  /**
   * True if the next refresh must read all loaded pages again instead of only the changed start of the list: changes
   * may have been missed, or the search or filter has changed.
   */
  #isStale = true;
  /**
   * True from a change of the search or filter until its first result: the loaded threads belong to the previous query.
   */
  #hasQueryChanged = true;
  #cancelRefresh: (() => void) | undefined;
  #refresh: AbortController | undefined;
  #loadingMore: AbortController | undefined;
  #unsubscribeFeed: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects, feed: PageFeed) {
    super(effects, INITIAL_THREAD_LIST);
    this.#api = api;
    this.#feed = feed;
  }

  /** Shows the threads that contain this text; "" shows all threads. */
  readonly setSearch = (text: string): void => {
    if (text === this.#search) return;
    this.#search = text;
    this.#changeQuery(SEARCH_DELAY_MS);
  };

  readonly setFilter = (filter: ThreadFilter): void => {
    if (filter === this.#filter) return;
    this.#filter = filter;
    // The loaded threads that match the new filter stay visible while the filtered list loads.
    if (filter !== "all")
      this.#threads = this.#threads.filter(({ kind }) => (kind === "task") === (filter === "tasks"));
    this.#changeQuery(0);
  };

  /** Reads the next page of the list, if there is one. */
  readonly loadMore = (): void => {
    const before = this.#next;
    if (before === null || this.#loadingMore !== undefined) return;
    this.#loadingMore = new AbortController();
    this.#hasMoreFailed = false;
    void this.#readMore(before, this.#loadingMore);
  };

  /**
   * Repeats the read that failed: a refresh of the list if its status is "failed", otherwise the read of the next page.
   */
  readonly retry = (): void => {
    if (this.#status === "failed") {
      this.#status = "loading";
      this.#error = undefined;
      this.updateNow();
      this.#scheduleRefresh(0);
    } else this.loadMore();
  };

  protected override start(): void {
    this.#isStale = true;
    this.#unsubscribeFeed = this.#feed.listen({
      onChange: (change) => this.#onChange(change),
      onOpen: () => {
        this.#isStale = true;
        this.#scheduleRefresh(0);
      },
      onConnection: (connection) => {
        this.#connection = connection;
        this.scheduleUpdate();
      },
    });
    this.#scheduleRefresh(0);
  }

  protected override stop(): void {
    this.#unsubscribeFeed?.();
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
    this.#abortReads();
  }

  protected override reset(): void {
    this.#status = "loading";
    this.#error = undefined;
    this.#search = "";
    this.#filter = "all";
    this.#threads = INITIAL_THREAD_LIST.threads;
    this.#hits = INITIAL_THREAD_LIST.hits;
    this.#createdIds = INITIAL_THREAD_LIST.createdIds;
    this.#next = null;
    this.#hasQueryChanged = true;
    this.#connection = "connecting";
  }

  protected override computeState(previous: ThreadListState): ThreadListState {
    const status = this.#status;
    const connection = this.#connection;
    const search = this.#search;
    const filter = this.#filter;
    const threads = this.#threads;
    const hits = this.#hits;
    const error = this.#error;
    const createdIds = this.#createdIds;
    const more = this.#next !== null && (this.#hasMoreFailed ? "failed" : true);
    const state: ThreadListState = { status, connection, search, filter, threads, hits, more, createdIds };
    return reuseIfSameFields(previous, error === undefined ? state : { ...state, error });
  }

  /** Discards the results of the previous search or filter, and schedules a read after `ms` milliseconds. */
  #changeQuery(ms: number): void {
    this.#status = "loading";
    this.#hits = [];
    this.#next = null;
    this.#isStale = true;
    this.#hasQueryChanged = true;
    this.#abortReads();
    this.#scheduleRefresh(ms);
    this.updateNow();
  }

  #abortReads(): void {
    this.#loadingMore?.abort();
    this.#loadingMore = undefined;
    this.#refresh?.abort();
    this.#refresh = undefined;
  }

  #onChange({ threadId, change }: ThreadChangeEvent): void {
    if (change === "selected") return;
    if (change === "created") {
      this.#createdIds = new Set(this.#createdIds).add(threadId);
      this.scheduleUpdate();
    }
    if (change === "deleted") this.#removeThread(threadId);
    this.#scheduleRefresh(REFRESH_INTERVAL_MS);
  }

  #removeThread(threadId: string): void {
    const threads = this.#threads.filter(({ id }) => id !== threadId);
    const hits = this.#hits.filter((hit) => hit.threadId !== threadId);
    this.#threads = reuseList(this.#threads, threads);
    this.#hits = reuseList(this.#hits, hits);
    this.scheduleUpdate();
  }

  /**
   * Schedules a refresh after `ms` milliseconds; 0 replaces a refresh that is already scheduled. If the previous
   * refresh is still running at that time, waits for another `REFRESH_INTERVAL_MS`.
   */
  #scheduleRefresh(ms: number): void {
    if (this.#cancelRefresh !== undefined && ms > 0) return;
    this.#cancelRefresh?.();
    this.#cancelRefresh = this.effects.delay(() => {
      this.#cancelRefresh = undefined;
      if (this.#refresh === undefined) void this.#read();
      else this.#scheduleRefresh(REFRESH_INTERVAL_MS);
    }, ms);
  }

  async #read(): Promise<void> {
    const refresh = new AbortController();
    this.#refresh = refresh;
    const { signal } = refresh;
    const search = this.#search.trim();
    const isStale = this.#isStale;
    this.#isStale = false;
    try {
      if (search === "") await this.#readList(isStale, signal);
      else this.#showSearchResult(await this.#readPage({ signal, search }));
      this.#status = "ready";
      this.#hasQueryChanged = false;
      this.#error = undefined;
      this.scheduleUpdate();
    } catch (error) {
      if (signal.aborted) return;
      this.#isStale ||= isStale;
      this.#fail(error);
    } finally {
      if (this.#refresh === refresh) this.#refresh = undefined;
    }
  }

  /** Reads one page of the list. Throws if the read was aborted. */
  async #readPage(query: { signal: AbortSignal; search?: string; before?: string }): Promise<ThreadListResponse> {
    const page = await this.#api.threads({ limit: PAGE_SIZE, ...KIND_QUERIES[this.#filter], ...query });
    query.signal.throwIfAborted();
    return page;
  }

  /**
   * Reads pages from the start of the list until a page contains a thread that has not changed since the last read; the
   * loaded threads after that page are reused. If the list is stale or every thread has changed, reads as many threads
   * as were loaded before.
   */
  async #readList(isStale: boolean, signal: AbortSignal): Promise<void> {
    const previousUpdates = new Map(this.#threads.map((thread) => [thread.id, thread.summary?.updatedAt]));
    const isUnchanged = ({ id, summary }: ThreadJson): boolean =>
      summary !== undefined && previousUpdates.get(id) === summary.updatedAt;
    let page = await this.#readPage({ signal });
    const read = [...page.threads];
    let isJoined = !isStale && page.threads.some(isUnchanged);
    while (page.next !== null && !isJoined && read.length < this.#threads.length) {
      page = await this.#readPage({ signal, before: page.next });
      read.push(...page.threads);
      isJoined = !isStale && page.threads.some(isUnchanged);
    }
    this.#replaceHead(read, page.next, isJoined);
  }

  /**
   * Replaces the start of the list by the threads that were read (`read`). If `isJoined` is true and there are further
   * pages, the older loaded threads stay. All other loaded threads that are not in `read` no longer exist.
   */
  #replaceHead(read: readonly ThreadJson[], next: string | null, isJoined: boolean): void {
    // If a thread moved in the list between the reads of two pages, `read` contains it twice; the later result is used.
    const threadsById = new Map(read.map((thread) => [thread.id, thread]));
    const oldest = read.at(-1)?.summary?.updatedAt ?? "";
    const isOlder = ({ id, summary }: ThreadJson): boolean =>
      !threadsById.has(id) && (summary?.updatedAt ?? "") <= oldest;
    const older = isJoined && next !== null ? this.#threads.filter(isOlder) : [];
    this.#threads = this.#reuseThreads([...threadsById.values(), ...older]);
    if (older.length === 0) this.#next = next;
    this.#hits = reuseList(this.#hits, []);
  }

  #fail(error: unknown): void {
    // This error is ignored, because the token change restarts the store, which reads the list again.
    if (error instanceof ApiError && error.code === "token-changed") return;
    this.#error = error instanceof Error ? error : new Error(String(error));
    if (this.#status === "loading" && this.#hasQueryChanged) {
      this.#status = "failed";
      this.#threads = [];
    } else if (this.#status === "loading") this.#status = "ready";
    this.scheduleUpdate();
  }

  #failLoadMore(error: unknown): void {
    this.#hasMoreFailed = true;
    this.#fail(error);
  }

  #showSearchResult({ threads, hits = [] }: ThreadListResponse): void {
    this.#threads = this.#reuseThreads(threads);
    this.#hits = reuseIfEqual(this.#hits, hits);
    this.#next = null;
    // Search results are not the start of the complete list, so the next read without a search cannot reuse them.
    this.#isStale = true;
  }

  async #readMore(before: string, { signal }: AbortController): Promise<void> {
    let isOutdated = false;
    try {
      const page = await this.#readPage({ before, signal });
      // If a refresh has replaced the list during the read, this page no longer follows the list's last thread.
      isOutdated = this.#next !== before;
      if (!isOutdated) this.#append(page);
    } catch (error) {
      if (!signal.aborted) this.#failLoadMore(error);
    }
    if (signal.aborted) return;
    this.#loadingMore = undefined;
    this.scheduleUpdate();
    if (isOutdated) this.loadMore();
  }

  #append({ threads, next }: ThreadListResponse): void {
    const knownIds = new Set(this.#threads.map(({ id }) => id));
    this.#threads = this.#reuseThreads([...this.#threads, ...threads.filter(({ id }) => !knownIds.has(id))]);
    this.#next = next;
    this.#error = undefined;
  }

  #reuseThreads(next: readonly ThreadJson[]): readonly ThreadJson[] {
    const previous = new Map(this.#threads.map((thread) => [thread.id, thread]));
    return reuseList(
      this.#threads,
      next.map((thread) => reuseIfEqual(previous.get(thread.id), thread)),
    );
  }
}
