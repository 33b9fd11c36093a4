// Tests concurrent references to a blob on Postgres: transactions that reference it do not wait for each other, and a
// deletion waits for all of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLedger } from "../../../../src/ledger/open.ts";
import { openPostgres } from "../../../../src/ledger/stores/postgres/index.ts";
import type { Ledger } from "../../../../src/ledger/types.ts";
import { user } from "../../../../src/model/index.ts";
import { freshDatabase, inPostgres } from "../../../support/postgres.ts";

const LONG = "The ship left Corinth in the morning. ".repeat(9);
const SCHEMA = "koine";
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

async function open(busyMs: number): Promise<Ledger> {
  const store = await openPostgres(database.url, { schema: SCHEMA, connections: 8, busyMs });
  return createLedger(store, { blobThreshold: 64 });
}

test("B97: a referenced blob can be referenced by others, and cannot be deleted", async () => {
  // Only the purge waits for a lock.
  const ledger = await open(500);
  const [first, second] = [await ledger.createThread(), await ledger.createThread()];
  await ledger.append(first.id, [user(LONG)]);
  await inPostgres(database.url, async (client) => {
    await client.query("BEGIN");
    // Like an append that has not committed yet.
    await client.query(`SELECT 1 FROM ${SCHEMA}.blobs FOR KEY SHARE`);
    await ledger.append(second.id, [user(LONG)]);
    await ledger.putBlob(Buffer.from(LONG));
    await ledger.purge({ threadId: second.id, what: "thread", graceMs: 0 });
    const purge = ledger.purge({ threadId: first.id, what: "thread", graceMs: 0 });
    await expect(purge).rejects.toMatchObject({ code: "busy" });
    await client.query("COMMIT");
  });
  expect(await ledger.purge({ threadId: first.id, what: "thread", graceMs: 0 })).toMatchObject({ blobs: 1 });
  await ledger.close();
});

test("B97: appends of the same new blobs in any order all succeed, each at its first attempt", async () => {
  const deadlocks = async (): Promise<number> =>
    inPostgres(database.url, async (client) => {
      const { rows } = await client.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
      return Number(rows[0].deadlocks);
    });
  const sessions = async (): Promise<number> =>
    inPostgres(database.url, async (client) => {
      const { rows } = await client.query(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'koine'",
      );
      return Number(rows[0].n);
    });
  const ledger = await open(60_000);
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
  expect(await ledger.verify()).toStrictEqual([]);
  await ledger.close();
  // The statistics of a session are complete when it has ended.
  await expect.poll(sessions).toBe(0);
  expect(await deadlocks()).toBe(before);
});
