// Stores the state of one shown thread: loads the thread, follows its events, and loads it again if the events cannot
// be followed.
import type { SseEvent } from "koine";
import { parseJson } from "koine";
import type { Api, ThreadOutline, TaskSummaryJson } from "../api.ts";
import type { PageEffects } from "../effects.ts";
import type { ThreadSubscription, PageFeed, ThreadChangeEvent } from "../page-feed.ts";
import { ApiError } from "../http.ts";
import { reuseIfSameFields, Store } from "../store.ts";
import type { ConnectionStatus, ConversationActions, ConversationState, ThreadEvent } from "../types.ts";
import { ConversationActionFactory } from "./conversation-actions.ts";
import { BodyLoader, BODY_PAGE_SIZE } from "./body-loader.ts";
import { ConversationReducer } from "./conversation-reducer.ts";
import { ActiveLeafReader } from "./active-leaf.ts";

/** Number of recent runs that are read to find failed and cancelled runs. */
const RUNS_READ_FOR_FAILURES = 20;
const FIRST_RETRY_PAUSE_MS = 500;
const LONGEST_RETRY_PAUSE_MS = 5000;
/**
 * If more time than this has passed since the last refusal of the subscription, the reload after the next refusal
 * starts without a pause.
 */
const REFUSAL_RESET_MS = 30_000;

const INITIAL_CONVERSATION: ConversationState = {
  status: "loading",
  connection: "connecting",
  thread: undefined,
  nodes: new Map(),
  path: [],
  bodies: new Map(),
  liveRuns: [],
  failures: new Map(),
  task: undefined,
  answerSettings: {},
};

export class ConversationStore extends Store<ConversationState> {
  readonly id: string;
  readonly actions: ConversationActions;
  readonly #api: Api;
  readonly #feed: PageFeed;
  readonly #reducer = new ConversationReducer();
  readonly #bodyLoader: BodyLoader;
  readonly #leafReader: ActiveLeafReader;
  #subscription: ThreadSubscription | undefined;
  /**
   * Cursor of the last event that was received before the store stopped following. When the store gets a listener
   * again, it follows the events after this cursor.
   */
  #cursor: string | undefined;
  #status: ConversationState["status"] = "loading";
  #error: Error | undefined;
  #connection: ConnectionStatus = "connecting";
  #loading: AbortController | undefined;
  #cancelReload: (() => void) | undefined;
  #loadFailures = 0;
  #refusals = 0;
  #refusedAt = 0;
  #unsubscribeFeed: (() => void) | undefined;
  /**
   * True if the event feed was opened before the outline was loaded. Another client may have selected a branch between
   * both without being noticed, so the active leaf is read again after the outline.
   */
  #mayHaveMissedSelection = false;
  /** True if the thread was deleted; then the store does not try to load it. */
  #isDeleted = false;

  constructor(api: Api, effects: PageEffects, feed: PageFeed, id: string) {
    super(effects, INITIAL_CONVERSATION);
    this.#api = api;
    this.#feed = feed;
    this.id = id;
    const reducer = this.#reducer;
    this.#bodyLoader = new BodyLoader({
      read: (page) => api.messages(id, page),
      pathTo: (messageId) => reducer.tree.listPathTo(messageId),
      shownPath: () => reducer.tree.path,
      has: (messageId) => reducer.bodies.has(messageId),
      onLoaded: (messages) => {
        reducer.putBodies(messages);
        this.scheduleUpdate();
      },
      onFailed: (error) => {
        // Status 404: the server has deleted the requested message since the outline was read, so the outline is read
        // again.
        if (error instanceof ApiError && error.status === 404 && this.#status !== "missing") void this.#load();
      },
    });
    this.#leafReader = new ActiveLeafReader({
      read: () => api.thread(id),
      reducer,
      effects,
      onChange: () => this.scheduleUpdate(),
      onFailed: (error) => this.#reloadAfterRefusal(error),
    });
    this.actions = new ConversationActionFactory({
      api,
      reducer,
      threadId: id,
      onChange: () => this.scheduleUpdate(),
      loadBodies: (ids) => this.#status !== "missing" && this.#bodyLoader.request(ids),
      readLeaf: () => this.#leafReader.readNow(),
      trackSelection: (selection) => this.#leafReader.trackSelection(selection),
      onDeleted: () => {
        this.#isDeleted = true;
        this.#markMissing();
      },
    }).create();
  }

  protected override start(): void {
    this.#unsubscribeFeed = this.#feed.listen({
      onChange: (change) => this.#onChange(change),
      // While the feed was closed, another client may have selected a branch, so the active leaf is read when the feed
      // opens; if the outline is not loaded yet, this is done after the outline.
      onOpen: () => (this.#isLoaded ? this.#leafReader.scheduleCheck() : (this.#mayHaveMissedSelection = true)),
    });
    if (this.#isLoaded) {
      this.#follow(this.#cursor);
      this.#leafReader.scheduleCheck();
    } else if (!this.#isDeleted) void this.#load();
  }

  protected override stop(): void {
    this.#unsubscribeFeed?.();
    this.#stopAll();
  }

  protected override reset(): void {
    this.#reducer.clear();
    this.#bodyLoader.clear();
    this.#cursor = undefined;
    this.#status = "loading";
    this.#error = undefined;
    this.#connection = "connecting";
    this.#isDeleted = false;
  }

  /** Aborts all reads and stops following the thread. */
  #stopAll(): void {
    this.#loading?.abort();
    this.#cancelReload?.();
    this.#leafReader.stop();
    this.#unfollow();
  }

  #unfollow(): void {
    if (this.#subscription === undefined) return;
    this.#cursor = this.#subscription.cursor;
    this.#subscription.stop();
    this.#subscription = undefined;
  }

  get #isLoaded(): boolean {
    return this.#status === "ready";
  }

  protected override computeState(previous: ConversationState): ConversationState {
    const status = this.#status;
    const error = this.#error;
    const connection = this.#connection;
    return reuseIfSameFields(previous, {
      status,
      connection,
      ...(error !== undefined && { error }),
      ...this.#reducer.computeState(),
    });
  }

  // ---- Loading ----

  /**
   * Reads the outline and follows the thread's events from the outline's cursor. Also called when the server no longer
   * knows the cursor from which events were followed.
   */
  async #load(): Promise<void> {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    this.#unfollow();
    try {
      const [outline, task] = await this.#read(signal);
      if (signal.aborted) return;
      this.#loadFailures = 0;
      this.#applyOutline(outline, task);
    } catch (error) {
      if (!signal.aborted) this.#handleLoadError(error, loading);
    }
  }

  /**
   * Reads the outline, the task, and the newest complete messages unless they are loaded, so that the message list
   * opens with its content.
   */
  async #read(signal: AbortSignal): Promise<[ThreadOutline, TaskSummaryJson | undefined]> {
    const { id } = this;
    const api = this.#api;
    const reducer = this.#reducer;
    const readNewest = async (): Promise<void> => {
      const messages = await api.messages(id, { limit: BODY_PAGE_SIZE, signal }).catch(() => []);
      if (!signal.aborted) reducer.putBodies(messages);
    };
    const newest = reducer.bodies.size === 0 ? readNewest() : undefined;
    const outline = await api.outline(id, signal);
    const { thread, activeLeafId: leaf } = outline;
    const task = thread.kind === "task" ? await api.task(id) : undefined;
    await (newest ?? (leaf === null || reducer.bodies.has(leaf) ? undefined : readNewest()));
    return [outline, task];
  }

  #applyOutline(outline: ThreadOutline, task: TaskSummaryJson | undefined): void {
    this.#reducer.load(outline, task);
    this.#status = "ready";
    this.#error = undefined;
    this.#bodyLoader.retryUnavailable();
    this.#follow(findFollowCursor(outline.cursor, task));
    void this.#readFailures();
    if (this.#mayHaveMissedSelection) this.#leafReader.scheduleCheck();
    this.#mayHaveMissedSelection = false;
    this.scheduleUpdate();
  }

  /** Reads recent runs and records the failed and cancelled ones, which explain missing answers. */
  async #readFailures(): Promise<void> {
    const { id } = this;
    const api = this.#api;
    const reducer = this.#reducer;
    const runs = await api.runs(id, { last: RUNS_READ_FOR_FAILURES }).catch(() => []);
    for (const run of runs) if (run.state === "failed" || run.state === "cancelled") reducer.addFailure(run);
    this.scheduleUpdate();
  }

  #handleLoadError(error: unknown, loading: AbortController): void {
    const loadError = error instanceof Error ? error : new Error(String(error));
    // This error is ignored, because the token change restarts the store, which loads the thread again.
    if (loadError instanceof ApiError && loadError.code === "token-changed") return;
    if (loadError instanceof ApiError && loadError.status === 404) return this.#markMissing();
    if (loadError instanceof ApiError && loadError.status === 401) return this.#fail(loadError);
    const isTemporary =
      loadError instanceof ApiError && (loadError.status === 0 || loadError.status >= 500 || loadError.status === 429);
    if (!isTemporary) return this.#fail(loadError);
    this.#connection = "offline";
    this.scheduleUpdate();
    const pause = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** this.#loadFailures++, LONGEST_RETRY_PAUSE_MS);
    const retry = (): void => {
      cancel();
      removeOnlineListener();
      if (!loading.signal.aborted) void this.#load();
    };
    const cancel = this.effects.delay(retry, pause);
    const removeOnlineListener = this.effects.onOnline(retry);
    loading.signal.addEventListener("abort", () => [cancel(), removeOnlineListener()], { once: true });
  }

  #fail(error: Error): void {
    this.#status = "failed";
    this.#error = error;
    this.scheduleUpdate();
  }

  #markMissing(): void {
    this.#status = "missing";
    this.#stopAll();
    this.scheduleUpdate();
  }

  // ---- Following ----

  #follow(after: string | undefined): void {
    this.#unfollow();
    this.#subscription = this.#feed.follow(this.id, {
      after,
      onEvent: (event) => this.#applyEvent(event),
      onConnection: (connection) => {
        this.#connection = connection;
        if (connection === "live") this.#bodyLoader.retry();
        this.scheduleUpdate();
      },
      onRefused: (error) => {
        this.#subscription = undefined;
        this.#reloadAfterRefusal(error);
      },
    });
  }

  #applyEvent({ id: cursor, data }: SseEvent): void {
    // The cast is not checked, because the server, which is released together with the page, writes events in this
    // shape.
    const event = { ...(parseJson(data) as object), cursor } as ThreadEvent;
    const { leafMoves: moves } = this.#reducer.tree;
    this.#reducer.apply(event);
    if (this.#reducer.tree.leafMoves !== moves) this.#leafReader.onLeafMoved();
    this.scheduleUpdate();
  }

  /** Loads the thread again, after growing pauses, because the cursor is no longer known or an event is unreadable. */
  #reloadAfterRefusal(error: unknown): void {
    if (error instanceof ApiError && error.status === 404) return this.#markMissing();
    const now = this.effects.now();
    this.#refusals = now - this.#refusedAt > REFUSAL_RESET_MS ? 0 : this.#refusals + 1;
    this.#refusedAt = now;
    const pause =
      this.#refusals === 0 ? 0 : Math.min(FIRST_RETRY_PAUSE_MS * 2 ** this.#refusals, LONGEST_RETRY_PAUSE_MS);
    this.#cancelReload?.();
    this.#cancelReload = this.effects.delay(() => void this.#load(), pause);
  }

  #onChange({ threadId, change }: ThreadChangeEvent): void {
    if (threadId !== this.id) return;
    if (change === "deleted") {
      this.#isDeleted = true;
      this.#markMissing();
    } else if (this.#status === "missing") {
      // Any change of a thread that was missing shows that the thread exists again, so it may be loaded later. It is
      // loaded at once only if the change is its creation.
      this.#isDeleted = false;
      if (change === "created") void this.#load();
    } else if (change === "selected" || change === "updated") this.#leafReader.scheduleCheck();
  }
}

/**
 * Returns the cursor after which the events are followed: the outline's cursor, or the id of the oldest queued message
 * if it is earlier. Ids and cursors grow with time, so the events after that id include the journal entries of all
 * queued messages, which have the complete messages.
 */
function findFollowCursor(cursor: string | null, task: TaskSummaryJson | undefined): string | undefined {
  const ids = (task?.queued_messages ?? []).map(({ id }) => id).filter((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id));
  const first = ids.sort()[0];
  if (cursor === null) return undefined;
  return first !== undefined && first < cursor ? first : cursor;
}
