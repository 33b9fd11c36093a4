// Tells watchers that a thread may have new rows: those of this process at once, those of others through NOTIFY. A
// notification only says "look again", so that one that is lost costs time and nothing else: watchers also look by
// themselves now and then. Sent after the commit and for many at once, as Postgres lets one notifier commit at a time.
import { hash, randomUUID } from "node:crypto";
import type { ThreadKey } from "../../store.ts";
import { Lane, named, plain } from "./connections.ts";
import type { PgClient, PgNotification } from "./driver.ts";

/** How long changes are gathered before others hear of them. */
const GATHER_MS = 5;
/** How often watchers look by themselves: while notifications come, and while they do not. */
const LOOK_MS = 5_000;
const LOOK_ALONE_MS = 500;
const RETRY_MS = { first: 100, most: 10_000 };
/** A notification holds 8,000 bytes. More threads than fit are "all of them". */
const MOST_NAMES = 400;
const EVERYBODY = "*";

/** Makes connections, and says what the channel is called. */
export interface WakeupOptions {
  connect: () => PgClient;
  channel: string;
  /** How often watchers look by themselves while notifications come. */
  lookMs?: number;
}

/** A connection for notifications, in both directions. */
interface Link {
  client: PgClient;
  lane: Lane;
}

export class Wakeups {
  readonly #options: WakeupOptions;
  /** Its own notifications are no news to a process. */
  readonly #self = randomUUID();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #changed = new Set<string>();
  #link: Link | undefined;
  #connecting: Promise<void> | undefined;
  #isListening = false;
  #retryMs = RETRY_MS.first;
  #gathering: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #looking: NodeJS.Timeout | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(options: WakeupOptions) {
    this.#options = options;
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    const name = nameOf(key.tenant, key.threadId);
    // Its own function, so that one that watches twice ends once at a time.
    const watcher = (): void => wake();
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(watcher));
    if (!this.#isListening) void this.#connected();
    this.#lookLater();
    this.#link?.client.ref?.();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name);
      if (this.#watchers.size === 0) this.#rest();
    };
  }

  /** Committed work has changed these threads. */
  tell(names: Iterable<string>): void {
    for (const name of names) {
      this.#changed.add(name);
      this.#wake(name);
    }
    this.#sendLater();
  }

  /** What watchers of this process know already. */
  tellOthers(names: Iterable<string>): void {
    for (const name of names) this.#changed.add(name);
    this.#sendLater();
  }

  #sendLater(): void {
    if (this.#changed.size === 0 || this.#gathering !== undefined) return;
    this.#gathering = setTimeout(() => void this.#send(), GATHER_MS).unref();
  }

  /** Sends what is gathered, so that others need not wait until they look by themselves. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#watchers.clear();
    this.#rest();
    clearTimeout(this.#gathering);
    await (this.#changed.size > 0 ? this.#send() : this.#sending);
    await this.#connecting;
    const link = this.#link;
    this.#link = undefined;
    await link?.client.end().catch(() => undefined);
  }

  #send(): Promise<void> {
    this.#gathering = undefined;
    const names = this.#changed.size > MOST_NAMES ? EVERYBODY : [...this.#changed].join(",");
    this.#changed.clear();
    this.#sending = this.#connected().then(async () => {
      const values = [this.#options.channel, `${this.#self}:${names}`];
      // Lost with its connection: then the others find out by themselves.
      await this.#link?.lane.send("notify", named("notify", "SELECT pg_notify($1, $2)", values)).catch(() => undefined);
    });
    return this.#sending;
  }

  /** One connection for telling and for hearing, made when the first of the two is wanted. */
  #connected(): Promise<void> {
    if (this.#link !== undefined && !this.#isDeaf()) return Promise.resolve();
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
      // Somebody may have begun to watch in the last moment.
      if (this.#link !== undefined && this.#isDeaf()) void this.#connected();
    });
    return this.#connecting;
  }

  #isDeaf(): boolean {
    return this.#watchers.size > 0 && !this.#isListening;
  }

  async #connect(): Promise<void> {
    const link = this.#link ?? this.#newLink();
    try {
      if (this.#link === undefined) {
        await link.client.connect();
        this.#link = link;
        this.#retryMs = RETRY_MS.first;
      }
      if (this.#watchers.size === 0) link.client.unref?.();
      else await this.#listen(link);
    } catch {
      this.#lost(link.client);
    }
  }

  async #listen({ lane }: Link): Promise<void> {
    await lane.send("listen", plain(`LISTEN "${this.#options.channel}"`));
    this.#isListening = true;
    // What was told before is not told again.
    for (const name of this.#watchers.keys()) this.#wake(name);
  }

  #newLink(): Link {
    const client = this.#options.connect();
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", (message) => this.#hear(message));
    return { client, lane: new Lane(client) };
  }

  #hear({ channel, payload = "" }: PgNotification): void {
    const [sender, names = ""] = payload.split(":");
    if (channel !== this.#options.channel || sender === this.#self) return;
    for (const name of names === EVERYBODY ? this.#watchers.keys() : names.split(",")) this.#wake(name);
  }

  /** Tries again after a while, and after longer ones, as long as somebody watches; who only tells, tries with the next change. */
  #lost(client: PgClient): void {
    if (this.#link !== undefined && this.#link.client !== client) return;
    this.#link = undefined;
    this.#isListening = false;
    client.end().catch(() => undefined);
    if (!this.#isOpen || this.#watchers.size === 0 || this.#retrying !== undefined) return;
    this.#retrying = setTimeout(() => {
      this.#retrying = undefined;
      void this.#connected();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
  }

  /** Nobody watches: nothing keeps the process alive. */
  #rest(): void {
    clearTimeout(this.#looking);
    clearTimeout(this.#retrying);
    this.#looking = undefined;
    this.#retrying = undefined;
    this.#link?.client.unref?.();
  }

  #lookLater(): void {
    if (this.#looking !== undefined || this.#watchers.size === 0) return;
    const look = (): void => {
      this.#looking = undefined;
      for (const name of this.#watchers.keys()) this.#wake(name);
      this.#lookLater();
    };
    this.#looking = setTimeout(look, this.#isListening ? (this.#options.lookMs ?? LOOK_MS) : LOOK_ALONE_MS);
  }

  /** In a turn of its own, so that what a watcher does or throws is not the writer's business. */
  #wake(name: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) {
      queueMicrotask(() => {
        if (this.#watchers.get(name)?.has(watcher) === true) watcher();
      });
    }
  }
}

/** A thread in a notification: short, and without the names that a tenant has given. */
export function nameOf(tenant: string, threadId: string): string {
  return hash("sha256", JSON.stringify([tenant, threadId]), "base64url").slice(0, 16);
}
