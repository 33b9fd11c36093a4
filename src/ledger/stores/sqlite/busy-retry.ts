// Retries operations while another process has the SQLite database locked, without blocking this process.
import { LedgerError } from "../../errors.ts";
import { isBusy } from "./errors.ts";

/**
 * The maximum time that SQLite itself waits for a lock. The wait blocks the process, but most locks are released within
 * this time, so that no pause and no second attempt are necessary.
 */
export const BLOCKING_MS = 3;
/**
 * The maximum pause between two attempts. SQLite does not queue waiting processes: an attempt succeeds only if the lock
 * is free at that moment, so attempts must be frequent.
 */
const MAX_PAUSE_MS = 16;

/** Returns a random pause, longer after more attempts, so that waiting processes do not collide repeatedly. */
export function randomPauseMs(attempt: number): number {
  return 1 + Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS);
}

/** Calls `attempt` until the database is not busy, and returns the result. Throws "busy" after `busyMs`. */
export async function retryWhileBusy<T>(busyMs: number, attempt: () => T): Promise<T> {
  const since = performance.now();
  for (let count = 0; ; count++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - since >= busyMs) throw createBusyError(busyMs, error);
    }
    await new Promise((resolve) => setTimeout(resolve, randomPauseMs(count)));
  }
}

export function createBusyError(busyMs: number, cause: unknown): LedgerError {
  return new LedgerError("busy", `Another process had the database locked for more than ${busyMs} ms.`, { cause });
}
