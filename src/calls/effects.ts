// Defines the default effects (real time, randomness and timers), and adds them to the effects of a client's options.
import type { Effects } from "./types.ts";

/** The longest delay that `setTimeout` supports, in milliseconds; a timer with a longer delay would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const REAL_EFFECTS: Effects = {
  clock: Date.now,
  random: Math.random,
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        // The reason of an abort signal can be any value, so the rejection may not be an `Error`.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(signal.reason);
      };
      const timer = setTimeout(
        () => {
          signal.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(ms, MAX_TIMER_MS),
      );
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  },
  timer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Returns all effects: the given effects, and the real effects for those that are missing. A given effect is looked up
 * at each use, so a test can replace it later.
 */
export function resolveEffects(effects: Partial<Effects> = {}): Effects {
  return {
    clock: () => (effects.clock ?? REAL_EFFECTS.clock)(),
    random: () => (effects.random === undefined ? REAL_EFFECTS.random() : effects.random()),
    sleep: (ms, signal) => (effects.sleep === undefined ? REAL_EFFECTS.sleep(ms, signal) : effects.sleep(ms, signal)),
    timer: (callback, ms) =>
      effects.timer === undefined ? REAL_EFFECTS.timer(callback, ms) : effects.timer(callback, ms),
  };
}

/** Returns the time of the clock in milliseconds since 1970; a clock may return a number, a string or a `Date`. */
export function readClockMs({ clock }: Pick<Effects, "clock">): number {
  const now = clock();
  return typeof now === "number" ? now : new Date(now).getTime();
}

/** Waits for one turn of the event loop, so that timers, abort listeners and other pending work can run. */
export function nextEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
