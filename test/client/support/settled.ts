// What is left behind when a call is over: nothing.
import { expect } from "vitest";
import type { ReplayServer } from "../../../src/testkit/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

/** Turns of the event loop: sockets need some until they are gone. A timer would be counted itself. */
const TURNS = 100_000;

/**
 * Runs a test, and sees to it that no timer is left and that of the connections it made no more than `idle` are there.
 */
export async function leavingNothing<T>(server: ReplayServer, test: () => Promise<T>, idle = 1): Promise<T> {
  const before = timers();
  const result = await test();
  for (let turn = 0; turn < TURNS && (timers() > before || server.connections > idle); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(timers(), "timers that are left").toBeLessThanOrEqual(before);
  expect(server.connections, "connections that are left").toBeLessThanOrEqual(idle);
  return result;
}
