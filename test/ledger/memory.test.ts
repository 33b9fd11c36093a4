// What is the memory store's own, beyond the contract of all stores.
import { expect, test } from "vitest";
import { got } from "../../src/ledger/steps.ts";
import type { LedgerStore } from "../../src/ledger/store.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { messageRow, threadRow } from "../../src/testkit/store/rows.ts";

const KEY = { tenant: "tenant", threadId: "thread" };

async function filled(): Promise<LedgerStore> {
  const store = memoryStore();
  await store.write((tx) => got(tx.insertThread(threadRow(KEY))));
  return store;
}

test("two memory stores have nothing in common", async () => {
  await filled();
  expect(await memoryStore().reads.thread(KEY)).toBeUndefined();
});

test("work takes place before write returns, and reads answer at once", async () => {
  const store = memoryStore();
  const written = store.write((tx) => got(tx.insertThread(threadRow(KEY))));
  expect(store.reads.thread(KEY)).toMatchObject({ id: "thread", lastId: "" });
  await written;
});

test("work that waits for something else than the store is refused and undone", async () => {
  const store = await filled();
  const written = store.write(function* (tx) {
    yield* got(tx.insertMessages([messageRow(KEY, 1)]));
    yield* got(new Promise((resolve) => setTimeout(resolve, 1)));
  });
  await expect(written).rejects.toThrow("returned a promise");
  expect(await store.reads.messages(KEY, { limit: 9 })).toStrictEqual([]);
});

test("a watcher hears after the writer has gone on, and not of work that was undone", async () => {
  const store = await filled();
  const heard: string[] = [];
  store.watch(KEY, () => heard.push("woken"));
  const failed = store.write(function* (tx) {
    yield* got(tx.insertMessages([messageRow(KEY, 1)]));
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
  const written = store.write((tx) => got(tx.insertMessages([messageRow(KEY, 1)])));
  heard.push("written");
  await written;
  expect(heard).toStrictEqual(["written", "woken"]);
});

test("many messages in any order are found where they belong, and few in many", async () => {
  const store = await filled();
  const numbers = Array.from({ length: 500 }, (_, at) => ((at * 263) % 500) + 1);
  for (const number of numbers) await store.write((tx) => got(tx.insertMessages([messageRow(KEY, number)])));
  const rows = await store.reads.messages(KEY, { limit: 1_000 });
  expect(rows.map(({ id }) => Number(id))).toStrictEqual(Array.from({ length: 500 }, (_, at) => at + 1));
  const even = numbers.filter((number) => number % 2 === 0).map((number) => messageRow(KEY, number).id);
  const deleted = await store.write((tx) => got(tx.deleteMessages(KEY, even)));
  expect(deleted.messages).toBe(250);
  expect((await store.reads.messages(KEY, { limit: 1, order: "down" }))[0]?.id).toBe(messageRow(KEY, 499).id);
});
