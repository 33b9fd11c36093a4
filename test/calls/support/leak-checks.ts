// What is left behind when a call is over: nothing.
import { expect } from "vitest";
import type { ReplayServer } from "../../../src/testkit/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

/** Sockets need a while until they are gone, and some are waited for on purpose. */
const PATIENCE_MS = 10_000;

/** Turns of the event loop until something holds: a timer would be counted itself. */
async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end && !holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Sees to it that no more than so many connections are left. */
export async function connectionsGone(server: ReplayServer, idle = 0): Promise<void> {
  await until(() => server.connections <= idle);
  expect(server.connections, "connections that are left").toBeLessThanOrEqual(idle);
}

/**
 * Runs a test, and sees to it that no timer is left and that of the connections it made no more than `idle` are there.
 */
export async function leavingNothing<T>(server: ReplayServer, test: () => Promise<T>, idle = 1): Promise<T> {
  const before = timers();
  const result = await test();
  await connectionsGone(server, idle);
  await until(() => timers() <= before);
  expect(timers(), "timers that are left").toBeLessThanOrEqual(before);
  return result;
}
