// Tests the memory store beyond the common contract.
import { expect, test } from "vitest";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { messageRow, threadRow } from "../../../src/testkit/store/rows.ts";

const KEY = { tenant: "tenant", threadId: "thread" };

async function filled(): Promise<LedgerStore> {
  const store = memoryStore();
  await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
  return store;
}

test("two memory stores are independent", async () => {
  await filled();
  expect(await memoryStore().reads.thread(KEY)).toBeUndefined();
});

test("work takes place before write returns, and reads return at once", async () => {
  const store = memoryStore();
  const written = store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
  expect(store.reads.thread(KEY)).toMatchObject({ id: "thread", lastId: "" });
  await written;
});

test("a transaction that awaits a promise that is not the store's is rejected and undone", async () => {
  const store = await filled();
  const written = store.write(function* (tx) {
    yield* wait(tx.insertMessages([messageRow(KEY, 1)]));
    yield* wait(new Promise((resolve) => setTimeout(resolve, 1)));
  });
  await expect(written).rejects.toThrow("returned a promise");
  expect(await store.reads.messages(KEY, { limit: 9 })).toStrictEqual([]);
});

test("a watcher is woken after the write returned, and not for undone writes", async () => {
  const store = await filled();
  const wakeups: string[] = [];
  store.watch(KEY, () => wakeups.push("woken"));
  const failed = store.write(function* (tx) {
    yield* wait(tx.insertMessages([messageRow(KEY, 1)]));
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
  const written = store.write((tx) => wait(tx.insertMessages([messageRow(KEY, 1)])));
  wakeups.push("written");
  await written;
  expect(wakeups).toStrictEqual(["written", "woken"]);
});

test("many messages in any order are found in their position, and few among many", async () => {
  const store = await filled();
  const numbers = Array.from({ length: 500 }, (_, at) => ((at * 263) % 500) + 1);
  for (const number of numbers) await store.write((tx) => wait(tx.insertMessages([messageRow(KEY, number)])));
  const rows = await store.reads.messages(KEY, { limit: 1_000 });
  expect(rows.map(({ id }) => Number(id))).toStrictEqual(Array.from({ length: 500 }, (_, at) => at + 1));
  const even = numbers.filter((number) => number % 2 === 0).map((number) => messageRow(KEY, number).id);
  const deleted = await store.write((tx) => wait(tx.deleteMessages(KEY, even)));
  expect(deleted.messages).toBe(250);
  expect((await store.reads.messages(KEY, { limit: 1, order: "desc" }))[0]?.id).toBe(messageRow(KEY, 499).id);
});
