// Which branch is shown may be chosen anywhere, and that is no event of the thread: where a choice may have been made, the
// thread itself is asked, until nothing has happened in between.
import type { PageEffects } from "../effects.ts";
import { ApiError } from "../http.ts";
import type { Thread } from "../types.ts";
import type { ConversationFold } from "./fold.ts";

interface LeafSource {
  read: () => Promise<Thread>;
  fold: ConversationFold;
  effects: Pick<PageEffects, "delay">;
  changed: () => void;
  /** The thread is not there any more. */
  failed: (error: ApiError) => void;
}

/** A choice and a message that are told of so close to each other may have been made in either order. */
const CLOSE_MS = 3000;
/** Before it is asked again. */
const PAUSE_MS = 150;
const MOST_TRIES = 5;

export class LeafReader {
  readonly #source: LeafSource;
  #isSuspect: (() => void) | undefined;
  #planned: (() => void) | undefined;
  #reading: Promise<void> | undefined;
  /** A choice of this tab that the server may not know yet. */
  #choosing: Promise<unknown> | undefined;
  #isStopped = false;

  constructor(source: LeafSource) {
    this.#source = source;
  }

  /** A choice may have been made. */
  suspect(): void {
    this.#isStopped = false;
    this.#isSuspect?.();
    this.#isSuspect = this.#source.effects.delay(() => (this.#isSuspect = undefined), CLOSE_MS);
    this.#plan(0);
  }

  /** The thread went on with a message. */
  moved(): void {
    if (this.#isSuspect !== undefined) this.#plan(PAUSE_MS);
  }

  /** A choice is on its way to the server: what that says meanwhile is not asked. */
  async choose(choice: Promise<unknown>): Promise<void> {
    this.#choosing = choice;
    try {
      await choice;
    } finally {
      if (this.#choosing === choice) this.#choosing = undefined;
    }
  }

  /** Resolves when the leaf is the one that the server has. */
  async readNow(): Promise<void> {
    await this.#reading;
    await this.#read();
  }

  stop(): void {
    this.#isStopped = true;
    this.#isSuspect?.();
    this.#planned?.();
    this.#isSuspect = this.#planned = undefined;
  }

  #plan(ms: number): void {
    this.#planned?.();
    this.#planned = this.#source.effects.delay(() => {
      this.#planned = undefined;
      void this.readNow().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404 && !this.#isStopped) this.#source.failed(error);
      });
    }, ms);
  }

  #read(): Promise<void> {
    const reading = this.#readUnmoved().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    // Whoever waits their turn does not mind how it ended.
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #readUnmoved(): Promise<void> {
    const { read, fold, effects, changed } = this.#source;
    for (let tries = 1; ; tries++) {
      await this.#choosing?.catch(() => undefined);
      const { moves } = fold.tree;
      const thread = await read();
      const isOld = moves !== fold.tree.moves || this.#choosing !== undefined;
      if (isOld && tries < MOST_TRIES) {
        await new Promise<void>((resolve) => effects.delay(resolve, PAUSE_MS));
        continue;
      }
      fold.tree.select(thread.activeLeafId);
      fold.describe(thread);
      return changed();
    }
  }
}
