// Manages the page's only event connection. It reports changes of all threads, and all events of the threads that the
// views follow. One connection serves all views, because browsers allow only six per server over all windows.
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
  /**
   * Called when a connection opens after a time without a connection. Changes during that time were not reported, so
   * the listener has to read its data again.
   */
  onOpen?(): void;
  onConnection?(connection: ConnectionStatus): void;
}

/** Receives the events of one thread. */
export interface ThreadEventListener {
  /** Cursor after which events are delivered; undefined to deliver all events of the thread. */
  after?: string | undefined;
  /**
   * Called for each event in order; the event's id is its cursor. If this function throws, the subscription ends, and
   * `onRefused` is called.
   */
  onEvent(event: SseEvent): void;
  onConnection(connection: ConnectionStatus): void;
  /**
   * Called when the subscription has ended: the server no longer knows the cursor or the thread, or `onEvent` has
   * thrown.
   */
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
  /** Connection status that the listener received last. */
  connection: ConnectionStatus;
}

type FollowedThreads = ReadonlyMap<string, FollowedThread>;

/**
 * Maximum number of threads that the server accepts for one connection. If the views follow more threads, only those
 * that were followed last are requested.
 */
const MAX_FOLLOWED_THREADS = 20;
/** Pause before a new connection is tried after the server has permanently rejected the previous one (`onRefused`). */
const REFUSED_RETRY_MS = 30_000;

export class PageFeed {
  readonly #api: Api;
  readonly #effects: PageEffects;
  readonly #listeners = new Set<ChangeListener>();
  readonly #followed = new Map<string, FollowedThread>();
  /** Followed threads whose events the newest connection requests, by thread id. */
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

  /** Follows a thread. A thread has one listener, which a later call replaces. */
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

  /** Schedules one update of the connection for all views that mount or unmount in the same tick. */
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

  /**
   * Reports the connection status to all change listeners, and to the listeners of the followed threads in `threads`. A
   * caller that reports "live" passes only the threads that the connection requests; the other statuses apply to all.
   */
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
      // The cast is not checked, because the server, which is released together with the page, writes events of this
      // type in this shape.
      const change = JSON.parse(data) as ThreadChangeEvent;
      for (const listener of this.#listeners) listener.onChange(change);
    } else if (type === "gone") {
      // The cast is not checked, because the server, which is released together with the page, writes events of this
      // type in this shape.
      const { threadId, error } = JSON.parse(data) as { threadId: string; error: { code: string; message: string } };
      const status = error.code === "not-found" ? 404 : 410;
      this.#refuse(threadId, threads, new ApiError(status, error.code, error.message));
    } else if (id !== undefined && type !== undefined) {
      const separator = id.lastIndexOf("@");
      const threadId = decodeURIComponent(id.slice(0, separator));
      this.#deliverToThread(threadId, threads, { ...event, event: type, data, id: id.slice(separator + 1) });
    }
  }

  /** Delivers an event to the thread's listener, unless an overlapping connection has already delivered it (B96). */
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
      // The subscription ends, because the listener would throw for the same event again.
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
    // If the server has ended the subscription, it sends no more events of the thread on this connection, so the
    // connection can stay. If only the page cannot read an event ("unreadable"), the server still sends the thread's
    // events, so the connection is replaced by one without the thread.
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
 * True if `cursor` is after `last`. Cursors of a thread are ordered by row id, then by the number after the dot; a
 * cursor without a number is after all numbers of its row.
 */
function isLaterCursor(cursor: string, last: string | undefined): boolean {
  if (last === undefined) return true;
  const [row = "", sequence] = cursor.split(".");
  const [lastRow = "", lastSequence] = last.split(".");
  if (row !== lastRow) return row > lastRow;
  return Number(sequence ?? Infinity) > Number(lastSequence ?? Infinity);
}
