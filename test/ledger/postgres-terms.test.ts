// The terms on which a Postgres store writes: what a commit waits for, how long a lock is waited for, and who waits
// without a connection so that others have one.
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { got } from "../../src/ledger/steps.ts";
import type { LedgerStore, ThreadKey } from "../../src/ledger/store.ts";
import type { PgDriver } from "../../src/ledger/stores/postgres/driver.ts";
import { openPostgres, openWith } from "../../src/ledger/stores/postgres/index.ts";
import { messageRow, threadRow } from "../../src/testkit/store/rows.ts";
import { writeTo } from "../../src/testkit/store/stage.ts";
import { freshSchema, inPostgres } from "../support/postgres.ts";

let place: Awaited<ReturnType<typeof freshSchema>>;

beforeAll(async () => {
  place = await freshSchema();
});
afterAll(() => place.drop());

/** The address, with a setting of the server's for its sessions. */
function withSetting(setting: string): string {
  const url = new URL(place.url);
  url.searchParams.set("options", `-c ${setting}`);
  return url.href;
}

/** A driver that notes what a setting is when a commit is sent. */
function noting(setting: string, noted: string[]): PgDriver {
  // One signature for all that the package's types have.
  const send = Reflect.get(Client.prototype, "query") as (...args: unknown[]) => unknown;
  class NotingClient extends Client {
    override query(...args: unknown[]): never {
      const [query] = args;
      if (typeof query === "object" && query !== null && "text" in query && query.text === "COMMIT") {
        const show = { text: `SHOW ${setting}`, rowMode: "array" };
        const note = (_: unknown, result: { rows: string[][] }): void => void noted.push(String(result.rows[0]?.[0]));
        Reflect.apply(send, this, [show, note]);
      }
      // Whatever the overload gives.
      return Reflect.apply(send, this, args) as never;
    }
  }
  class NotingPool extends Pool {
    constructor(settings: object) {
      super({ ...settings, Client: NotingClient });
    }
  }
  // The package's own types know more than the few that Koine uses.
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
  "B94: where the server's synchronous_commit is %s, a commit with sync %s has it %s",
  async (server, sync, then) => {
    const noted: string[] = [];
    const url = withSetting(`synchronous_commit=${server}`);
    const options = { schema: place.schema, connections: 1, busyMs: 10_000, ...(sync && { sync }) };
    const store = await openWith(noting("synchronous_commit", noted), url, options);
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
  ])("of %d lets a store open and write, and a lock is waited for %s", async (busyMs, limit) => {
    const noted: string[] = [];
    const driver = noting("lock_timeout", noted);
    const store = await openWith(driver, place.url, { schema: place.schema, connections: 1, busyMs });
    noted.length = 0;
    await writeTo(store, (tx) => tx.insertThread(threadRow({ tenant: "acme", threadId: `busy ${busyMs}` })));
    expect(noted).toStrictEqual([limit]);
    await store.vacuum();
    await store.close();
  });

  test("that is larger than a timer knows still waits for a connection", async () => {
    const store = await openPostgres(place.url, { schema: place.schema, connections: 1, busyMs: 3_000_000_000 });
    const at = { tenant: "acme", threadId: "patient" };
    await writeTo(store, (tx) => tx.insertThread(threadRow(at)));
    const { finish, done } = await holding(store, at);
    const second = writeTo(store, (tx) => tx.lockThread(at));
    const read = Promise.resolve(store.reads.thread(at));
    // A timer that overflows ends after a millisecond.
    setTimeout(finish, 20);
    await Promise.all([done, second, read]);
    await store.close();
  });

  test.each([0, Number.MAX_SAFE_INTEGER])("of %d opens a ledger by its address", async (busyMs) => {
    const ledger = await openLedger(place.url, { schema: place.schema, busyMs });
    expect(await ledger.thread((await ledger.createThread()).id)).toBeDefined();
    await ledger.close();
  });
});

/** Holds a thread's lock within a transaction of the store until `finish` is called. */
async function holding(store: LedgerStore, at: ThreadKey): Promise<{ finish: () => void; done: Promise<void> }> {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const { promise: locked, resolve: tell } = Promise.withResolvers<void>();
  const done = store.write(function* (tx) {
    yield* got(tx.lockThread(at));
    tell();
    yield finished;
  });
  await locked;
  return { finish, done };
}

describe("a thread whose lock many wait for", () => {
  const hot = { tenant: "acme", threadId: "hot" };
  const cold = { tenant: "acme", threadId: "cold" };

  test.each([2, 3, 10])("leaves some of %d connections to those who read and write others", async (connections) => {
    const store = await openPostgres(place.url, { schema: place.schema, connections, busyMs: 10_000 });
    for (const at of [hot, cold]) {
      await writeTo(store, (tx) => tx.insertThread(threadRow({ ...at, threadId: `${at.threadId} ${connections}` })));
    }
    const [first, other] = [hot, cold].map(({ tenant, threadId }) => ({
      tenant,
      threadId: `${threadId} ${connections}`,
    }));
    if (first === undefined || other === undefined) throw new Error("There are two threads.");
    const order: number[] = [];
    const writes = await inPostgres(place.url, async (client) => {
      await client.query("BEGIN");
      await client.query(`SELECT 1 FROM ${place.schema}.threads WHERE id = $1 FOR UPDATE`, [first.threadId]);
      const waiting = Array.from({ length: 12 }, (_, at) =>
        store.write(function* (tx) {
          yield* got(tx.lockThread(first));
          order.push(at);
          yield* got(tx.insertMessages([messageRow(first, at + 1)]));
        }),
      );
      // While the lock is held: with all connections in the hands of those who wait, these would not end.
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
    // Whoever is closed meanwhile does not leave those in line behind.
    const closed = store.close();
    await Promise.all(writes);
    await closed;
    expect(order.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 12 }, (_, at) => at));
  });

  test("is busy for those who stood in line too long, and goes on afterwards", async () => {
    const store = await openPostgres(place.url, { schema: place.schema, connections: 2, busyMs: 30 });
    await writeTo(store, (tx) => tx.insertThread(threadRow(hot)));
    const { finish, done } = await holding(store, hot);
    await expect(writeTo(store, (tx) => tx.lockThread(hot))).rejects.toMatchObject({ code: "busy" });
    finish();
    await done;
    await writeTo(store, (tx) => tx.lockThread(hot));
    await store.close();
  });
});
