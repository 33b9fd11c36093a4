// Tests the commits and locks of a Postgres store: durability, lock timeouts, and writers that wait without a
// connection.
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "../../../../src/ledger/index.ts";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore, ThreadKey } from "../../../../src/ledger/store/contract.ts";
import type { PgDriver } from "../../../../src/ledger/stores/postgres/driver.ts";
import { openPostgres, openWithDriver } from "../../../../src/ledger/stores/postgres/index.ts";
import { messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema, inPostgres } from "../../../support/postgres.ts";

let database: Awaited<ReturnType<typeof freshSchema>>;

beforeAll(async () => {
  database = await freshSchema();
});
afterAll(() => database.drop());

/** Returns the URL with a server setting for its sessions. */
function withSetting(setting: string): string {
  const url = new URL(database.url);
  url.searchParams.set("options", `-c ${setting}`);
  return url.href;
}

/** A driver that records a setting whenever a commit is sent. */
function noting(setting: string, noted: string[]): PgDriver {
  // One signature for all overloads of the package's types.
  const send = Reflect.get(Client.prototype, "query") as (...args: unknown[]) => unknown;
  class NotingClient extends Client {
    override query(...args: unknown[]): never {
      const [query] = args;
      if (typeof query === "object" && query !== null && "text" in query && query.text === "COMMIT") {
        const show = { text: `SHOW ${setting}`, rowMode: "array" };
        const note = (_: unknown, result: { rows: string[][] }): void => void noted.push(String(result.rows[0]?.[0]));
        Reflect.apply(send, this, [show, note]);
      }
      // The result of any overload.
      return Reflect.apply(send, this, args) as never;
    }
  }
  class NotingPool extends Pool {
    constructor(settings: object) {
      super({ ...settings, Client: NotingClient });
    }
  }
  // The package's types contain more than Koine uses.
  return { Client, Pool: NotingPool } as unknown as PgDriver;
}

const commits: [server: string, sync: "full" | "normal" | undefined, then: string][] = [
  ["off", "full", "on"],
  ["off", undefined, "on"],
  ["off", "normal", "off"],
  ["local", "full", "local"],
  ["on", "full", "on"],
  ["on", "normal", "on"],
  ["remote_write", "full", "remote_write"],
  ["remote_apply", "full", "remote_apply"],
];
test.each(commits)(
  "B94: with the server's synchronous_commit %s, a commit with sync %s has it %s",
  async (server, sync, then) => {
    const noted: string[] = [];
    const url = withSetting(`synchronous_commit=${server}`);
    const options = { schema: database.schema, connections: 1, busyMs: 10_000, ...(sync && { sync }) };
    const store = await openWithDriver(noting("synchronous_commit", noted), url, options);
    noted.length = 0;
    const at = { tenant: "acme", threadId: `${server} ${sync}` };
    await writeTo(store, (tx) => tx.insertThread(threadRow(at)));
    expect(noted).toStrictEqual([then]);
    await store.close();
  },
);

describe("busyMs", () => {
  test.each([
    [0, "1ms"],
    [1.5, "2ms"],
    [3_000_000_000, "2147483647ms"],
    [Number.MAX_SAFE_INTEGER, "2147483647ms"],
  ])("of %d lets a store open and write, and the wait for a lock is %s", async (busyMs, limit) => {
    const noted: string[] = [];
    const driver = noting("lock_timeout", noted);
    const store = await openWithDriver(driver, database.url, { schema: database.schema, connections: 1, busyMs });
    noted.length = 0;
    await writeTo(store, (tx) => tx.insertThread(threadRow({ tenant: "acme", threadId: `busy ${busyMs}` })));
    expect(noted).toStrictEqual([limit]);
    await store.vacuum();
    await store.close();
  });

  test("above the limit of timers still waits for a connection", async () => {
    const store = await openPostgres(database.url, { schema: database.schema, connections: 1, busyMs: 3_000_000_000 });
    const at = { tenant: "acme", threadId: "patient" };
    await writeTo(store, (tx) => tx.insertThread(threadRow(at)));
    const { finish, done } = await holding(store, at);
    const second = writeTo(store, (tx) => tx.lockThread(at));
    const read = Promise.resolve(store.reads.thread(at));
    // A timer that overflows fires after a millisecond.
    setTimeout(finish, 20);
    await Promise.all([done, second, read]);
    await store.close();
  });

  test.each([0, Number.MAX_SAFE_INTEGER])("of %d opens a ledger by its URL", async (busyMs) => {
    const ledger = await openLedger(database.url, { schema: database.schema, busyMs });
    expect(await ledger.thread((await ledger.createThread()).id)).toBeDefined();
    await ledger.close();
  });
});

/** Locks a thread in a transaction of the store until `finish` is called. */
async function holding(store: LedgerStore, at: ThreadKey): Promise<{ finish: () => void; done: Promise<void> }> {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const { promise: locked, resolve: reportLocked } = Promise.withResolvers<void>();
  const done = store.write(function* (tx) {
    yield* wait(tx.lockThread(at));
    reportLocked();
    yield finished;
  });
  await locked;
  return { finish, done };
}

describe("a thread with many waiting writers", () => {
  const hot = { tenant: "acme", threadId: "hot" };
  const cold = { tenant: "acme", threadId: "cold" };

  test.each([2, 3, 10])("leaves some of %d connections to other readers and writers", async (connections) => {
    const store = await openPostgres(database.url, { schema: database.schema, connections, busyMs: 10_000 });
    for (const at of [hot, cold]) {
      await writeTo(store, (tx) => tx.insertThread(threadRow({ ...at, threadId: `${at.threadId} ${connections}` })));
    }
    const [first, other] = [hot, cold].map(({ tenant, threadId }) => ({
      tenant,
      threadId: `${threadId} ${connections}`,
    }));
    if (first === undefined || other === undefined) throw new Error("There are two threads.");
    const order: number[] = [];
    const writes = await inPostgres(database.url, async (client) => {
      await client.query("BEGIN");
      await client.query(`SELECT 1 FROM ${database.schema}.threads WHERE id = $1 FOR UPDATE`, [first.threadId]);
      const waiting = Array.from({ length: 12 }, (_, at) =>
        store.write(function* (tx) {
          yield* wait(tx.lockThread(first));
          order.push(at);
          yield* wait(tx.insertMessages([messageRow(first, at + 1)]));
        }),
      );
      // While the thread is locked: if all connections were used by waiting writers, these would not end.
      expect(await store.reads.thread(other)).toBeDefined();
      await writeTo(
        store,
        (tx) => tx.lockThread(other),
        (tx) => tx.insertMessages([messageRow(other, 1)]),
      );
      expect(order).toStrictEqual([]);
      await client.query("COMMIT");
      return waiting;
    });
    // Closing the store meanwhile does not abandon waiting writers.
    const closed = store.close();
    await Promise.all(writes);
    await closed;
    expect(order.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  test("is busy for writers that waited too long, and works afterwards", async () => {
    const store = await openPostgres(database.url, { schema: database.schema, connections: 2, busyMs: 30 });
    await writeTo(store, (tx) => tx.insertThread(threadRow(hot)));
    const { finish, done } = await holding(store, hot);
    await expect(writeTo(store, (tx) => tx.lockThread(hot))).rejects.toMatchObject({ code: "busy" });
    finish();
    await done;
    await writeTo(store, (tx) => tx.lockThread(hot));
    await store.close();
  });
});
