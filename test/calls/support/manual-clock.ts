// A clock and a timer for the limits of a call that the test holds: a limit is reached when the test lets the time pass,
// and never because the machine is busy.
import { expect, onTestFinished } from "vitest";
import type { ClientOptions } from "../../../src/client/index.ts";
import type { ReplayServer } from "../../../src/testkit/index.ts";
import { HeldTimers } from "../../support/held-timers.ts";

export class HeldTime extends HeldTimers {
  /** For the client whose limits these are. */
  readonly options: Required<Pick<ClientOptions, "effects" | "onAttempt">>;
  /** The attempts that have ended. */
  #attempts = 0;

  constructor() {
    super(Date.UTC(2031, 0, 1));
    this.options = { effects: { clock: this.now, timer: this.after }, onAttempt: () => void this.#attempts++ };
  }

  /** In the next turn of the event loop, when the client waits for a provider that has just become silent. */
  passLater(ms: number): void {
    setImmediate(() => this.pass(ms));
  }

  /**
   * Lets the time pass while one of the first requests waits for the rest of its reply, and only then: the time in which
   * a request or a reply is on its way does not count.
   */
  async passInSilence<T>(server: ReplayServer, work: Promise<T>, silentRequests = Infinity): Promise<T> {
    const state = { isOver: false };
    const settled = work.finally(() => (state.isOver = true));
    // The caller gets the error; here it would be one that nothing handles.
    settled.catch(() => undefined);
    while (!state.isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      const { length } = server.requests;
      if (length > this.#attempts && length <= silentRequests) this.pass(1);
    }
    return settled;
  }
}

/** The time of one test, which leaves no timer of a limit behind. */
export function heldTime(): HeldTime {
  const time = new HeldTime();
  onTestFinished(() => expect(time.count, "timers of limits that are left").toBe(0));
  return time;
}
