// A manual clock and timer for the limits of a call: a limit is reached when the test advances the time, and never because
// the machine is busy.
import { expect, onTestFinished } from "vitest";
import type { ClientOptions } from "../../../src/client/index.ts";
import type { ReplayServer } from "../../../src/testkit/index.ts";
import { ManualTimers } from "../../support/manual-timers.ts";

export class ManualTime extends ManualTimers {
  /** Effects for the client under test. */
  readonly options: Required<Pick<ClientOptions, "effects" | "onAttempt">>;
  /** The attempts that have ended. */
  #attempts = 0;

  constructor() {
    super(Date.UTC(2031, 0, 1));
    this.options = { effects: { clock: this.now, timer: this.after }, onAttempt: () => void this.#attempts++ };
  }

  /** Advances in the next turn of the event loop, when the client waits for a silent provider. */
  passLater(ms: number): void {
    setImmediate(() => this.advance(ms));
  }

  /**
   * Advances the time only while one of the first requests waits for the rest of its reply;
   * the time in which a request or a reply is in transit does not count.
   */
  async passInSilence<T>(server: ReplayServer, work: Promise<T>, silentRequests = Infinity): Promise<T> {
    const state = { isOver: false };
    const settled = work.finally(() => (state.isOver = true));
    // The caller receives the error; here it would be unhandled.
    settled.catch(() => undefined);
    while (!state.isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      const { length } = server.requests;
      if (length > this.#attempts && length <= silentRequests) this.advance(1);
    }
    return settled;
  }
}

/** Creates the clock of one test, and asserts that no timer is left. */
export function manualTime(): ManualTime {
  const time = new ManualTime();
  onTestFinished(() => expect(time.count, "timers of limits that are left").toBe(0));
  return time;
}
