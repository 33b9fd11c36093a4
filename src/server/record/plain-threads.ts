// Tells plain threads from those of tasks. Recorded calls may continue plain threads only; a task's thread is written
// by its runner, even if the history matches.
import type { Ledger } from "../../ledger/index.ts";
import { LruMap } from "./lru-map.ts";

const MAX_CACHED_THREADS = 10_000;

export class PlainThreads {
  /** Cached without expiry, because the kind of a thread never changes. */
  readonly #plain = new LruMap<string, boolean>(MAX_CACHED_THREADS);

  /** Marks a thread that a call has just created. */
  addPlain({ tenant }: Ledger, threadId: string): void {
    this.#plain.set(`${tenant} ${threadId}`, true);
  }

  /** True if the thread is not a task's. */
  async isPlain(ledger: Ledger, threadId: string): Promise<boolean> {
    const name = `${ledger.tenant} ${threadId}`;
    let isPlain = this.#plain.get(name);
    if (isPlain === undefined) {
      isPlain = (await ledger.thread(threadId)).kind === null;
      this.#plain.set(name, isPlain);
    }
    return isPlain;
  }
}
