// What is left behind when a call is over: nothing.
import { expect } from "vitest";
import type { ReplayServer } from "../../../src/testkit/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

/** Sockets need a while until they are gone, and some are waited for on purpose. */
const PATIENCE_MS = 10_000;

/**
 * Runs a test, and sees to it that no timer is left and that of the connections it made no more than `idle` are there.
 */
export async function leavingNothing<T>(server: ReplayServer, test: () => Promise<T>, idle = 1): Promise<T> {
  const before = timers();
  const result = await test();
  const until = performance.now() + PATIENCE_MS;
  // Turns of the event loop: a timer would be counted itself.
  while (performance.now() < until && (timers() > before || server.connections > idle)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(timers(), "timers that are left").toBeLessThanOrEqual(before);
  expect(server.connections, "connections that are left").toBeLessThanOrEqual(idle);
  return result;
}
