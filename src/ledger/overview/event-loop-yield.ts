// Divides long work: yields to the event loop after some milliseconds.
import { setImmediate as otherWork } from "node:timers/promises";

/** The maximum time between two yields. */
const MAX_BLOCKING_MS = 8;

/** Yields to the event loop from within a loop. */
export class EventLoopYield {
  #since = performance.now();

  /** Yields if the last yield was long enough ago. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#since < MAX_BLOCKING_MS) return;
    await otherWork();
    this.#since = performance.now();
  }
}
