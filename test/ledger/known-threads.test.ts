// What is remembered for summaries is bounded by the runs that it counts, also those that were counted while it was kept.
import { expect, test } from "vitest";
import { KnownThread, KnownThreads } from "../../src/ledger/overview/known.ts";
import type { ListedHead } from "../../src/ledger/rows.ts";

// What `isOf` looks at.
const headOf = (id: string): ListedHead =>
  ({ id, createdAt: "2026-01-01T00:00:00.000Z", purges: 0, lastId: "~" }) as ListedHead;

function countRuns(thread: KnownThread, from: number, to: number): void {
  for (let run = from; run < to; run++) thread.count({ id: `run-${run}`, state: "committed", usage: null });
}

test("threads that grow while they are kept still make room for others", () => {
  const threads = new KnownThreads(100);
  // Kept small, and read on afterwards, again and again: each has 40 runs in the end.
  for (const id of ["a", "b"]) {
    const thread = new KnownThread(headOf(id));
    threads.keep("t", id, thread);
    for (let runs = 0; runs < 40; runs += 10) {
      expect(threads.get("t", headOf(id))).toBe(thread);
      countRuns(thread, runs, runs + 10);
      threads.keep("t", id, thread);
    }
  }
  const last = new KnownThread(headOf("c"));
  countRuns(last, 0, 40);
  threads.keep("t", "c", last);
  expect(threads.get("t", headOf("a"))).toBeUndefined();
  expect(threads.get("t", headOf("b"))?.counted.size).toBe(40);
  expect(threads.get("t", headOf("c"))).toBe(last);
});
