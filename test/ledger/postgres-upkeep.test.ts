// What a Postgres store does beside reading and writing: fill the search index from its queue, and give room back.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageRow } from "../../src/ledger/rows.ts";
import { got } from "../../src/ledger/steps.ts";
import type { LedgerStore } from "../../src/ledger/store.ts";
import { openPostgres } from "../../src/ledger/stores/postgres/index.ts";
import { idOf, messageRow, threadRow } from "../../src/testkit/store/rows.ts";
import { writeTo } from "../../src/testkit/store/stage.ts";
import { freshSchema, inPostgres } from "../support/postgres.ts";

const key = { tenant: "acme", threadId: "thread" };
const bodyOf = (row: MessageRow): string => row.body;
let place: Awaited<ReturnType<typeof freshSchema>>;
let stores: [LedgerStore, LedgerStore];

beforeAll(async () => {
  place = await freshSchema();
  const open = (): Promise<LedgerStore> =>
    openPostgres(place.url, { schema: place.schema, connections: 4, busyMs: 10_000 });
  stores = [await open(), await open()];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await place.drop();
});

async function tell(tenant: string, bodies: string[]): Promise<void> {
  const rows = bodies.map((body, at) => messageRow({ tenant, threadId: "thread" }, at + 1, { body }));
  await writeTo(stores[0], (tx) => tx.insertMessages(rows));
}

async function found(tenant: string, text: string): Promise<string[]> {
  return (await stores[0].search({ tenant, text, limit: 99 })).map(({ messageId }) => messageId);
}

async function count(table: string): Promise<number> {
  return inPostgres(place.url, async (client) => {
    const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${place.schema}.${table}`);
    return rows[0].n;
  });
}

/** Whether somebody waits for a lock in the schema; asked outside of transactions, which see one moment only. */
async function isWaiting(): Promise<boolean> {
  return inPostgres(place.url, async (client) => {
    const { rowCount } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
      [`%${place.schema}%`],
    );
    return rowCount !== 0;
  });
}

test("several who fill the index share the queue, and take each message once", async () => {
  await tell(
    "many",
    Array.from({ length: 60 }, () => "owl"),
  );
  const taken: string[] = [];
  const textOf = (row: MessageRow): string => {
    taken.push(row.id);
    return row.body;
  };
  const fill = async (store: LedgerStore): Promise<void> => {
    while ((await store.indexMessages(textOf, 7)) > 0);
  };
  await Promise.all([...stores, ...stores].map(fill));
  expect(taken.sort()).toStrictEqual(Array.from({ length: 60 }, (_, at) => idOf(at + 1)));
  expect(await found("many", "owl")).toHaveLength(60);
  expect(await count("search_pending")).toBe(0);
});

test("a message that is deleted while it is taken into the index leaves nothing there", async () => {
  await tell("torn", ["raven"]);
  let deleting: Promise<unknown> | undefined;
  await stores[0].indexMessages((row) => {
    deleting = writeTo(stores[1], (tx) => tx.deleteMessages({ tenant: "torn", threadId: "thread" }, [row.id]));
    return row.body;
  }, 9);
  await deleting;
  expect(await found("torn", "raven")).toStrictEqual([]);
  await stores[0].indexMessages(bodyOf, 9);
  expect(await count("search WHERE tenant = 'torn'")).toBe(0);
});

test("a message that somebody is about to delete is waited for, and then left out", async () => {
  await tell("doomed", ["heron", "stork"]);
  await inPostgres(place.url, async (client) => {
    await client.query("BEGIN");
    await client.query(`DELETE FROM ${place.schema}.messages WHERE tenant = 'doomed' AND id = $1`, [idOf(1)]);
    const indexing = stores[0].indexMessages(bodyOf, 9);
    while (!(await isWaiting()));
    await client.query("COMMIT");
    expect(await indexing).toBe(2);
  });
  expect(await found("doomed", "heron")).toStrictEqual([]);
  expect(await found("doomed", "stork")).toStrictEqual([idOf(2)]);
});

test("a text that is too much to index is found by what fits, and keeps no other from the index", async () => {
  const long = `first ${Array.from({ length: 60_000 }, (_, at) => `word${at}with${at}more`).join(" ")}`;
  const word = "x".repeat(5_000);
  await tell("long", [long, word, "last", "owl ".repeat(10_000), "🏛".repeat(3_000)]);
  await stores[0].indexMessages(bodyOf, 9);
  expect(await found("long", "first word7with7more")).toStrictEqual([idOf(1)]);
  expect(await found("long", word)).toStrictEqual([idOf(2)]);
  expect(await found("long", "x".repeat(400))).toStrictEqual([]);
  expect(await found("long", "last")).toStrictEqual([idOf(3)]);
  expect(await found("long", "owl")).toStrictEqual([idOf(4)]);
});

test("texts that throw stop the index before it took any", async () => {
  await tell("thrown", ["swan"]);
  const stop = new Error("stop");
  await expect(
    stores[0].indexMessages(() => {
      throw stop;
    }, 9),
  ).rejects.toBe(stop);
  expect(await stores[0].indexMessages(bodyOf, 9)).toBe(1);
  expect(await found("thrown", "swan")).toStrictEqual([idOf(1)]);
});

test("vacuum gives room back to the disk", async () => {
  const size = (): Promise<number> =>
    inPostgres(place.url, async (client) => {
      const { rows } = await client.query(`SELECT pg_total_relation_size('${place.schema}.messages')::int AS bytes`);
      return rows[0].bytes;
    });
  await writeTo(stores[0], (tx) => tx.insertThread(threadRow(key)));
  const rows = Array.from({ length: 500 }, (_, at) => messageRow(key, at + 1, { body: "x".repeat(1_500) }));
  await stores[0].write(function* (tx) {
    yield* got(tx.insertMessages(rows));
  });
  const full = await size();
  await writeTo(stores[0], (tx) => tx.deleteThread(key));
  await stores[0].vacuum();
  expect(await size()).toBeLessThan(full / 2);
});
