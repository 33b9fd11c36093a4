// Tests the head cache of a SQLite store, which is valid until another process writes, and the batching of commits.
import { expect, test } from "vitest";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import { CommitBatching } from "../../../../src/ledger/stores/sqlite/commit-batching.ts";
import { toTestId, logRow, messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { assertSame, type TransactionStep, writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { KEY, sqliteFiles } from "../../support/sqlite.ts";

const files = sqliteFiles();

/** Asserts that `lockThread` returns the same head as a read. */
async function demandTrue(store: LedgerStore, what: string): Promise<void> {
  const locked = await writeTo(store, (tx) => tx.lockThread(KEY));
  await assertSame(locked, await store.reads.thread(KEY), what);
}

const STEPS: readonly [what: string, step: TransactionStep][] = [
  ["messages", (tx) => tx.insertMessages([messageRow(KEY, 2), messageRow(KEY, 3)])],
  ["an older message", (tx) => tx.insertMessages([messageRow(KEY, 1)])],
  ["a log row", (tx) => tx.insertLog([logRow(KEY, 5)])],
  ["an older log row", (tx) => tx.insertLog([logRow(KEY, 4)])],
  ["another title and leaf", (tx) => tx.updateThread(KEY, { title: "Samos", pinned: true, leafId: toTestId(1) })],
  ["a change of a run", (tx) => tx.updateRun(KEY, "run", 1, { state: "failed" })],
  ["fewer messages", (tx) => tx.deleteMessages(KEY, [toTestId(3)])],
  ["fewer runs", (tx) => tx.deleteRuns(KEY, ["run"])],
  ["fewer deltas", (tx) => tx.deleteDeltas(KEY, "run")],
  ["no thread", (tx) => tx.deleteThread(KEY)],
  ["the thread anew", (tx) => tx.insertThread(threadRow(KEY, { kind: "task" }))],
];

test("a cached head equals the thread's head after every kind of write by any store", async () => {
  const path = files.path();
  const [one, other] = [await files.open(path), await files.open(path)];
  await writeTo(one, (tx) => tx.insertThread(threadRow(KEY)));
  for (const writer of [one, other]) {
    for (const [what, step] of STEPS) {
      // Both stores cache the head, and one of them changes it.
      for (const store of [one, other]) await demandTrue(store, `Before ${what}.`);
      await writeTo(writer, step);
      for (const store of [one, other]) await demandTrue(store, `After ${what}.`);
    }
  }
});

test("undone work leaves no cached head", async () => {
  const store = await files.open(files.path());
  await writeTo(store, (tx) => tx.insertThread(threadRow(KEY)));
  const failing = store.write(function* (tx) {
    yield* wait(tx.lockThread(KEY));
    yield* wait(tx.insertMessages([messageRow(KEY, 1)]));
    throw new Error("Undone.");
  });
  await expect(failing).rejects.toThrow("Undone.");
  await demandTrue(store, "After work that was undone.");
  expect((await store.reads.thread(KEY))?.newestMessageId).toBeNull();
});

test("changes of a returned head do not affect the cached one", async () => {
  const store = await files.open(files.path());
  await writeTo(store, (tx) => tx.insertThread(threadRow(KEY)));
  await store.write(function* (tx) {
    for (let time = 0; time < 2; time++) {
      const head = yield* wait(tx.lockThread(KEY));
      if (head !== undefined) head.lastId = toTestId(99);
    }
  });
  await demandTrue(store, "After a change of the returned head.");
});

test("heads of very many threads are correct", async () => {
  const store = await files.open(files.path());
  const keys = Array.from({ length: 1200 }, (_, at) => ({ ...KEY, threadId: `thread ${at}` }));
  await Promise.all(keys.map((key) => writeTo(store, (tx) => tx.insertThread(threadRow(key)))));
  await Promise.all(keys.map((key, at) => writeTo(store, (tx) => tx.insertMessages([messageRow(key, at + 1)]))));
  for (const [at, key] of keys.entries()) {
    const locked = await writeTo(store, (tx) => tx.lockThread(key));
    expect(locked).toMatchObject({ id: key.threadId, newestMessageId: toTestId(at + 1), lastId: toTestId(at + 1) });
  }
});

test.each([
  ["alone", 1, false],
  ["sometimes together", 1.1, false],
  ["in company", 2, true],
])("commits of callers that arrive %s wait accordingly", (_, callers, waits) => {
  const company = new CommitBatching();
  const waited = Array.from({ length: 1000 }, (__, at) => {
    const isWaiting = company.shouldDelay();
    company.addCommit(Math.floor((at + 1) * callers) - Math.floor(at * callers));
    return isWaiting;
  }).filter(Boolean).length;
  expect(waited > 900).toBe(waits);
  expect(waited).toBeGreaterThan(20);
});
