// A thread that is looked at: loaded, followed, and brought up to date after whatever happens to the connection.
import type { SseEvent } from "koine";
import { parseJson } from "koine";
import type { Api, Outline, TaskView } from "../api.ts";
import type { PageEffects } from "../effects.ts";
import type { Followed, PageFeed, ThreadChange } from "../feed.ts";
import { ApiError } from "../http.ts";
import { keepFields, Store } from "../store.ts";
import type { Connection, ConversationActions, ConversationState, ThreadEvent } from "../types.ts";
import { Actions } from "./actions.ts";
import { BodyLoader, PAGE } from "./bodies.ts";
import { ConversationFold } from "./fold.ts";
import { LeafReader } from "./leaf.ts";

/** So many of the last runs are looked at for failures. */
const LAST_RUNS = 20;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5000;
/** After so long a refusal has nothing to do with the one before. */
const CALM_MS = 30_000;

const LOADING: ConversationState = {
  status: "loading",
  connection: "connecting",
  thread: undefined,
  nodes: new Map(),
  path: [],
  bodies: new Map(),
  live: [],
  failures: new Map(),
  task: undefined,
  ask: {},
};

export class ConversationStore extends Store<ConversationState> {
  readonly id: string;
  readonly actions: ConversationActions;
  readonly #api: Api;
  readonly #feed: PageFeed;
  readonly #fold = new ConversationFold();
  readonly #bodies: BodyLoader;
  readonly #leaf: LeafReader;
  #followed: Followed | undefined;
  /** Where to go on after a while without readers. */
  #cursor: string | undefined;
  #status: ConversationState["status"] = "loading";
  #error: Error | undefined;
  #connection: Connection = "connecting";
  #loading: AbortController | undefined;
  #reloading: (() => void) | undefined;
  #failures = 0;
  #refusals = 0;
  #refusedAt = 0;
  #leaveFeed: (() => void) | undefined;
  /** Choices that were made since it was read may not have been told. */
  #isLeafOld = false;
  /** It was said that it is not there any more: there is nothing to ask. */
  #isDeleted = false;

  constructor(api: Api, effects: PageEffects, feed: PageFeed, id: string) {
    super(effects, LOADING);
    this.#api = api;
    this.#feed = feed;
    this.id = id;
    const fold = this.#fold;
    this.#bodies = new BodyLoader({
      read: (page) => api.messages(id, page),
      pathTo: (messageId) => fold.tree.pathTo(messageId),
      path: () => fold.tree.path,
      has: (messageId) => fold.bodies.has(messageId),
      loaded: (messages) => {
        fold.putBodies(messages);
        this.changed();
      },
      failed: (error) => {
        // It was deleted since: the tree is another one.
        if (error instanceof ApiError && error.status === 404 && this.#status !== "missing") void this.#load();
      },
    });
    this.#leaf = new LeafReader({
      read: () => api.thread(id),
      fold,
      effects,
      changed: () => this.changed(),
      failed: (error) => this.#refused(error),
    });
    this.actions = new Actions({
      api,
      fold,
      threadId: id,
      changed: () => this.changed(),
      need: (ids) => this.#status !== "missing" && this.#bodies.need(ids),
      readLeaf: () => this.#leaf.readNow(),
      choose: (choice) => this.#leaf.choose(choice),
      gone: () => {
        this.#isDeleted = true;
        this.#gone();
      },
    }).all();
  }

  protected override start(): void {
    this.#leaveFeed = this.#feed.listen({
      onChange: (change) => this.#onChange(change),
      // Choices are told of only while they are made.
      onOpen: () => (this.#isLoaded ? this.#leaf.suspect() : (this.#isLeafOld = true)),
    });
    if (this.#isLoaded) {
      this.#follow(this.#cursor);
      this.#leaf.suspect();
    } else if (!this.#isDeleted) void this.#load();
  }

  protected override stop(): void {
    this.#leaveFeed?.();
    this.#rest();
  }

  protected override forget(): void {
    this.#fold.clear();
    this.#bodies.clear();
    this.#cursor = undefined;
    this.#status = "loading";
    this.#error = undefined;
    this.#connection = "connecting";
    this.#isDeleted = false;
  }

  /** Asks and follows no more. */
  #rest(): void {
    this.#loading?.abort();
    this.#reloading?.();
    this.#leaf.stop();
    this.#unfollow();
  }

  #unfollow(): void {
    if (this.#followed === undefined) return;
    this.#cursor = this.#followed.cursor;
    this.#followed.stop();
    this.#followed = undefined;
  }

  get #isLoaded(): boolean {
    return this.#status === "ready";
  }

  protected override view(former: ConversationState): ConversationState {
    const status = this.#status;
    const error = this.#error;
    const connection = this.#connection;
    return keepFields(former, { status, connection, ...(error !== undefined && { error }), ...this.#fold.view() });
  }

  // ---- Loading ----

  /** Reads the thread as it is, and follows it from there; again, where its former place is not there any more. */
  async #load(): Promise<void> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    this.#unfollow();
    try {
      const [outline, task] = await this.#read(signal);
      if (signal.aborted) return;
      this.#failures = 0;
      this.#loaded(outline, task);
    } catch (error) {
      if (!signal.aborted) this.#notLoaded(error, loading);
    }
  }

  /** What is looked at first comes along: nothing that was shown goes away for a moment. */
  async #read(signal: AbortSignal): Promise<[Outline, TaskView | undefined]> {
    const { id } = this;
    const api = this.#api;
    const fold = this.#fold;
    const readNewest = async (): Promise<void> => {
      const messages = await api.messages(id, { limit: PAGE, signal }).catch(() => []);
      if (!signal.aborted) fold.putBodies(messages);
    };
    const newest = fold.bodies.size === 0 ? readNewest() : undefined;
    const outline = await api.outline(id, signal);
    const { thread, activeLeafId: leaf } = outline;
    const task = thread.kind === "task" ? await api.task(id) : undefined;
    await (newest ?? (leaf === null || fold.bodies.has(leaf) ? undefined : readNewest()));
    return [outline, task];
  }

  #loaded(outline: Outline, task: TaskView | undefined): void {
    this.#fold.load(outline, task);
    this.#status = "ready";
    this.#error = undefined;
    this.#bodies.forget();
    this.#follow(firstOf(outline.cursor, task));
    void this.#readFailures();
    if (this.#isLeafOld) this.#leaf.suspect();
    this.#isLeafOld = false;
    this.changed();
  }

  /** Why there is no answer is told by runs that are over. */
  async #readFailures(): Promise<void> {
    const { id } = this;
    const api = this.#api;
    const fold = this.#fold;
    const runs = await api.runs(id, { last: LAST_RUNS }).catch(() => []);
    for (const run of runs) if (run.state === "failed" || run.state === "cancelled") fold.failed(run);
    this.changed();
  }

  #notLoaded(error: unknown, loading: AbortController): void {
    const told = error instanceof Error ? error : new Error(String(error));
    // With another token everything begins anew.
    if (told instanceof ApiError && told.code === "token-changed") return;
    if (told instanceof ApiError && told.status === 404) return this.#gone();
    if (told instanceof ApiError && told.status === 401) return this.#fail(told);
    const mayPass = told instanceof ApiError && (told.status === 0 || told.status >= 500 || told.status === 429);
    if (!mayPass) return this.#fail(told);
    this.#connection = "offline";
    this.changed();
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures++, LONGEST_PAUSE);
    const again = (): void => {
      cancel();
      online();
      if (!loading.signal.aborted) void this.#load();
    };
    const cancel = this.effects.delay(again, pause);
    const online = this.effects.onOnline(again);
    loading.signal.addEventListener("abort", () => [cancel(), online()], { once: true });
  }

  #fail(error: Error): void {
    this.#status = "failed";
    this.#error = error;
    this.changed();
  }

  #gone(): void {
    this.#status = "missing";
    this.#rest();
    this.changed();
  }

  // ---- Following ----

  #follow(after: string | undefined): void {
    this.#unfollow();
    this.#followed = this.#feed.follow(this.id, {
      after,
      onEvent: (event) => this.#take(event),
      onConnection: (connection) => {
        this.#connection = connection;
        if (connection === "live") this.#bodies.retry();
        this.changed();
      },
      onRefused: (error) => {
        this.#followed = undefined;
        this.#refused(error);
      },
    });
  }

  #take({ id: cursor, data }: SseEvent): void {
    // As the server writes it.
    const event = { ...(parseJson(data) as object), cursor } as ThreadEvent;
    const { moves } = this.#fold.tree;
    this.#fold.apply(event);
    if (this.#fold.tree.moves !== moves) this.#leaf.moved();
    this.changed();
  }

  /** The place is not there any more, or something in it cannot be read: then again and again, but not at once. */
  #refused(error: unknown): void {
    if (error instanceof ApiError && error.status === 404) return this.#gone();
    const now = this.effects.now();
    this.#refusals = now - this.#refusedAt > CALM_MS ? 0 : this.#refusals + 1;
    this.#refusedAt = now;
    const pause = this.#refusals === 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** this.#refusals, LONGEST_PAUSE);
    this.#reloading?.();
    this.#reloading = this.effects.delay(() => void this.#load(), pause);
  }

  #onChange({ threadId, change }: ThreadChange): void {
    if (threadId !== this.id) return;
    if (change === "deleted") {
      this.#isDeleted = true;
      this.#gone();
    } else if (this.#status === "missing") {
      // Somebody has made it, or made it anew.
      this.#isDeleted = false;
      if (change === "created") void this.#load();
    } else if (change === "selected" || change === "updated") this.#leaf.suspect();
  }
}

/** What waits in a task was said after this: its words are read again from there. */
function firstOf(cursor: string | null, task: TaskView | undefined): string | undefined {
  const ids = (task?.queued_messages ?? []).map(({ id }) => id).filter((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id));
  const first = ids.sort()[0];
  if (cursor === null) return undefined;
  return first !== undefined && first < cursor ? first : cursor;
}
