// Checks durations in settings: milliseconds, up to the longest that a Node timer supports.
import { pointer } from "../../model/json/pointer.ts";
import { Mistakes } from "./mistakes.ts";
import type { ServerConfig } from "./types.ts";

/** Node fires timers with a longer delay immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
export const TIMER_HINT = "The longest duration is 24 days.";

/** Durations that may be zero. */
const MAY_BE_ZERO = new Set(["drainMs", "lameDuckMs", "flushMs", "maxWaitMs", "baseMs", "maxMs", "retryAfterCapMs"]);

/** Throws a `ConfigError` for an invalid duration in a configuration from code. All durations end in "Ms". */
export function checkDurations(config: ServerConfig): void {
  const mistakes = new Mistakes();
  const { limits, record, ledger, tasks, models } = config;
  const groups: [path: readonly (string | number)[], settings: object | undefined][] = [
    [[], config],
    [["limits"], limits],
    [["record"], record],
    [["ledger"], ledger],
    [["tasks"], tasks],
    ...tasks.mcpServers.map(({ timeouts, name }): (typeof groups)[number] => [
      ["tasks", "mcpServers", name, "timeouts"],
      timeouts,
    ]),
    ...models.flatMap(({ pattern, timeouts, retry }): typeof groups => [
      [["models", pattern, "timeouts"], timeouts],
      [["models", pattern, "retry"], retry],
    ]),
  ];
  for (const [path, settings] of groups) {
    for (const [name, value] of Object.entries(settings ?? {})) {
      if (!name.endsWith("Ms") || value === undefined) continue;
      const from = MAY_BE_ZERO.has(name) ? 0 : 1;
      // The client supports infinite timeouts and sets no timer for them.
      if (value === Infinity && path.at(-1) === "timeouts") continue;
      if (typeof value === "number" && value >= from && value <= MAX_TIMER_MS) continue;
      mistakes.add(
        pointer([...path, name]),
        `must be a number of milliseconds from ${from} to ${MAX_TIMER_MS}. ${TIMER_HINT}`,
      );
    }
  }
  mistakes.throwAny();
}
