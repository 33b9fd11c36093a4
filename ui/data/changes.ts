// What happens to any thread, wherever it is done: one connection for the whole page.
import type { Api } from "./api.ts";
import { EventFollower } from "./events.ts";
import type { PageEffects } from "./effects.ts";
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

/** Views come and go: the connection stays for so long without any. */
const LINGER_MS = 5000;
/** A server that does not tell of changes is asked again so much later. */
const REFUSED_MS = 30_000;

export class ChangeFeed {
  private readonly api: Api;
  private readonly effects: PageEffects;
  private readonly listeners = new Set<ChangeListener>();
  private follower: EventFollower | undefined;
  private connection: Connection = "connecting";
  private leaving: (() => void) | undefined;
  private retrying: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects) {
    this.api = api;
    this.effects = effects;
  }

  listen(listener: ChangeListener): () => void {
    this.leaving?.();
    this.leaving = undefined;
    this.listeners.add(listener);
    this.follower ??= this.start();
    listener.onConnection?.(this.connection);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.leaving ??= this.effects.delay(() => this.stop(), LINGER_MS);
    };
  }

  stop(): void {
    this.leaving?.();
    this.leaving = undefined;
    this.retrying?.();
    this.retrying = undefined;
    this.follower?.stop();
    this.follower = undefined;
  }

  private start(): EventFollower {
    return new EventFollower(this.api, this.effects, {
      path: "/v1/events",
      onEvent: ({ event, data }) => {
        if (event !== "thread") return;
        // As the server writes it.
        const change = JSON.parse(data) as ThreadChange;
        for (const listener of this.listeners) listener.onChange(change);
      },
      onOpen: () => {
        for (const listener of this.listeners) listener.onOpen?.();
      },
      onConnection: (connection) => this.tell(connection),
      onRefused: () => {
        this.tell("offline");
        this.retrying = this.effects.delay(() => (this.follower = this.start()), REFUSED_MS);
      },
    });
  }

  private tell(connection: Connection): void {
    this.connection = connection;
    for (const listener of this.listeners) listener.onConnection?.(connection);
  }
}
