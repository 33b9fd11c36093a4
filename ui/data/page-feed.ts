// The page's single event connection: changes of any thread, and all events of the threads that are shown. Browsers
// allow six connections per server, over all windows.
import type { SseEvent } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { EventFollower, type EventConnection } from "./event-follower.ts";
import { ApiError } from "./http.ts";
import type { ConnectionStatus } from "./types.ts";

export interface ThreadChangeEvent {
  threadId: string;
  change: "created" | "activity" | "selected" | "updated" | "deleted";
}

export interface ChangeListener {
  onChange(change: ThreadChangeEvent): void;
  /** Called when a connection opens; changes before this moment were not reported. */
  onOpen?(): void;
  onConnection?(connection: ConnectionStatus): void;
}

/** Receives the events of one thread. */
export interface ThreadEventListener {
  /** Cursor after which events are delivered; undefined: from the beginning. */
  after?: string | undefined;
  /** Called in order, with the cursor as id. An exception ends the subscription as a refusal does. */
  onEvent(event: SseEvent): void;
  onConnection(connection: ConnectionStatus): void;
  /** Called when the server has no events for this cursor or this thread any more. */
  onRefused(error: ApiError): void;
}

export interface ThreadSubscription {
  /** Cursor of the last delivered event. */
  readonly cursor: string | undefined;
  stop(): void;
}

interface FollowedThread {
  listener: ThreadEventListener;
  cursor: string | undefined;
  /** Last value that the listener received. */
  connection: ConnectionStatus;
}

type FollowedThreads = ReadonlyMap<string, FollowedThread>;

/** Limit of the server; the threads that were followed last take precedence. */
const MAX_FOLLOWED_THREADS = 20;
/** Pause before a server that rejected the connection is tried again. */
const REFUSED_RETRY_MS = 30_000;

export class PageFeed {
  readonly #api: Api;
  readonly #effects: PageEffects;
  readonly #listeners = new Set<ChangeListener>();
  readonly #followed = new Map<string, FollowedThread>();
  /** Threads that the newest connection requests. */
  #connected = new Map<string, FollowedThread>();
  #follower: EventFollower | undefined;
  #connection: ConnectionStatus = "connecting";
  #cancelUpdate: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects) {
    this.#api = api;
    this.#effects = effects;
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    this.#scheduleUpdate();
    listener.onConnection?.(this.#connection);
    return () => {
      this.#listeners.delete(listener);
      this.#scheduleUpdate();
    };
  }

  /** Follows a thread. A thread has one listener; a new one replaces it. */
  follow(threadId: string, listener: ThreadEventListener): ThreadSubscription {
    const followed: FollowedThread = { listener, cursor: listener.after, connection: "connecting" };
    this.#followed.set(threadId, followed);
    this.#scheduleUpdate();
    listener.onConnection(this.#connection === "offline" ? "offline" : "connecting");
    return {
      get cursor() {
        return followed.cursor;
      },
      stop: () => this.#unfollow(threadId, followed),
    };
  }

  /** Closes the connection, and opens a new one if there are listeners. */
  restart(): void {
    this.stop();
    this.#connection = "connecting";
    this.#scheduleUpdate();
  }

  stop(): void {
    this.#cancelUpdate?.();
    this.#cancelUpdate = undefined;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#follower?.stop();
    this.#follower = undefined;
    this.#connected = new Map();
  }

  #unfollow(threadId: string, followed: FollowedThread): void {
    if (this.#followed.get(threadId) !== followed) return;
    this.#followed.delete(threadId);
    this.#scheduleUpdate();
  }

  /** Views mount and unmount together, so the connection is updated once, after all of them. */
  #scheduleUpdate(): void {
    this.#cancelUpdate ??= this.#effects.delay(() => {
      this.#cancelUpdate = undefined;
      this.#updateConnection();
    }, 0);
  }

  #updateConnection(): void {
    if (this.#listeners.size === 0 && this.#followed.size === 0) this.stop();
    else if (this.#follower === undefined && this.#cancelRetry === undefined) this.#follower = this.#createFollower();
    else if (!areSameThreads(this.#selectThreads(), this.#connected)) this.#follower?.reopen();
  }

  #selectThreads(): Map<string, FollowedThread> {
    return new Map([...this.#followed].slice(-MAX_FOLLOWED_THREADS));
  }

  #createFollower(): EventFollower {
    return new EventFollower(this.#api, this.#effects, {
      openNext: () => this.#openConnection(),
      onConnection: (connection) => connection === "live" || this.#setConnection(connection),
      onRefused: () => {
        this.#follower = undefined;
        this.#setConnection("offline");
        this.#cancelRetry = this.#effects.delay(() => {
          this.#cancelRetry = undefined;
          this.#updateConnection();
        }, REFUSED_RETRY_MS);
      },
    });
  }

  #openConnection(): EventConnection {
    const threads = this.#selectThreads();
    this.#connected = threads;
    return {
      path: eventsPath(threads),
      onEvent: (event) => this.#dispatch(event, threads),
      onOpen: (isGapless) => {
        if (!isGapless) for (const listener of this.#listeners) listener.onOpen?.();
        this.#setConnection("live", threads);
      },
    };
  }

  /** Only the threads that this connection requests become live with it. */
  #setConnection(connection: ConnectionStatus, threads: FollowedThreads = this.#followed): void {
    const isNew = this.#connection !== connection;
    this.#connection = connection;
    if (isNew) for (const listener of this.#listeners) listener.onConnection?.(connection);
    for (const [threadId, followed] of threads) {
      if (this.#followed.get(threadId) !== followed || followed.connection === connection) continue;
      followed.connection = connection;
      followed.listener.onConnection(connection);
    }
  }

  #dispatch({ event: type, data, id, ...event }: SseEvent, threads: FollowedThreads): void {
    if (type === "thread") {
      // Not validated: the server writes this shape.
      const change = JSON.parse(data) as ThreadChangeEvent;
      for (const listener of this.#listeners) listener.onChange(change);
    } else if (type === "gone") {
      // Not validated: the server writes this shape.
      const { threadId, error } = JSON.parse(data) as { threadId: string; error: { code: string; message: string } };
      const status = error.code === "not-found" ? 404 : 410;
      this.#refuse(threadId, threads, new ApiError(status, error.code, error.message));
    } else if (id !== undefined && type !== undefined) {
      const separator = id.lastIndexOf("@");
      const threadId = decodeURIComponent(id.slice(0, separator));
      this.#deliverToThread(threadId, threads, { ...event, event: type, data, id: id.slice(separator + 1) });
    }
  }

  /** Delivers an event once: two overlapping connections both send it (B96). */
  #deliverToThread(threadId: string, threads: FollowedThreads, event: SseEvent & { id: string }): void {
    const followed = threads.get(threadId);
    if (
      followed === undefined ||
      this.#followed.get(threadId) !== followed ||
      !isLaterCursor(event.id, followed.cursor)
    )
      return;
    try {
      followed.listener.onEvent(event);
      followed.cursor = event.id;
    } catch (error) {
      // Reading it again would throw again.
      this.#refuse(
        threadId,
        threads,
        new ApiError(410, "unreadable", `The page cannot read an event of this thread: ${String(error)}`),
      );
    }
  }

  #refuse(threadId: string, threads: FollowedThreads, error: ApiError): void {
    const followed = threads.get(threadId);
    if (followed === undefined || this.#followed.get(threadId) !== followed) return;
    this.#followed.delete(threadId);
    // The server has removed the thread from this connection too, so no reconnect is needed.
    if (this.#connected.get(threadId) === followed && error.code !== "unreadable") this.#connected.delete(threadId);
    else this.#scheduleUpdate();
    followed.listener.onRefused(error);
  }
}

function areSameThreads(left: FollowedThreads, right: FollowedThreads): boolean {
  return left.size === right.size && [...left].every(([threadId, followed]) => right.get(threadId) === followed);
}

function eventsPath(threads: FollowedThreads): string {
  if (threads.size === 0) return "/v1/events";
  const query = new URLSearchParams({ blobs: "reference" });
  for (const [threadId, { cursor = "" }] of threads)
    query.append("thread", `${encodeURIComponent(threadId)}@${cursor}`);
  return `/v1/events?${query.toString()}`;
}

/**
 * Compares cursors of one thread: first the row id, then the number after the dot; a cursor without a number stands
 * after all numbers of its row.
 */
function isLaterCursor(cursor: string, last: string | undefined): boolean {
  if (last === undefined) return true;
  const [row = "", sequence] = cursor.split(".");
  const [lastRow = "", lastSequence] = last.split(".");
  if (row !== lastRow) return row > lastRow;
  return Number(sequence ?? Infinity) > Number(lastSequence ?? Infinity);
}
