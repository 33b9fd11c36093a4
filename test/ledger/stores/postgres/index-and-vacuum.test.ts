// Tests the search queue and vacuum of a Postgres store.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MessageRow } from "../../../../src/ledger/store/rows.ts";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import { openPostgres } from "../../../../src/ledger/stores/postgres/index.ts";
import { toTestId, messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema, inPostgres } from "../../../support/postgres.ts";

const key = { tenant: "acme", threadId: "thread" };
const bodyOf = (row: MessageRow): string => row.body;
let database: Awaited<ReturnType<typeof freshSchema>>;
let stores: [LedgerStore, LedgerStore];

beforeAll(async () => {
  database = await freshSchema();
  const open = (): Promise<LedgerStore> =>
    openPostgres(database.url, { schema: database.schema, connections: 4, busyMs: 10_000 });
  stores = [await open(), await open()];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await database.drop();
});

async function writeMessages(tenant: string, bodies: string[]): Promise<void> {
  const rows = bodies.map((body, at) => messageRow({ tenant, threadId: "thread" }, at + 1, { body }));
  await writeTo(stores[0], (tx) => tx.insertMessages(rows));
}

async function searchIds(tenant: string, text: string): Promise<string[]> {
  return (await stores[0].search({ tenant, text, limit: 99 })).map(({ messageId }) => messageId);
}

async function count(table: string): Promise<number> {
  return inPostgres(database.url, async (client) => {
    const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${database.schema}.${table}`);
    return rows[0].n;
  });
}

/** True if a transaction waits for a lock in the schema; read outside of transactions, which see one snapshot. */
async function isWaiting(): Promise<boolean> {
  return inPostgres(database.url, async (client) => {
    const { rowCount } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
      [`%${database.schema}%`],
    );
    return rowCount !== 0;
  });
}

test("several indexing processes share the queue, and index each message once", async () => {
  await writeMessages(
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
  expect(taken.sort()).toStrictEqual(Array.from({ length: 60 }, (_, at) => toTestId(at + 1)));
  expect(await searchIds("many", "owl")).toHaveLength(60);
  expect(await count("search_pending")).toBe(0);
});

test("a message that is deleted while it is indexed leaves no entry", async () => {
  await writeMessages("torn", ["raven"]);
  let deleting: Promise<unknown> | undefined;
  await stores[0].indexMessages((row) => {
    deleting = writeTo(stores[1], (tx) => tx.deleteMessages({ tenant: "torn", threadId: "thread" }, [row.id]));
    return row.body;
  }, 9);
  await deleting;
  expect(await searchIds("torn", "raven")).toStrictEqual([]);
  await stores[0].indexMessages(bodyOf, 9);
  expect(await count("search WHERE tenant = 'torn'")).toBe(0);
});

test("indexing waits for a message that is being deleted, and then skips it", async () => {
  await writeMessages("doomed", ["heron", "stork"]);
  await inPostgres(database.url, async (client) => {
    await client.query("BEGIN");
    await client.query(`DELETE FROM ${database.schema}.messages WHERE tenant = 'doomed' AND id = $1`, [toTestId(1)]);
    const indexing = stores[0].indexMessages(bodyOf, 9);
    while (!(await isWaiting()));
    await client.query("COMMIT");
    expect(await indexing).toBe(2);
  });
  expect(await searchIds("doomed", "heron")).toStrictEqual([]);
  expect(await searchIds("doomed", "stork")).toStrictEqual([toTestId(2)]);
});

test("a text that is too large is indexed as far as it fits, and does not block others", async () => {
  const long = `first ${Array.from({ length: 60_000 }, (_, at) => `word${at}with${at}more`).join(" ")}`;
  const word = "x".repeat(5_000);
  await writeMessages("long", [long, word, "last", "owl ".repeat(10_000), "🏛".repeat(3_000)]);
  await stores[0].indexMessages(bodyOf, 9);
  expect(await searchIds("long", "first word7with7more")).toStrictEqual([toTestId(1)]);
  expect(await searchIds("long", word)).toStrictEqual([toTestId(2)]);
  expect(await searchIds("long", "x".repeat(400))).toStrictEqual([]);
  expect(await searchIds("long", "last")).toStrictEqual([toTestId(3)]);
  expect(await searchIds("long", "owl")).toStrictEqual([toTestId(4)]);
});

test("an error in a text function stops the index before it takes a message", async () => {
  await writeMessages("thrown", ["swan"]);
  const stop = new Error("stop");
  await expect(
    stores[0].indexMessages(() => {
      throw stop;
    }, 9),
  ).rejects.toBe(stop);
  expect(await stores[0].indexMessages(bodyOf, 9)).toBe(1);
  expect(await searchIds("thrown", "swan")).toStrictEqual([toTestId(1)]);
});

test("vacuum returns space to the disk", async () => {
  const size = (): Promise<number> =>
    inPostgres(database.url, async (client) => {
      const { rows } = await client.query(`SELECT pg_total_relation_size('${database.schema}.messages')::int AS bytes`);
      return rows[0].bytes;
    });
  await writeTo(stores[0], (tx) => tx.insertThread(threadRow(key)));
  const rows = Array.from({ length: 500 }, (_, at) => messageRow(key, at + 1, { body: "x".repeat(1_500) }));
  await stores[0].write(function* (tx) {
    yield* wait(tx.insertMessages(rows));
  });
  const full = await size();
  await writeTo(stores[0], (tx) => tx.deleteThread(key));
  await stores[0].vacuum();
  expect(await size()).toBeLessThan(full / 2);
});
