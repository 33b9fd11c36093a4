// Who waits for news of a thread. Commits of this process wake at once; those of others are seen by a look at the
// file's counter every few milliseconds, as long as somebody waits.
import type { ThreadKey } from "../../store.ts";

const LOOK_EVERY_MS = 25;

type Wake = () => void;

export class Watchers {
  /** Gives a number that is another after every commit of another process. */
  readonly #version: () => number;
  readonly #byThread = new Map<string, Set<Wake>>();
  readonly #touched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;

  constructor(version: () => number) {
    this.#version = version;
  }

  watch({ tenant, threadId }: ThreadKey, wake: Wake): () => void {
    const name = nameOf(tenant, threadId);
    // A function of its own, so that one that watches twice ends once at a time.
    const watcher: Wake = () => wake();
    const ofThread = this.#byThread.get(name) ?? new Set();
    this.#byThread.set(name, ofThread.add(watcher));
    this.#startLooking();
    return () => {
      ofThread.delete(watcher);
      if (ofThread.size === 0 && this.#byThread.get(name) === ofThread) this.#byThread.delete(name);
      if (this.#byThread.size === 0) this.#stopLooking();
    };
  }

  /** The transaction under way writes to this thread. */
  touch(tenant: string, threadId: string): void {
    if (this.#byThread.size > 0) this.#touched.add(nameOf(tenant, threadId));
  }

  /** What was touched is durable now. */
  committed(): void {
    if (this.#touched.size === 0) return;
    for (const name of this.#touched) this.#wake(name);
    this.#touched.clear();
  }

  close(): void {
    this.#stopLooking();
    this.#byThread.clear();
  }

  /** In a turn of its own, so that what a watcher does or throws is not the writer's business. */
  #wake(name: string): void {
    const ofThread = this.#byThread.get(name);
    for (const watcher of ofThread ?? []) {
      queueMicrotask(() => {
        if (ofThread?.has(watcher) === true) watcher();
      });
    }
  }

  #startLooking(): void {
    if (this.#timer !== undefined) return;
    this.#seen = this.#look();
    this.#timer = setInterval(() => {
      const version = this.#look();
      if (version === this.#seen) return;
      this.#seen = version;
      for (const name of this.#byThread.keys()) this.#wake(name);
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): number {
    try {
      return this.#version();
    } catch {
      // Somebody is in the way: the next look tells. What is wrong beyond that, the watcher's own reads will say.
      return this.#seen;
    }
  }
}

function nameOf(tenant: string, threadId: string): string {
  return JSON.stringify([tenant, threadId]);
}
