// What is left behind when a call is over: nothing.
import { expect, vi } from "vitest";
import type { ReplayServer } from "../../../src/testkit/index.ts";

function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
}

/** Runs a test, and sees to it that no timer is left and that every connection it made is gone or idle. */
export async function leavingNothing(server: ReplayServer, test: () => Promise<unknown>, idle = 1): Promise<void> {
  const before = timers();
  await test();
  await vi.waitFor(() => {
    expect(timers(), "timers that are left").toBeLessThanOrEqual(before);
    expect(server.connections, "connections that are left").toBeLessThanOrEqual(idle);
  });
}
