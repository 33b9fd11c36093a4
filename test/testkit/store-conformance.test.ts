// Tests the store suite: a correct store passes every case, and each of many faults fails the expected case.
import { expect, test } from "vitest";
import type { LedgerStore } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import type { StoreConformanceCase } from "../../src/testkit/index.ts";
import { storeConformance } from "../../src/testkit/index.ts";
import { DELETE_FAULTS } from "./broken-store-deletes.ts";
import { LIFECYCLE_FAULTS } from "./broken-store-lifecycle.ts";
import { OVERVIEW_FAULTS } from "./broken-store-overviews.ts";
import { READ_FAULTS } from "./broken-store-reads.ts";
import { WORK_FAULTS } from "./broken-store-work.ts";
import { WRITE_FAULTS } from "./broken-store-writes.ts";

const FAULTS = [
  ...READ_FAULTS,
  ...WRITE_FAULTS,
  ...DELETE_FAULTS,
  ...WORK_FAULTS,
  ...OVERVIEW_FAULTS,
  ...LIFECYCLE_FAULTS,
];

/** `wakeTimeoutMs` is short for broken stores, because the watchers of some are never woken. */
function suite(open: () => LedgerStore, wakeTimeoutMs = 30): StoreConformanceCase[] {
  return storeConformance(() => Promise.resolve(open()), { name: "broken", wakeTimeoutMs });
}

/** Returns the titles of the failed cases. */
async function failures(cases: readonly StoreConformanceCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, run } of cases) {
    await run().catch(() => failed.push(title));
  }
  return failed;
}

test("a store without a fault passes every case", async () => {
  const cases = suite(memoryStore, 60_000);
  expect(await failures(cases)).toStrictEqual([]);
  expect(cases.length).toBeGreaterThan(60);
});

const seen = new Set<string>();

test.each(FAULTS)("the suite detects a store that %s", async (_, noticed, fault) => {
  const failed = await failures(suite(() => fault(memoryStore())).filter(({ title }) => noticed.test(title)));
  expect(failed.length).toBeGreaterThan(0);
  for (const title of failed) seen.add(title);
});

test("every claim is violated by some fault", () => {
  expect(suite(memoryStore).flatMap(({ title }) => (seen.has(title) ? [] : [title]))).toStrictEqual([]);
});

test("stores that share their data are tested in pairs", async () => {
  const store = memoryStore();
  let opened = 0;
  // Returns a new store object over the same rows; closing it does not close the rows.
  const open = (): Promise<LedgerStore> => {
    opened++;
    return Promise.resolve(
      Object.assign(Object.create(store) as LedgerStore, {
        reads: store.reads,
        write: store.write.bind(store),
        watch: store.watch.bind(store),
        close: () => Promise.resolve(),
      }),
    );
  };
  const cases = storeConformance(open, { isShared: true }).filter(({ title }) => title.includes("acknowledged"));
  expect(await failures(cases)).toStrictEqual([]);
  expect(opened).toBe(cases.length * 2);
});
