// The list of threads, what happened last first: read in pages, and brought up to date as things happen anywhere.
import type { Api, ThreadPage } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import type { PageFeed, ThreadChange } from "./feed.ts";
import { ApiError } from "./http.ts";
import { keepEqual, keepList } from "./keep.ts";
import { keepFields, Store } from "./store.ts";
import type { Connection, SearchHit, Thread, ThreadFilter, ThreadListState } from "./types.ts";

const PAGE = 50;
/** Much may happen at once: the list is read so often at most. */
const READ_MS = 400;
/** Before a search is asked for: more may be typed. */
const TYPED_MS = 150;

const LOADING: ThreadListState = {
  status: "loading",
  connection: "connecting",
  search: "",
  filter: "all",
  threads: [],
  hits: [],
  more: false,
  made: new Set(),
};

/** What the server calls them. */
const KINDS: Record<ThreadFilter, { kind?: string }> = { all: {}, chats: { kind: "none" }, tasks: { kind: "task" } };

export class ThreadListStore extends Store<ThreadListState> {
  readonly #api: Api;
  readonly #feed: PageFeed;
  #status: ThreadListState["status"] = "loading";
  #error: Error | undefined;
  #connection: Connection = "connecting";
  #words = "";
  #filter: ThreadFilter = "all";
  #threads: readonly Thread[] = [];
  #hits: readonly SearchHit[] = [];
  #made: ReadonlySet<string> = LOADING.made;
  #next: string | null = null;
  #hasMoreFailed = false;
  /** Changes may have been missed, or the threads are others: what was read before counts no more. */
  #isAllOld = true;
  /** Others are wanted than those that are there. */
  #areOthers = true;
  #planned: (() => void) | undefined;
  #reading: AbortController | undefined;
  #loadingMore: AbortController | undefined;
  #leaveFeed: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects, feed: PageFeed) {
    super(effects, LOADING);
    this.#api = api;
    this.#feed = feed;
  }

  /** Shows what holds these words; "" shows all. */
  readonly setSearch = (text: string): void => {
    if (text === this.#words) return;
    this.#words = text;
    this.#others(TYPED_MS);
  };

  readonly setFilter = (filter: ThreadFilter): void => {
    if (filter === this.#filter) return;
    this.#filter = filter;
    // Those that stay are seen at once.
    if (filter !== "all")
      this.#threads = this.#threads.filter(({ kind }) => (kind === "task") === (filter === "tasks"));
    this.#others(0);
  };

  /** Reads the next page, where there is one. */
  readonly loadMore = (): void => {
    const before = this.#next;
    if (before === null || this.#loadingMore !== undefined) return;
    this.#loadingMore = new AbortController();
    this.#hasMoreFailed = false;
    void this.#readMore(before, this.#loadingMore);
  };

  /** Tries again what could not be read. */
  readonly retry = (): void => {
    if (this.#status === "failed") {
      this.#status = "loading";
      this.#error = undefined;
      this.show();
      this.#plan(0);
    } else this.loadMore();
  };

  protected override start(): void {
    this.#isAllOld = true;
    this.#leaveFeed = this.#feed.listen({
      onChange: (change) => this.#onChange(change),
      onOpen: () => {
        this.#isAllOld = true;
        this.#plan(0);
      },
      onConnection: (connection) => {
        this.#connection = connection;
        this.changed();
      },
    });
    this.#plan(0);
  }

  protected override stop(): void {
    this.#leaveFeed?.();
    this.#planned?.();
    this.#planned = undefined;
    this.#letGo();
  }

  protected override forget(): void {
    this.#status = "loading";
    this.#error = undefined;
    this.#words = "";
    this.#filter = "all";
    this.#threads = LOADING.threads;
    this.#hits = LOADING.hits;
    this.#made = LOADING.made;
    this.#next = null;
    this.#areOthers = true;
    this.#connection = "connecting";
  }

  protected override view(former: ThreadListState): ThreadListState {
    const status = this.#status;
    const connection = this.#connection;
    const search = this.#words;
    const filter = this.#filter;
    const threads = this.#threads;
    const hits = this.#hits;
    const error = this.#error;
    const made = this.#made;
    const more = this.#next !== null && (this.#hasMoreFailed ? "failed" : true);
    const state: ThreadListState = { status, connection, search, filter, threads, hits, more, made };
    return keepFields(former, error === undefined ? state : { ...state, error });
  }

  /** Other threads than before are wanted. */
  #others(ms: number): void {
    this.#status = "loading";
    this.#hits = [];
    this.#next = null;
    this.#isAllOld = true;
    this.#areOthers = true;
    this.#letGo();
    this.#plan(ms);
    this.show();
  }

  #letGo(): void {
    this.#loadingMore?.abort();
    this.#loadingMore = undefined;
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #onChange({ threadId, change }: ThreadChange): void {
    if (change === "selected") return;
    if (change === "created") {
      this.#made = new Set(this.#made).add(threadId);
      this.changed();
    }
    if (change === "deleted") this.#drop(threadId);
    this.#plan(READ_MS);
  }

  #drop(threadId: string): void {
    const threads = this.#threads.filter(({ id }) => id !== threadId);
    const hits = this.#hits.filter((hit) => hit.threadId !== threadId);
    this.#threads = keepList(this.#threads, threads);
    this.#hits = keepList(this.#hits, hits);
    this.changed();
  }

  /** Reads the list soon; what is read already is let be, and read again after. */
  #plan(ms: number): void {
    if (this.#planned !== undefined && ms > 0) return;
    this.#planned?.();
    this.#planned = this.effects.delay(() => {
      this.#planned = undefined;
      if (this.#reading === undefined) void this.#read();
      else this.#plan(READ_MS);
    }, ms);
  }

  async #read(): Promise<void> {
    const reading = new AbortController();
    this.#reading = reading;
    const { signal } = reading;
    const search = this.#words.trim();
    const isAllOld = this.#isAllOld;
    this.#isAllOld = false;
    try {
      if (search === "") await this.#readList(isAllOld, signal);
      else this.#found(await this.#readPage({ signal, search }));
      this.#status = "ready";
      this.#areOthers = false;
      this.#error = undefined;
      this.changed();
    } catch (error) {
      if (signal.aborted) return;
      this.#isAllOld ||= isAllOld;
      this.#failed(error);
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** Throws where it is not wanted any more. */
  async #readPage(wish: { signal: AbortSignal; search?: string; before?: string }): Promise<ThreadPage> {
    const page = await this.#api.threads({ limit: PAGE, ...KINDS[this.#filter], ...wish });
    wish.signal.throwIfAborted();
    return page;
  }

  /**
   * From its beginning, up to a thread that stands as it stood: what is older stays as it was, unless all of it is old.
   * Where there is none, as far as it was read before.
   */
  async #readList(isAllOld: boolean, signal: AbortSignal): Promise<void> {
    const former = new Map(this.#threads.map((thread) => [thread.id, thread.summary?.updatedAt]));
    const stands = ({ id, summary }: Thread): boolean => summary !== undefined && former.get(id) === summary.updatedAt;
    let page = await this.#readPage({ signal });
    const read = [...page.threads];
    let isJoined = !isAllOld && page.threads.some(stands);
    while (page.next !== null && !isJoined && read.length < this.#threads.length) {
      page = await this.#readPage({ signal, before: page.next });
      read.push(...page.threads);
      isJoined = !isAllOld && page.threads.some(stands);
    }
    this.#replaceHead(read, page.next, isJoined);
  }

  /** What would have to be among those that were read and is not is not there any more. */
  #replaceHead(read: readonly Thread[], next: string | null, isJoined: boolean): void {
    // Something may have happened to one between two pages.
    const known = new Map(read.map((thread) => [thread.id, thread]));
    const oldest = read.at(-1)?.summary?.updatedAt ?? "";
    const isOlder = ({ id, summary }: Thread): boolean => !known.has(id) && (summary?.updatedAt ?? "") <= oldest;
    const older = isJoined && next !== null ? this.#threads.filter(isOlder) : [];
    this.#threads = this.#kept([...known.values(), ...older]);
    if (older.length === 0) this.#next = next;
    this.#hits = keepList(this.#hits, []);
  }

  #failed(error: unknown): void {
    // With another token everything begins anew.
    if (error instanceof ApiError && error.code === "token-changed") return;
    this.#error = error instanceof Error ? error : new Error(String(error));
    if (this.#status === "loading" && this.#areOthers) {
      this.#status = "failed";
      this.#threads = [];
    } else if (this.#status === "loading") this.#status = "ready";
    this.changed();
  }

  #moreFailed(error: unknown): void {
    this.#hasMoreFailed = true;
    this.#failed(error);
  }

  #found({ threads, hits = [] }: ThreadPage): void {
    this.#threads = this.#kept(threads);
    this.#hits = keepEqual(this.#hits, hits);
    this.#next = null;
    // They are no beginning of the list.
    this.#isAllOld = true;
  }

  async #readMore(before: string, { signal }: AbortController): Promise<void> {
    let isStray = false;
    try {
      const page = await this.#readPage({ before, signal });
      // Where the list was read anew meanwhile, it ends elsewhere: another page is its next.
      isStray = this.#next !== before;
      if (!isStray) this.#append(page);
    } catch (error) {
      if (!signal.aborted) this.#moreFailed(error);
    }
    if (signal.aborted) return;
    this.#loadingMore = undefined;
    this.changed();
    if (isStray) this.loadMore();
  }

  #append({ threads, next }: ThreadPage): void {
    const known = new Set(this.#threads.map(({ id }) => id));
    this.#threads = this.#kept([...this.#threads, ...threads.filter(({ id }) => !known.has(id))]);
    this.#next = next;
    this.#error = undefined;
  }

  #kept(next: readonly Thread[]): readonly Thread[] {
    const former = new Map(this.#threads.map((thread) => [thread.id, thread]));
    return keepList(
      this.#threads,
      next.map((thread) => keepEqual(former.get(thread.id), thread)),
    );
  }
}
