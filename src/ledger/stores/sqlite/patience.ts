// Waiting for another process without holding up this one.
import { LedgerError } from "../../errors.ts";
import { isBusy } from "./errors.ts";

/** How long SQLite itself waits for a lock, with everything else at a stand. Most locks are gone before. */
export const BLOCKING_MS = 3;
/** The longest pause between two attempts: locks have no queue, so that whoever asks rarely seldom gets one. */
const LONGEST_PAUSE_MS = 16;

/** A random pause that grows with the attempts, so that waiting processes do not keep meeting each other. */
export function pauseMs(attempt: number): number {
  return 1 + Math.random() * Math.min(2 ** attempt, LONGEST_PAUSE_MS);
}

/** Tries until another process is out of the way. */
export async function patiently<T>(busyMs: number, attempt: () => T): Promise<T> {
  const since = performance.now();
  for (let count = 0; ; count++) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - since >= busyMs) throw outOfPatience(busyMs, error);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs(count)));
  }
}

export function outOfPatience(busyMs: number, cause: unknown): LedgerError {
  return new LedgerError("busy", `Another process held the database for more than ${busyMs} ms.`, { cause });
}
