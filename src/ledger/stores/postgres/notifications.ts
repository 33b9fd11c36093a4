// Calls the watchers of threads: those of this process at once, and those of other processes through NOTIFY. A
// notification only means that a thread may have new rows. If it is lost, watchers read the rows later, because they
// are also called at intervals. Notifications are sent after the commit, for many threads at once, because Postgres
// serializes commits that contain notifications.
import { hash, randomUUID } from "node:crypto";
import type { ThreadKey } from "../../store/contract.ts";
import { PipelinedConnection, createNamedQuery, createTextQuery } from "./connections.ts";
import type { PgClient, PgNotification } from "./driver.ts";

/** The time for which changes are collected before a notification is sent. */
const SEND_DELAY_MS = 5;
/** The interval at which watchers are called while notifications are received. */
const POLL_MS = 5_000;
/** The interval at which watchers are called while notifications cannot be received. */
const POLL_WITHOUT_LISTEN_MS = 500;
const RETRY_MS = { first: 100, most: 10_000 };
/** The maximum number of threads in a notification, which has at most 8,000 bytes; beyond it, ALL_THREADS is sent. */
const MAX_THREADS = 400;
const ALL_THREADS = "*";

/** The options of `PostgresNotifications`. */
export interface NotificationOptions {
  connect: () => PgClient;
  channel: string;
  /** The interval at which watchers are called while notifications are received; default `POLL_MS`. */
  pollMs?: number;
}

/** The connection that sends and receives notifications. */
interface NotificationConnection {
  client: PgClient;
  queries: PipelinedConnection;
}

/** The watchers of a Postgres store. */
export class PostgresNotifications {
  readonly #options: NotificationOptions;
  /** The id that marks the notifications of this process, which ignores them. */
  readonly #self = randomUUID();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #changed = new Set<string>();
  #connection: NotificationConnection | undefined;
  #connecting: Promise<void> | undefined;
  #isListening = false;
  #retryMs = RETRY_MS.first;
  #sendTimer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #pollTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(options: NotificationOptions) {
    this.#options = options;
  }

  watch(key: ThreadKey, wake: () => void): () => void {
    const name = toNotificationName(key.tenant, key.threadId);
    // Each watch has its own function, so that two watches with the same callback end separately.
    const watcher = (): void => wake();
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(watcher));
    if (!this.#isListening) void this.#ensureConnected();
    this.#schedulePoll();
    this.#connection?.client.ref?.();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Reports committed changes of these threads to the watchers of this process and to other processes. */
  notify(names: Iterable<string>): void {
    for (const name of names) {
      this.#changed.add(name);
      this.#wake(name);
    }
    this.#scheduleSend();
  }

  /** Reports committed changes of these threads to other processes only. */
  notifyOthers(names: Iterable<string>): void {
    for (const name of names) this.#changed.add(name);
    this.#scheduleSend();
  }

  #scheduleSend(): void {
    if (this.#changed.size === 0 || this.#sendTimer !== undefined) return;
    this.#sendTimer = setTimeout(() => void this.#send(), SEND_DELAY_MS).unref();
  }

  /** Sends pending changes, so that other processes need not wait for their next poll, and closes the connection. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#watchers.clear();
    this.#stop();
    clearTimeout(this.#sendTimer);
    await (this.#changed.size > 0 ? this.#send() : this.#sending);
    await this.#connecting;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.client.end().catch(() => undefined);
  }

  #send(): Promise<void> {
    this.#sendTimer = undefined;
    const names = this.#changed.size > MAX_THREADS ? ALL_THREADS : [...this.#changed].join(",");
    this.#changed.clear();
    this.#sending = this.#ensureConnected().then(async () => {
      const values = [this.#options.channel, `${this.#self}:${names}`];
      // The error is ignored: if a notification is lost, other processes detect the changes by polling.
      await this.#connection?.queries
        .send("notify", createNamedQuery("notify", "SELECT pg_notify($1, $2)", values))
        .catch(() => undefined);
    });
    return this.#sending;
  }

  /** Opens the connection if there is none, and starts listening if there are watchers. */
  #ensureConnected(): Promise<void> {
    if (this.#connection !== undefined && !this.#needsListen()) return Promise.resolve();
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
      // If the first watcher was added meanwhile, the connection must listen, too.
      if (this.#connection !== undefined && this.#needsListen()) void this.#ensureConnected();
    });
    return this.#connecting;
  }

  #needsListen(): boolean {
    return this.#watchers.size > 0 && !this.#isListening;
  }

  async #connect(): Promise<void> {
    const connection = this.#connection ?? this.#createConnection();
    try {
      if (this.#connection === undefined) {
        await connection.client.connect();
        this.#connection = connection;
        this.#retryMs = RETRY_MS.first;
      }
      if (this.#watchers.size === 0) connection.client.unref?.();
      else await this.#listen(connection);
    } catch {
      this.#onLost(connection.client);
    }
  }

  async #listen({ queries }: NotificationConnection): Promise<void> {
    await queries.send("listen", createTextQuery(`LISTEN "${this.#options.channel}"`));
    this.#isListening = true;
    // All watchers are called, because notifications before LISTEN were not received.
    for (const name of this.#watchers.keys()) this.#wake(name);
  }

  #createConnection(): NotificationConnection {
    const client = this.#options.connect();
    client.on("error", () => this.#onLost(client));
    client.on("end", () => this.#onLost(client));
    client.on("notification", (message) => this.#onNotification(message));
    return { client, queries: new PipelinedConnection(client) };
  }

  #onNotification({ channel, payload = "" }: PgNotification): void {
    const [sender, names = ""] = payload.split(":");
    if (channel !== this.#options.channel || sender === this.#self) return;
    for (const name of names === ALL_THREADS ? this.#watchers.keys() : names.split(",")) this.#wake(name);
  }

  /**
   * Handles a lost connection. Reconnects with increasing delays while there are watchers; without watchers, the next
   * change to send opens a new connection.
   */
  #onLost(client: PgClient): void {
    if (this.#connection !== undefined && this.#connection.client !== client) return;
    this.#connection = undefined;
    this.#isListening = false;
    client.end().catch(() => undefined);
    if (!this.#isOpen || this.#watchers.size === 0 || this.#retryTimer !== undefined) return;
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      void this.#ensureConnected();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
  }

  /** Stops the timers and unrefs the connection, so that they do not keep the process alive without watchers. */
  #stop(): void {
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#retryTimer);
    this.#pollTimer = undefined;
    this.#retryTimer = undefined;
    this.#connection?.client.unref?.();
  }

  #schedulePoll(): void {
    if (this.#pollTimer !== undefined || this.#watchers.size === 0) return;
    const poll = (): void => {
      this.#pollTimer = undefined;
      for (const name of this.#watchers.keys()) this.#wake(name);
      this.#schedulePoll();
    };
    this.#pollTimer = setTimeout(poll, this.#isListening ? (this.#options.pollMs ?? POLL_MS) : POLL_WITHOUT_LISTEN_MS);
  }

  /** Calls the watchers of a thread in microtasks, so that an error of a watcher does not reach the writer. */
  #wake(name: string): void {
    for (const watcher of this.#watchers.get(name) ?? []) {
      queueMicrotask(() => {
        if (this.#watchers.get(name)?.has(watcher) === true) watcher();
      });
    }
  }
}

/** Returns the name of a thread in notifications: a hash, which is short and does not reveal the tenant's names. */
export function toNotificationName(tenant: string, threadId: string): string {
  return hash("sha256", JSON.stringify([tenant, threadId]), "base64url").slice(0, 16);
}
