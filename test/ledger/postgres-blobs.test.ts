// Blobs that several hold at the same time on Postgres: who holds one waits for nobody else who does, and who deletes
// one waits for all of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLedger } from "../../src/ledger/open.ts";
import { openPostgres } from "../../src/ledger/stores/postgres/index.ts";
import type { Ledger } from "../../src/ledger/types.ts";
import { user } from "../../src/model/index.ts";
import { freshSchema, inPostgres } from "../support/postgres.ts";

const LONG = "The ship left Corinth in the morning. ".repeat(9);
let place: Awaited<ReturnType<typeof freshSchema>>;
let ledger: Ledger;

beforeAll(async () => {
  place = await freshSchema();
  const store = await openPostgres(place.url, { schema: place.schema, connections: 8, busyMs: 500 });
  ledger = createLedger(store, { blobThreshold: 64 });
});
afterAll(async () => {
  await ledger.close();
  await place.drop();
});

test("B97: a blob that somebody holds can be held by others, and cannot be deleted", async () => {
  const [first, second] = [await ledger.createThread(), await ledger.createThread()];
  await ledger.append(first.id, [user(LONG)]);
  await inPostgres(place.url, async (client) => {
    await client.query("BEGIN");
    // As an append does that has not committed yet.
    await client.query(`SELECT 1 FROM ${place.schema}.blobs FOR KEY SHARE`);
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
    inPostgres(place.url, async (client) => {
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
  // What a backend counted shows when it ends, at the latest a second after it rests.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await deadlocks()).toBe(before);
  expect(await ledger.verify()).toStrictEqual([]);
});
