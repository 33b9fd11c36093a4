// Retries operations while another process has the SQLite database locked, without blocking this process.
import { LedgerError } from "../../errors.ts";
import { isBusy } from "./errors.ts";

/** The maximum time that SQLite itself waits for a lock. The wait blocks the process, but most locks end earlier. */
export const BLOCKING_MS = 3;
/**
 * The maximum pause between two attempts. SQLite locks have no queue, so with longer pauses few attempts would succeed.
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
