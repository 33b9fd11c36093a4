// The list of threads, what happened last first: read in pages, and brought up to date as things happen anywhere.
import type { Api, ThreadPage } from "./api.ts";
import type { ChangeFeed, ThreadChange } from "./changes.ts";
import type { PageEffects } from "./effects.ts";
import { keep, keepList } from "./keep.ts";
import { keepFields, Store } from "./store.ts";
import type { Connection, SearchHit, Thread, ThreadListState } from "./types.ts";

const PAGE = 50;
/** Much may happen at once: the list is read so often at most. */
const READ_MS = 400;
/** Before a search is asked for: more may be typed. */
const TYPED_MS = 150;

const LOADING: ThreadListState = {
  status: "loading",
  connection: "connecting",
  search: "",
  threads: [],
  hits: [],
  more: false,
};

export class ThreadListStore extends Store<ThreadListState> {
  private readonly api: Api;
  private readonly changes: ChangeFeed;
  private status: ThreadListState["status"] = "loading";
  private error: Error | undefined;
  private connection: Connection = "connecting";
  private words = "";
  private threads: readonly Thread[] = [];
  private hits: readonly SearchHit[] = [];
  private next: string | null = null;
  /** Whether the threads are those that a search has found. */
  private areFound = false;
  private planned: (() => void) | undefined;
  private reading: AbortController | undefined;
  private loadingMore: AbortController | undefined;
  private readonly undo: (() => void)[] = [];

  constructor(api: Api, effects: PageEffects, changes: ChangeFeed) {
    super(effects, LOADING);
    this.api = api;
    this.changes = changes;
  }

  /** Shows what holds these words; "" shows all. */
  readonly setSearch = (text: string): void => {
    if (text === this.words) return;
    this.words = text;
    this.status = "loading";
    this.hits = [];
    this.next = null;
    this.loadingMore?.abort();
    this.reading?.abort();
    this.reading = undefined;
    this.plan(TYPED_MS);
    this.show();
  };

  /** Reads the next page, where there is one. */
  readonly loadMore = (): void => {
    const before = this.next;
    if (before === null || this.loadingMore !== undefined) return;
    const reading = new AbortController();
    this.loadingMore = reading;
    this.api
      .threads({ limit: PAGE, before, signal: reading.signal })
      .then((page) => this.append(page))
      .catch((error: unknown) => reading.signal.aborted || this.failed(error))
      .finally(() => {
        if (this.loadingMore === reading) this.loadingMore = undefined;
      });
  };

  protected override start(): void {
    this.undo.push(
      this.changes.listen({
        onChange: (change) => this.onChange(change),
        onOpen: () => this.plan(0),
        onConnection: (connection) => {
          this.connection = connection;
          this.changed();
        },
      }),
      this.api.token.subscribe(() => this.plan(0)),
    );
    this.plan(0);
  }

  protected override stop(): void {
    for (const undo of this.undo.splice(0)) undo();
    this.planned?.();
    this.planned = undefined;
    this.reading?.abort();
    this.reading = undefined;
  }

  protected override view(former: ThreadListState): ThreadListState {
    const { status, connection, words: search, threads, hits, error } = this;
    const more = this.next !== null;
    const state: ThreadListState = { status, connection, search, threads, hits, more };
    return keepFields(former, error === undefined ? state : { ...state, error });
  }

  private onChange({ threadId, change }: ThreadChange): void {
    if (change === "selected") return;
    if (change === "deleted") {
      this.threads = keepList(
        this.threads,
        this.threads.filter(({ id }) => id !== threadId),
      );
      this.hits = keepList(
        this.hits,
        this.hits.filter((hit) => hit.threadId !== threadId),
      );
      this.changed();
    }
    this.plan(READ_MS);
  }

  /** Reads the list soon; what is read already is let be, and read again after. */
  private plan(ms: number): void {
    if (this.planned !== undefined && ms > 0) return;
    this.planned?.();
    this.planned = this.effects.delay(() => {
      this.planned = undefined;
      if (this.reading === undefined) void this.read();
      else this.plan(READ_MS);
    }, ms);
  }

  private async read(): Promise<void> {
    const reading = new AbortController();
    this.reading = reading;
    const { signal } = reading;
    const search = this.words.trim();
    try {
      const page = await this.api.threads({ limit: PAGE, signal, ...(search !== "" && { search }) });
      if (signal.aborted) return;
      if (search === "") this.replaceHead(page);
      else this.found(page);
      this.status = "ready";
      this.error = undefined;
      this.changed();
    } catch (error) {
      if (!signal.aborted) this.failed(error);
    } finally {
      if (this.reading === reading) this.reading = undefined;
    }
  }

  private failed(error: unknown): void {
    this.error = error instanceof Error ? error : new Error(String(error));
    // What was read before is better than nothing.
    if (this.status === "loading") this.status = this.threads.length > 0 ? "ready" : "failed";
    this.changed();
  }

  private found({ threads, hits = [] }: ThreadPage): void {
    this.threads = this.kept(threads);
    this.areFound = true;
    this.hits = keep(this.hits, hits);
    this.next = null;
  }

  /**
   * The first page anew. What was read before and is older stays behind it: what would have to be in the page and is not is
   * not there any more.
   */
  private replaceHead({ threads, next }: ThreadPage): void {
    const oldest = threads.at(-1)?.summary?.updatedAt ?? "";
    const inPage = new Set(threads.map(({ id }) => id));
    const former = next === null || this.areFound ? [] : this.threads;
    const older = former.filter(({ id, summary }) => !inPage.has(id) && (summary?.updatedAt ?? "") <= oldest);
    this.threads = this.kept([...threads, ...older]);
    this.areFound = false;
    if (older.length === 0) this.next = next;
    this.hits = keepList(this.hits, []);
  }

  private append({ threads, next }: ThreadPage): void {
    const known = new Set(this.threads.map(({ id }) => id));
    this.threads = this.kept([...this.threads, ...threads.filter(({ id }) => !known.has(id))]);
    this.next = next;
    this.changed();
  }

  private kept(next: readonly Thread[]): readonly Thread[] {
    const former = new Map(this.threads.map((thread) => [thread.id, thread]));
    return keepList(
      this.threads,
      next.map((thread) => keep(former.get(thread.id), thread)),
    );
  }
}
