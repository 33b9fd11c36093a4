// Time, chance and waiting as they really are; a client takes others where somebody wants to hold them.
import type { Effects } from "./types.ts";

/** Timers take no more than this: nobody waits longer at a time. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const REAL_EFFECTS: Effects = {
  clock: Date.now,
  random: Math.random,
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        // The reason is the caller's own, whatever it is.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(signal.reason);
      };
      const timer = setTimeout(
        () => {
          signal.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  },
};

/** The effects of a client: those that were given, and the real ones for the rest. */
export function resolveEffects(given: Partial<Effects> = {}): Effects {
  return {
    clock: () => (given.clock ?? REAL_EFFECTS.clock)(),
    random: () => (given.random === undefined ? REAL_EFFECTS.random() : given.random()),
    sleep: (ms, signal) => (given.sleep === undefined ? REAL_EFFECTS.sleep(ms, signal) : given.sleep(ms, signal)),
  };
}

/** Milliseconds since 1970, whatever form the clock tells the time in. */
export function millisecondsOf({ clock }: Pick<Effects, "clock">): number {
  const now = clock();
  return typeof now === "number" ? now : new Date(now).getTime();
}

/** A turn of the event loop: timers go off, signals arrive, and others get to do something. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
