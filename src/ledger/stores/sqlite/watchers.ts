// Calls the watchers of threads: after a commit of this process at once, and after a commit of another process at the
// next poll of the file's data version. The version is polled only while there are watchers.
import type { ThreadKey } from "../../store/contract.ts";
import { toThreadMapKey } from "../../threads/thread-map-key.ts";

const POLL_MS = 25;

type WakeCallback = () => void;

/** The watchers of a SQLite store. */
export class ThreadWatchers {
  /** Returns a number that changes after every commit of another process. */
  readonly #version: () => number;
  readonly #byThread = new Map<string, Set<WakeCallback>>();
  readonly #touched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lastVersion = 0;

  constructor(version: () => number) {
    this.#version = version;
  }

  watch({ tenant, threadId }: ThreadKey, wake: WakeCallback): () => void {
    const name = toThreadMapKey(tenant, threadId);
    // Each watch has its own function, so that two watches with the same callback end separately.
    const watcher: WakeCallback = () => wake();
    const callbacks = this.#byThread.get(name) ?? new Set();
    this.#byThread.set(name, callbacks.add(watcher));
    this.#startPolling();
    return () => {
      callbacks.delete(watcher);
      if (callbacks.size === 0 && this.#byThread.get(name) === callbacks) this.#byThread.delete(name);
      if (this.#byThread.size === 0) this.#stopPolling();
    };
  }

  /** Marks a thread that the current transaction writes to, so that `onCommit` calls its watchers. */
  markTouched(tenant: string, threadId: string): void {
    if (this.#byThread.size > 0) this.#touched.add(toThreadMapKey(tenant, threadId));
  }

  /** Calls the watchers of the marked threads. */
  onCommit(): void {
    if (this.#touched.size === 0) return;
    for (const name of this.#touched) this.#wake(name);
    this.#touched.clear();
  }

  close(): void {
    this.#stopPolling();
    this.#byThread.clear();
  }

  /** Calls the watchers of a thread in microtasks, so that an error of a watcher does not reach the writer. */
  #wake(name: string): void {
    const callbacks = this.#byThread.get(name);
    for (const watcher of callbacks ?? []) {
      queueMicrotask(() => {
        if (callbacks?.has(watcher) === true) watcher();
      });
    }
  }

  #startPolling(): void {
    if (this.#timer !== undefined) return;
    this.#lastVersion = this.#readVersion();
    this.#timer = setInterval(() => {
      const version = this.#readVersion();
      if (version === this.#lastVersion) return;
      this.#lastVersion = version;
      for (const name of this.#byThread.keys()) this.#wake(name);
    }, POLL_MS);
    this.#timer.unref();
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #readVersion(): number {
    try {
      return this.#version();
    } catch {
      // If the database is locked, the version is read again at the next poll. All other errors are ignored here,
      // because a watcher reads the thread when it is called, and receives them then.
      return this.#lastVersion;
    }
  }
}
