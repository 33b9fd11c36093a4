// The page's one connection: what happens to any thread, wherever it is done, and all that happens in those that are looked
// at. Browsers allow six to a server, for all of its windows together.
import type { SseEvent } from "koine";
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { EventFollower, type Opening } from "./events.ts";
import { ApiError } from "./http.ts";
import type { Connection } from "./types.ts";

export interface ThreadChange {
  threadId: string;
  change: "created" | "activity" | "selected" | "updated" | "deleted";
}

export interface ChangeListener {
  onChange(change: ThreadChange): void;
  /** Changes are told from now on; what happened before was not told. */
  onOpen?(): void;
  onConnection?(connection: Connection): void;
}

/** Who follows a thread. */
export interface ThreadReader {
  /** Only what comes after this event; absent: from the beginning. */
  after?: string | undefined;
  /** In order, each with its cursor as id. What it throws ends the following, as a refusal does. */
  onEvent(event: SseEvent): void;
  onConnection(connection: Connection): void;
  /** The server will not give these events: the place, or the thread, is not there any more. */
  onRefused(error: ApiError): void;
}

export interface Followed {
  /** The last event that was read. */
  readonly cursor: string | undefined;
  stop(): void;
}

interface Place {
  reader: ThreadReader;
  cursor: string | undefined;
  /** What its reader was told last. */
  connection: Connection;
}

type Places = ReadonlyMap<string, Place>;

/** The server takes no more; those who came last come first. */
const MOST_THREADS = 20;
/** A server that refuses is asked again so much later. */
const REFUSED_MS = 30_000;

export class PageFeed {
  readonly #api: Api;
  readonly #effects: PageEffects;
  readonly #listeners = new Set<ChangeListener>();
  readonly #places = new Map<string, Place>();
  /** Those that the newest connection asks for. */
  #asked = new Map<string, Place>();
  #follower: EventFollower | undefined;
  #connection: Connection = "connecting";
  #planned: (() => void) | undefined;
  #retrying: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects) {
    this.#api = api;
    this.#effects = effects;
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    this.#plan();
    listener.onConnection?.(this.#connection);
    return () => {
      this.#listeners.delete(listener);
      this.#plan();
    };
  }

  /** A thread has one reader; another takes its place. */
  follow(threadId: string, reader: ThreadReader): Followed {
    const place: Place = { reader, cursor: reader.after, connection: "connecting" };
    this.#places.set(threadId, place);
    this.#plan();
    reader.onConnection(this.#connection === "offline" ? "offline" : "connecting");
    return {
      get cursor() {
        return place.cursor;
      },
      stop: () => this.#leave(threadId, place),
    };
  }

  /** Ends the connection; it is made anew where somebody still listens. */
  restart(): void {
    this.stop();
    this.#connection = "connecting";
    this.#plan();
  }

  stop(): void {
    this.#planned?.();
    this.#planned = undefined;
    this.#retrying?.();
    this.#retrying = undefined;
    this.#follower?.stop();
    this.#follower = undefined;
    this.#asked = new Map();
  }

  #leave(threadId: string, place: Place): void {
    if (this.#places.get(threadId) !== place) return;
    this.#places.delete(threadId);
    this.#plan();
  }

  /** Views come and go together: what is wanted is looked at once they all have. */
  #plan(): void {
    this.#planned ??= this.#effects.delay(() => {
      this.#planned = undefined;
      this.#settle();
    }, 0);
  }

  #settle(): void {
    if (this.#listeners.size === 0 && this.#places.size === 0) this.stop();
    else if (this.#follower === undefined && this.#retrying === undefined) this.#follower = this.#start();
    else if (!isSame(this.#wanted(), this.#asked)) this.#follower?.reopen();
  }

  #wanted(): Map<string, Place> {
    return new Map([...this.#places].slice(-MOST_THREADS));
  }

  #start(): EventFollower {
    return new EventFollower(this.#api, this.#effects, {
      begin: () => this.#begin(),
      onConnection: (connection) => connection === "live" || this.#tell(connection),
      onRefused: () => {
        this.#follower = undefined;
        this.#tell("offline");
        this.#retrying = this.#effects.delay(() => {
          this.#retrying = undefined;
          this.#settle();
        }, REFUSED_MS);
      },
    });
  }

  #begin(): Opening {
    const asked = this.#wanted();
    this.#asked = asked;
    return {
      path: pathOf(asked),
      onEvent: (event) => this.#take(event, asked),
      onOpen: (isGapless) => {
        if (!isGapless) for (const listener of this.#listeners) listener.onOpen?.();
        this.#tell("live", asked);
      },
    };
  }

  /** Readers whose thread a connection does not hold are not live with it. */
  #tell(connection: Connection, asked: Places = this.#places): void {
    const isNew = this.#connection !== connection;
    this.#connection = connection;
    if (isNew) for (const listener of this.#listeners) listener.onConnection?.(connection);
    for (const [threadId, place] of asked) {
      if (this.#places.get(threadId) !== place || place.connection === connection) continue;
      place.connection = connection;
      place.reader.onConnection(connection);
    }
  }

  #take({ event: type, data, id, ...event }: SseEvent, asked: Places): void {
    if (type === "thread") {
      // As the server writes it.
      const change = JSON.parse(data) as ThreadChange;
      for (const listener of this.#listeners) listener.onChange(change);
    } else if (type === "gone") {
      // As the server writes it.
      const { threadId, error } = JSON.parse(data) as { threadId: string; error: { code: string; message: string } };
      const status = error.code === "not-found" ? 404 : 410;
      this.#refuse(threadId, asked, new ApiError(status, error.code, error.message));
    } else if (id !== undefined && type !== undefined) {
      const at = id.lastIndexOf("@");
      const threadId = decodeURIComponent(id.slice(0, at));
      this.#pass(threadId, asked, { ...event, event: type, data, id: id.slice(at + 1) });
    }
  }

  /** While two connections stand, both tell: each event counts once (B96). */
  #pass(threadId: string, asked: Places, event: SseEvent & { id: string }): void {
    const place = asked.get(threadId);
    if (place === undefined || this.#places.get(threadId) !== place || !isAfter(event.id, place.cursor)) return;
    try {
      place.reader.onEvent(event);
      place.cursor = event.id;
    } catch (error) {
      // It would come again and again.
      this.#refuse(threadId, asked, new ApiError(410, "unreadable", `An event cannot be read: ${String(error)}`));
    }
  }

  #refuse(threadId: string, asked: Places, error: ApiError): void {
    const place = asked.get(threadId);
    if (place === undefined || this.#places.get(threadId) !== place) return;
    this.#places.delete(threadId);
    // The server has let go of it, too: for this the connection need not be made anew.
    if (this.#asked.get(threadId) === place && error.code !== "unreadable") this.#asked.delete(threadId);
    else this.#plan();
    place.reader.onRefused(error);
  }
}

function isSame(one: Places, other: Places): boolean {
  return one.size === other.size && [...one].every(([threadId, place]) => other.get(threadId) === place);
}

function pathOf(places: Places): string {
  if (places.size === 0) return "/v1/events";
  const query = new URLSearchParams({ blobs: "reference" });
  for (const [threadId, { cursor = "" }] of places) query.append("thread", `${encodeURIComponent(threadId)}@${cursor}`);
  return `/v1/events?${query.toString()}`;
}

/** Cursors of a thread grow: by the row, and within a row by the number behind the dot; none stands for all of it. */
function isAfter(cursor: string, last: string | undefined): boolean {
  if (last === undefined) return true;
  const [row = "", place] = cursor.split(".");
  const [lastRow = "", lastPlace] = last.split(".");
  if (row !== lastRow) return row > lastRow;
  return Number(place ?? Infinity) > Number(lastPlace ?? Infinity);
}
