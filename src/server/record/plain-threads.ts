// Distinguishes plain threads from the threads of tasks. A recorded call may continue only a plain thread, even if its
// history matches a task's thread, because only the runner of the task writes to that thread.
import type { Ledger } from "../../ledger/index.ts";
import { LruMap } from "./lru-map.ts";

const MAX_CACHED_THREADS = 10_000;

export class PlainThreads {
  /**
   * True for a plain thread, false for the thread of a task, by tenant and thread id. Entries never expire, because the
   * kind of a thread never changes.
   */
  readonly #plain = new LruMap<string, boolean>(MAX_CACHED_THREADS);

  /** Caches that a thread is plain, that is, not a task's. Called for a thread that a recorded call has just created. */
  addPlain({ tenant }: Ledger, threadId: string): void {
    this.#plain.set(`${tenant} ${threadId}`, true);
  }

  /** Returns true if the thread does not belong to a task. */
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
