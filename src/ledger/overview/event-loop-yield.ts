// Lets a long loop yield to the event loop, so that other work of the process is not delayed.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** The time in milliseconds after which a loop yields. */
const MAX_BLOCKING_MS = 8;

/** Yields to the event loop from within a long loop. */
export class EventLoopYield {
  #since = performance.now();

  /** Yields if at least `MAX_BLOCKING_MS` have passed since the last yield. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#since < MAX_BLOCKING_MS) return;
    await yieldToEventLoop();
    this.#since = performance.now();
  }
}
