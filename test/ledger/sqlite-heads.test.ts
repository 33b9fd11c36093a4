// What a SQLite store remembers between writes: where threads end, as long as nobody else writes; and whether commits find
// company.
import { expect, test } from "vitest";
import { got } from "../../src/ledger/steps.ts";
import type { LedgerStore } from "../../src/ledger/store.ts";
import { Company } from "../../src/ledger/stores/sqlite/company.ts";
import { idOf, logRow, messageRow, threadRow } from "../../src/testkit/store/rows.ts";
import { demandSame, type Step, writeTo } from "../../src/testkit/store/stage.ts";
import { KEY, sqliteFiles } from "./support/sqlite.ts";

const files = sqliteFiles();

/** What `lockThread` says must be what can be read. */
async function demandTrue(store: LedgerStore, what: string): Promise<void> {
  const locked = await writeTo(store, (tx) => tx.lockThread(KEY));
  await demandSame(locked, await store.reads.thread(KEY), what);
}

const STEPS: readonly [what: string, step: Step][] = [
  ["messages", (tx) => tx.insertMessages([messageRow(KEY, 2), messageRow(KEY, 3)])],
  ["a message that is older", (tx) => tx.insertMessages([messageRow(KEY, 1)])],
  ["a log row", (tx) => tx.insertLog([logRow(KEY, 5)])],
  ["a log row that is older", (tx) => tx.insertLog([logRow(KEY, 4)])],
  ["another title and leaf", (tx) => tx.updateThread(KEY, { title: "Samos", pinned: true, leafId: idOf(1) })],
  ["a change of a run", (tx) => tx.updateRun(KEY, "run", 1, { state: "failed" })],
  ["fewer messages", (tx) => tx.deleteMessages(KEY, [idOf(3)])],
  ["fewer runs", (tx) => tx.deleteRuns(KEY, ["run"])],
  ["fewer deltas", (tx) => tx.deleteDeltas(KEY, "run")],
  ["no thread", (tx) => tx.deleteThread(KEY)],
  ["the thread anew", (tx) => tx.insertThread(threadRow(KEY, { kind: "task" }))],
];

test("a head that is remembered is the thread's, after every kind of write, whoever writes", async () => {
  const path = files.path();
  const [one, other] = [await files.open(path), await files.open(path)];
  await writeTo(one, (tx) => tx.insertThread(threadRow(KEY)));
  for (const writer of [one, other]) {
    for (const [what, step] of STEPS) {
      // Both remember it, and one of them changes it.
      for (const store of [one, other]) await demandTrue(store, `Before ${what}.`);
      await writeTo(writer, step);
      for (const store of [one, other]) await demandTrue(store, `After ${what}.`);
    }
  }
});

test("work that is undone leaves no head behind", async () => {
  const store = await files.open(files.path());
  await writeTo(store, (tx) => tx.insertThread(threadRow(KEY)));
  const failing = store.write(function* (tx) {
    yield* got(tx.lockThread(KEY));
    yield* got(tx.insertMessages([messageRow(KEY, 1)]));
    throw new Error("Undone.");
  });
  await expect(failing).rejects.toThrow("Undone.");
  await demandTrue(store, "After work that was undone.");
  expect((await store.reads.thread(KEY))?.newestMessageId).toBeNull();
});

test("what is done to a head that was given does not change the one that is kept", async () => {
  const store = await files.open(files.path());
  await writeTo(store, (tx) => tx.insertThread(threadRow(KEY)));
  await store.write(function* (tx) {
    for (let time = 0; time < 2; time++) {
      const head = yield* got(tx.lockThread(KEY));
      if (head !== undefined) head.lastId = idOf(99);
    }
  });
  await demandTrue(store, "After somebody wrote to the head.");
});

test("heads of very many threads are true", async () => {
  const store = await files.open(files.path());
  const keys = Array.from({ length: 1200 }, (_, at) => ({ ...KEY, threadId: `thread ${at}` }));
  await Promise.all(keys.map((key) => writeTo(store, (tx) => tx.insertThread(threadRow(key)))));
  await Promise.all(keys.map((key, at) => writeTo(store, (tx) => tx.insertMessages([messageRow(key, at + 1)]))));
  for (const [at, key] of keys.entries()) {
    const locked = await writeTo(store, (tx) => tx.lockThread(key));
    expect(locked).toMatchObject({ id: key.threadId, newestMessageId: idOf(at + 1), lastId: idOf(at + 1) });
  }
});

test.each([
  ["alone", 1, false],
  ["now and then together", 1.1, false],
  ["in company", 2, true],
])("commits of callers that come %s wait accordingly", (_, callers, waits) => {
  const company = new Company();
  const waited = Array.from({ length: 1000 }, (__, at) => {
    const isWaiting = company.isExpected();
    company.came(Math.floor((at + 1) * callers) - Math.floor(at * callers));
    return isWaiting;
  }).filter(Boolean).length;
  expect(waited > 900).toBe(waits);
  expect(waited).toBeGreaterThan(20);
});
