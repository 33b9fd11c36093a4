// Which threads calls may go on in: those of tasks belong to their runner, however alike the words are.
import type { Ledger } from "../../ledger/index.ts";
import { LruMap } from "./last-used.ts";

const REMEMBERED = 10_000;

export class ThreadKinds {
  /** What a thread is for never changes. */
  readonly #plain = new LruMap<string, boolean>(REMEMBERED);

  /** A thread that was made by a call. */
  note({ tenant }: Ledger, threadId: string): void {
    this.#plain.set(`${tenant} ${threadId}`, true);
  }

  /** Whether it is a conversation of its own and nobody's work. */
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
