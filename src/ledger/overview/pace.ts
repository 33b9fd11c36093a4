// Long work in small pieces: after some milliseconds the rest of the process gets its turn.
import { setImmediate as otherWork } from "node:timers/promises";

/** How long others wait at most, as far as a piece of work is that small. */
const TURN_MS = 8;

export class Pace {
  #since = performance.now();

  async rest(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await otherWork();
    this.#since = performance.now();
  }
}
