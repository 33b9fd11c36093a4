// Checks that a call leaves no timer and no connection behind.
import { expect } from "vitest";
import type { ReplayServer } from "../../../src/testkit/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

/** Sockets close with a delay, and idle ones stay open for reuse. */
const PATIENCE_MS = 10_000;

/** Waits for turns of the event loop until a condition holds; a timer would count as a leak. */
async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end && !holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Asserts that at most so many connections are left. */
export async function connectionsGone(server: ReplayServer, idle = 0): Promise<void> {
  await until(() => server.connections <= idle);
  expect(server.connections, "connections that are left").toBeLessThanOrEqual(idle);
}

/** Runs a test, and asserts that it leaves no timer and at most `idle` of its connections. */
export async function leavingNothing<T>(server: ReplayServer, test: () => Promise<T>, idle = 1): Promise<T> {
  const before = timers();
  const result = await test();
  await connectionsGone(server, idle);
  await until(() => timers() <= before);
  expect(timers(), "timers that are left").toBeLessThanOrEqual(before);
  return result;
}
