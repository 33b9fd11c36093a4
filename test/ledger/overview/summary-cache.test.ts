// Tests that the summary cache is limited by the number of runs, also of runs that were added after insertion.
import { expect, test } from "vitest";
import { CachedSummary, SummaryCache } from "../../../src/ledger/overview/summary-cache.ts";
import type { ListedHead } from "../../../src/ledger/store/rows.ts";

// The fields that `isValidFor` compares.
const headOf = (id: string): ListedHead =>
  ({ id, createdAt: "2026-01-01T00:00:00.000Z", purges: 0, lastId: "~" }) as ListedHead;

function countRuns(thread: CachedSummary, from: number, to: number): void {
  for (let run = from; run < to; run++) thread.addUsage({ id: `run-${run}`, state: "committed", usage: null });
}

test("cached threads that grow still make room for others", () => {
  const threads = new SummaryCache(100);
  // Inserted small, then extended repeatedly: each has 40 runs in the end.
  for (const id of ["a", "b"]) {
    const thread = new CachedSummary(headOf(id));
    threads.set("t", id, thread);
    for (let runs = 0; runs < 40; runs += 10) {
      expect(threads.get("t", headOf(id))).toBe(thread);
      countRuns(thread, runs, runs + 10);
      threads.set("t", id, thread);
    }
  }
  const last = new CachedSummary(headOf("c"));
  countRuns(last, 0, 40);
  threads.set("t", "c", last);
  expect(threads.get("t", headOf("a"))).toBeUndefined();
  expect(threads.get("t", headOf("b"))?.countedRunIds.size).toBe(40);
  expect(threads.get("t", headOf("c"))).toBe(last);
});
