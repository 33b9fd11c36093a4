// Reads the active leaf from the server. Another client may select a branch at any time, which is not an event of the
// thread; so after a possible selection the thread is read until no message arrived during the read.
import type { PageEffects } from "../effects.ts";
import { ApiError } from "../http.ts";
import type { ThreadJson } from "../types.ts";
import type { ConversationReducer } from "./conversation-reducer.ts";

interface ActiveLeafOptions {
  read: () => Promise<ThreadJson>;
  reducer: ConversationReducer;
  effects: Pick<PageEffects, "delay">;
  onChange: () => void;
  /** Called if the thread no longer exists. */
  onFailed: (error: ApiError) => void;
}

/** A selection and a message that are reported within this time may have happened in either order. */
const REORDER_WINDOW_MS = 3000;
const REREAD_PAUSE_MS = 150;
const MAX_READS = 5;

export class ActiveLeafReader {
  readonly #options: ActiveLeafOptions;
  #cancelReorderWindow: (() => void) | undefined;
  #cancelRead: (() => void) | undefined;
  #reading: Promise<void> | undefined;
  /** A selection of this tab that the server may not have processed yet. */
  #selection: Promise<unknown> | undefined;
  /** Aborted by `stop`; applies to the reads of `scheduleCheck` and `onLeafMoved`, not to those of `readNow`. */
  #scheduledReads = new AbortController();

  constructor(options: ActiveLeafOptions) {
    this.#options = options;
  }

  /** Reads the leaf: a selection may have been made. */
  scheduleCheck(): void {
    if (this.#scheduledReads.signal.aborted) this.#scheduledReads = new AbortController();
    this.#cancelReorderWindow?.();
    this.#cancelReorderWindow = this.#options.effects.delay(
      () => (this.#cancelReorderWindow = undefined),
      REORDER_WINDOW_MS,
    );
    this.#scheduleRead(0);
  }

  /** Reads the leaf again if a selection may have preceded this message. */
  onLeafMoved(): void {
    if (this.#cancelReorderWindow !== undefined) this.#scheduleRead(REREAD_PAUSE_MS);
  }

  /** Marks a selection as pending; the server's leaf is not read meanwhile. */
  async trackSelection(selection: Promise<unknown>): Promise<void> {
    this.#selection = selection;
    try {
      await selection;
    } finally {
      if (this.#selection === selection) this.#selection = undefined;
    }
  }

  /** Resolves when the leaf is the one of the server. An action needs the result, so `stop` does not end this read. */
  readNow(): Promise<void> {
    return this.#readAfterCurrent();
  }

  /** Ends scheduled reads: those that wait for their time, for another read, or for the pause before a reread. */
  stop(): void {
    this.#scheduledReads.abort();
    this.#cancelReorderWindow?.();
    this.#cancelRead?.();
    this.#cancelReorderWindow = this.#cancelRead = undefined;
  }

  #scheduleRead(ms: number): void {
    const { signal } = this.#scheduledReads;
    this.#cancelRead?.();
    this.#cancelRead = this.#options.effects.delay(() => {
      this.#cancelRead = undefined;
      void this.#readAfterCurrent(signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404 && !signal.aborted) this.#options.onFailed(error);
      });
    }, ms);
  }

  async #readAfterCurrent(signal?: AbortSignal): Promise<void> {
    await this.#reading;
    if (signal?.aborted !== true) await this.#read(signal);
  }

  #read(signal: AbortSignal | undefined): Promise<void> {
    const reading = this.#readUntilStable(signal).finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    // Callers that wait for their turn ignore its failure.
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #readUntilStable(signal: AbortSignal | undefined): Promise<void> {
    const { read, reducer, effects, onChange } = this.#options;
    const isStopped = (): boolean => signal?.aborted === true;
    for (let attempt = 1; ; attempt++) {
      await this.#selection?.catch(() => undefined);
      if (isStopped()) return;
      const { leafMoves: moves } = reducer.tree;
      const thread = await read();
      if (isStopped()) return;
      const isOutdated = moves !== reducer.tree.leafMoves || this.#selection !== undefined;
      if (isOutdated && attempt < MAX_READS) {
        await new Promise<void>((resolve) => effects.delay(resolve, REREAD_PAUSE_MS));
        continue;
      }
      reducer.tree.select(thread.activeLeafId);
      reducer.setThread(thread);
      return onChange();
    }
  }
}
