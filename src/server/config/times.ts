// Times in settings: milliseconds, up to the longest that a timer waits.
import { pointer } from "../../model/pointer.ts";
import { Mistakes } from "./mistakes.ts";
import type { ServerConfig } from "./types.ts";

/** Timers that should wait for longer do not wait at all. */
export const LONGEST_MS = 2 ** 31 - 1;
export const TIME_HINT = "A timer waits for 24 days at most.";

/** Waits that may be left out. */
const MAY_BE_NONE = new Set(["drainMs", "lameDuckMs", "flushMs", "maxWaitMs", "baseMs", "maxMs", "retryAfterCapMs"]);

/** Throws a `ConfigError` where a time in settings that were given in code is none. Every such setting ends in "Ms". */
export function checkTimes(config: ServerConfig): void {
  const mistakes = new Mistakes();
  const { limits, record, ledger, tasks, models } = config;
  const places: [path: readonly (string | number)[], settings: object | undefined][] = [
    [[], config],
    [["limits"], limits],
    [["record"], record],
    [["ledger"], ledger],
    [["tasks"], tasks],
    ...tasks.mcpServers.map(({ timeouts, name }): (typeof places)[number] => [
      ["tasks", "mcpServers", name, "timeouts"],
      timeouts,
    ]),
    ...models.flatMap(({ pattern, timeouts, retry }): typeof places => [
      [["models", pattern, "timeouts"], timeouts],
      [["models", pattern, "retry"], retry],
    ]),
  ];
  for (const [path, settings] of places) {
    for (const [name, value] of Object.entries(settings ?? {})) {
      if (!name.endsWith("Ms") || value === undefined) continue;
      const from = MAY_BE_NONE.has(name) ? 0 : 1;
      // The client waits without end where it is told to, and sets no timer then.
      if (value === Infinity && path.at(-1) === "timeouts") continue;
      if (typeof value === "number" && value >= from && value <= LONGEST_MS) continue;
      mistakes.add(
        pointer([...path, name]),
        `must be a number of milliseconds from ${from} to ${LONGEST_MS}. ${TIME_HINT}`,
      );
    }
  }
  mistakes.throwAny();
}
