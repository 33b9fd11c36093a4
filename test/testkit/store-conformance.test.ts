// The suite for stores can fail: a good store passes all of it, and each of many faults is noticed by the case that
// should.
import { expect, test } from "vitest";
import type { LedgerStore } from "../../src/ledger/index.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import type { StoreConformanceCase } from "../../src/testkit/index.ts";
import { storeConformance } from "../../src/testkit/index.ts";
import { DELETING_FAULTS } from "./broken-store-deletes.ts";
import { LIVING_FAULTS } from "./broken-store-lives.ts";
import { OVERVIEW_FAULTS } from "./broken-store-overviews.ts";
import { READING_FAULTS } from "./broken-store-reads.ts";
import { WORK_FAULTS } from "./broken-store-work.ts";
import { WRITING_FAULTS } from "./broken-store-writes.ts";

const FAULTS = [
  ...READING_FAULTS,
  ...WRITING_FAULTS,
  ...DELETING_FAULTS,
  ...WORK_FAULTS,
  ...OVERVIEW_FAULTS,
  ...LIVING_FAULTS,
];

function suite(open: () => LedgerStore): StoreConformanceCase[] {
  return storeConformance(() => Promise.resolve(open()), { name: "broken", patienceMs: 30 });
}

/** The titles of the cases that do not hold. */
async function failures(cases: readonly StoreConformanceCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, run } of cases) {
    await run().catch(() => failed.push(title));
  }
  return failed;
}

test("a store without a fault passes every case", async () => {
  const cases = suite(memoryStore);
  expect(await failures(cases)).toStrictEqual([]);
  expect(cases.length).toBeGreaterThan(60);
});

const seen = new Set<string>();

test.each(FAULTS)("a store that %s is noticed", async (_, noticed, fault) => {
  const failed = await failures(suite(() => fault(memoryStore())).filter(({ title }) => noticed.test(title)));
  expect(failed.length).toBeGreaterThan(0);
  for (const title of failed) seen.add(title);
});

test("every claim is one that some fault breaks", () => {
  expect(suite(memoryStore).flatMap(({ title }) => (seen.has(title) ? [] : [title]))).toStrictEqual([]);
});

test("stores that share their data are tried two at a time", async () => {
  const store = memoryStore();
  let opened = 0;
  // Each is a store of its own to the suite, and both have the same rows; only the last to close ends it.
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
