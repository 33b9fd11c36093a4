// Reads the active leaf from the server. Another client may select a branch at any time, and the thread's events do not
// contain selections. When one is possible, the thread is read again until no message has moved the leaf during the
// read.
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
 * Time after a reported selection in which arriving messages cause another read of the leaf: it is unknown whether the
 * server stored such a message before or after the selection.
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
  /**
   * Aborted by `stop`. Its signal ends the reads that `scheduleCheck` and `onLeafMoved` schedule, but not the reads of
   * `readNow`.
   */
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
   * Called when a message has moved the leaf. Schedules another read if a selection was reported within
   * `REORDER_WINDOW_MS`.
   */
  onLeafMoved(): void {
    if (this.#cancelReorderWindow !== undefined) this.#scheduleRead(REREAD_PAUSE_MS);
  }

  /**
   * Awaits the request with which this tab selects a branch. Until it is done, the leaf is not read from the server.
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

  /** Ends all scheduled reads, also those that wait for another read or for the pause before a repeated read. */
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
