// Reads the active leaf from the server. Another client may select a branch at any time, and the thread's events do not
// contain selections. After a possible selection, the thread is read; if a message moves the leaf of this page during
// the read, the result may be outdated, and the thread is read again.
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

/**
 * Time after a possible selection by another client during which a message that moves the leaf causes another read: the
 * page does not know whether the server stored that message before or after the selection.
 */
const REORDER_WINDOW_MS = 3000;
const REREAD_PAUSE_MS = 150;
const MAX_READS = 5;

export class ActiveLeafReader {
  readonly #options: ActiveLeafOptions;
  #cancelReorderWindow: (() => void) | undefined;
  #cancelRead: (() => void) | undefined;
  #reading: Promise<void> | undefined;
  /** The pending request with which this tab selects a branch; undefined if there is none. */
  #selection: Promise<unknown> | undefined;
  /** Aborted by `stop`. Its signal ends the reads that `#scheduleRead` starts; reads of `readNow` do not use it. */
  #scheduledReads = new AbortController();

  constructor(options: ActiveLeafOptions) {
    this.#options = options;
  }

  /** Schedules a read of the leaf, because another client may have selected a branch. */
  scheduleCheck(): void {
    if (this.#scheduledReads.signal.aborted) this.#scheduledReads = new AbortController();
    this.#cancelReorderWindow?.();
    this.#cancelReorderWindow = this.#options.effects.delay(
      () => (this.#cancelReorderWindow = undefined),
      REORDER_WINDOW_MS,
    );
    this.#scheduleRead(0);
  }

  /**
   * Called when a stored message has moved the leaf. Schedules another read if `scheduleCheck` was called less than
   * `REORDER_WINDOW_MS` ago.
   */
  onLeafMoved(): void {
    if (this.#cancelReorderWindow !== undefined) this.#scheduleRead(REREAD_PAUSE_MS);
  }

  /**
   * Awaits the request with which this tab selects a branch. Reads of the leaf wait until the request is done, because
   * before that the server would return the previous leaf.
   */
  async trackSelection(selection: Promise<unknown>): Promise<void> {
    this.#selection = selection;
    try {
      await selection;
    } finally {
      if (this.#selection === selection) this.#selection = undefined;
    }
  }

  /** Reads the leaf at once. `stop` does not end this read, because an action waits for its result. */
  readNow(): Promise<void> {
    return this.#readAfterCurrent();
  }

  /**
   * Ends all scheduled reads, also those that wait for the end of another read or for the pause before they read again.
   */
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
    // Later reads await `#reading`, so it must not reject; the caller of this read receives the failure.
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
