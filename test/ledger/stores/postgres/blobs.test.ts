// Tests concurrent references to a blob on Postgres: transactions that reference it do not wait for each other, and a
// deletion waits for all of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLedger } from "../../../../src/ledger/open.ts";
import { openPostgres } from "../../../../src/ledger/stores/postgres/index.ts";
import type { Ledger } from "../../../../src/ledger/types.ts";
import { user } from "../../../../src/model/index.ts";
import { freshSchema, inPostgres } from "../../../support/postgres.ts";

const LONG = "The ship left Corinth in the morning. ".repeat(9);
let database: Awaited<ReturnType<typeof freshSchema>>;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshSchema();
  const store = await openPostgres(database.url, { schema: database.schema, connections: 8, busyMs: 500 });
  ledger = createLedger(store, { blobThreshold: 64 });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
});

test("B97: a referenced blob can be referenced by others, and cannot be deleted", async () => {
  const [first, second] = [await ledger.createThread(), await ledger.createThread()];
  await ledger.append(first.id, [user(LONG)]);
  await inPostgres(database.url, async (client) => {
    await client.query("BEGIN");
    // Like an append that has not committed yet.
    await client.query(`SELECT 1 FROM ${database.schema}.blobs FOR KEY SHARE`);
    await ledger.append(second.id, [user(LONG)]);
    await ledger.putBlob(Buffer.from(LONG));
    await ledger.purge({ threadId: second.id, what: "thread", graceMs: 0 });
    const purge = ledger.purge({ threadId: first.id, what: "thread", graceMs: 0 });
    await expect(purge).rejects.toMatchObject({ code: "busy" });
    await client.query("COMMIT");
  });
  expect(await ledger.purge({ threadId: first.id, what: "thread", graceMs: 0 })).toMatchObject({ blobs: 1 });
});

test("B97: appends of the same new blobs in any order all go through, each at its first attempt", async () => {
  const deadlocks = async (): Promise<number> =>
    inPostgres(database.url, async (client) => {
      const { rows } = await client.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
      return Number(rows[0].deadlocks);
    });
  const before = await deadlocks();
  for (let round = 0; round < 10; round++) {
    const messages = Array.from({ length: 6 }, (_, at) => user(`${round} ${at} ${LONG}`));
    await Promise.all(
      Array.from({ length: 6 }, async (_, turn) => {
        const { id } = await ledger.createThread();
        await ledger.append(id, [...messages.slice(turn), ...messages.slice(0, turn)]);
      }),
    );
  }
  // Statistics of a backend are visible when it ends, at the latest a second after it is idle.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await deadlocks()).toBe(before);
  expect(await ledger.verify()).toStrictEqual([]);
});
