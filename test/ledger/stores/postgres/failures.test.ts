// Tests failures of a Postgres store: lost connections, servers that stop, conflicting writers. Every failure has its
// code, nothing is partially written, and the store works again afterwards.
import { setTimeout as pause } from "node:timers/promises";
import { Client, Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { LedgerError } from "../../../../src/ledger/errors.ts";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore, ThreadKey } from "../../../../src/ledger/store/contract.ts";
import { toLedgerError } from "../../../../src/ledger/stores/postgres/errors.ts";
import type { PgDriver } from "../../../../src/ledger/stores/postgres/driver.ts";
import { openPostgres, openWithDriver } from "../../../../src/ledger/stores/postgres/index.ts";
import { toTestId, messageRow, readTestId, threadRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema, inPostgres, startPostgres } from "../../../support/postgres.ts";
import { startProxy } from "../../support/proxy.ts";

const key: ThreadKey = { tenant: "acme", threadId: "thread" };
const other: ThreadKey = { tenant: "acme", threadId: "other" };
let database: Awaited<ReturnType<typeof freshSchema>>;
const open: LedgerStore[] = [];

beforeAll(async () => {
  database = await freshSchema();
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  await database.drop();
});
afterAll(() => database.drop());

async function opened(options: { url?: string; connections?: number; busyMs?: number } = {}): Promise<LedgerStore> {
  const { url = database.url, connections = 3, busyMs = 10_000 } = options;
  const store = await openPostgres(url, { schema: database.schema, connections, busyMs });
  open.push(store);
  return store;
}

/** Appends a pair of messages; returns the number of the second. */
function append(store: LedgerStore, at = key): Promise<number> {
  return store.write(function* (tx) {
    const head = yield* wait(tx.lockThread(at));
    const number = readTestId(head?.lastId ?? "") + 1;
    yield* wait(tx.insertMessages([messageRow(at, number)]));
    yield* wait(tx.insertMessages([messageRow(at, number + 1)]));
    return number + 1;
  });
}

async function numbers(store: LedgerStore, at = key): Promise<number[]> {
  return (await store.reads.headers(at, { limit: 9_999 })).map(({ id }) => readTestId(id));
}

async function failure(attempt: Promise<unknown>): Promise<LedgerError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof LedgerError) return error;
  throw new Error(`Expected a LedgerError, got ${String(error)}.`);
}

/** Terminates the server processes of the store's connections; returns their number. */
async function terminate(state: string): Promise<number> {
  return inPostgres(database.url, async (client) => {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'koine' AND state = $1 AND query LIKE '%' || $2 || '%'`,
      [state, database.schema],
    );
    return rowCount ?? 0;
  });
}

describe("a connection that breaks", () => {
  test("while it is idle is replaced", async () => {
    const pools: Pool[] = [];
    class NotedPool extends Pool {
      constructor(settings: object) {
        super(settings);
        pools.push(this);
      }
    }
    // The package's types contain more than Koine uses.
    const driver = { Client, Pool: NotedPool } as unknown as PgDriver;
    const { url, schema } = database;
    const store = await openWithDriver(driver, url, { schema, connections: 3, busyMs: 10_000 });
    open.push(store);
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    await Promise.all([append(store), append(store), store.reads.thread(key)]);
    await store.reads.thread(key);
    expect(await terminate("idle")).toBeGreaterThan(0);
    // The end of the last session is on its way.
    await expect
      .poll(async () => (await terminate("idle"), pools.map(({ totalCount }) => totalCount)))
      .toStrictEqual([0]);
    await append(store);
    expect(await numbers(store)).toStrictEqual([1, 2, 3, 4, 5, 6]);
  });

  test("within a transaction undoes it, and the error states that nothing was written", async () => {
    const store = await opened();
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    const error = await failure(
      store.write(function* (tx) {
        yield* wait(tx.lockThread(key));
        yield* wait(tx.insertMessages([messageRow(key, 1)]));
        yield* wait(tx.headers(key, { limit: 1 }));
        yield terminate("idle in transaction");
        yield* wait(tx.insertMessages([messageRow(key, 2)]));
      }),
    );
    expect([error.code, error.outcome]).toStrictEqual(["unavailable", undefined]);
    expect(await numbers(store)).toStrictEqual([]);
    expect(await append(store)).toBe(2);
  });

  const cuts: [sentence: string, cut: "lose" | "send", survive: number[]][] = [
    ["before the commit has arrived leaves the outcome unknown, and nothing is written", "lose", []],
    ["after the commit has arrived leaves the outcome unknown, and everything is written", "send", [1, 2]],
  ];
  test.each(cuts)("%s", async (_, cut, survive) => {
    const proxy = await startProxy(database.url);
    const store = await opened({ url: proxy.url });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    proxy.cut = (bytes) => (bytes.includes("COMMIT\0") ? cut : undefined);
    const error = await failure(append(store));
    expect([error.code, error.outcome]).toStrictEqual(["unavailable", "unknown"]);
    proxy.cut = () => undefined;
    const direct = await opened();
    // The server may still be working on it.
    while ((await numbers(direct)).length < survive.length) await pause(5);
    await writeTo(direct, (tx) => tx.lockThread(key));
    expect(await numbers(direct)).toStrictEqual(survive);
    expect(await append(store)).toBe(survive.length + 2);
    await store.close();
    await proxy.close();
  });

  test("before the lock was requested is known to have written nothing", async () => {
    const proxy = await startProxy(database.url);
    const store = await opened({ url: proxy.url });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    proxy.cut = (bytes) => (bytes.includes("lock-thread") ? "send" : undefined);
    const error = await failure(append(store));
    expect([error.code, error.outcome]).toStrictEqual(["unavailable", undefined]);
    await store.close();
    await proxy.close();
  });
});

describe("a server that stops", () => {
  test("B94: during writes loses no acknowledged data, and is used again when it is back", async () => {
    // A server that acknowledges commits seconds before they are on its disk.
    const settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    const server = await startPostgres({ fsync: true, settings });
    const store = await openPostgres(server.url, { schema: "koine", connections: 6, busyMs: 10_000 });
    const threads = Array.from({ length: 8 }, (_, at): ThreadKey => ({ tenant: "acme", threadId: `thread ${at}` }));
    for (const thread of threads) await writeTo(store, (tx) => tx.insertThread(threadRow(thread)));
    const acknowledged = new Map<ThreadKey, number>(threads.map((thread) => [thread, 0]));
    let isStopping = false;
    const writing = threads.map(async (thread): Promise<LedgerError> => {
      for (;;) {
        try {
          acknowledged.set(thread, await append(store, thread));
        } catch (error) {
          if (error instanceof LedgerError && isStopping) return error;
          throw error;
        }
      }
    });
    while ([...acknowledged.values()].some((number) => number < 4)) await pause(5);
    isStopping = true;
    await server.stop("immediate");
    for (const error of await Promise.all(writing)) expect(error.code).toBe("unavailable");
    expect((await failure(append(store))).code).toBe("unavailable");
    expect((await failure(Promise.resolve(store.reads.thread(key)))).code).toBe("unavailable");
    await server.start();
    for (const thread of threads) {
      const there = await numbers(store, thread);
      expect(there.length).toBeGreaterThanOrEqual(acknowledged.get(thread) ?? 0);
      // Pairs without a gap.
      expect(there).toStrictEqual(Array.from({ length: there.length - (there.length % 2) }, (_, at) => at + 1));
      expect(await append(store, thread)).toBe(there.length + 2);
    }
    await store.close();
    await server.end();
  });
});

describe("concurrent writers", () => {
  test("two deadlocked writers both succeed", async () => {
    const store = await opened();
    for (const each of [key, other]) await writeTo(store, (tx) => tx.insertThread(threadRow(each)));
    let runs = 0;
    let waiting: () => void = () => undefined;
    const bothLocked = new Promise<void>((resolve) => (waiting = resolve));
    const write = (first: ThreadKey, second: ThreadKey): Promise<void> =>
      store.write(function* (tx) {
        yield* wait(tx.lockThread(first));
        if (++runs === 2) waiting();
        yield bothLocked;
        const head = yield* wait(tx.lockThread(second));
        yield* wait(tx.insertMessages([messageRow(second, readTestId(head?.lastId ?? "") + 1)]));
      });
    await Promise.all([write(key, other), write(other, key)]);
    expect(runs).toBeGreaterThan(2);
    expect([await numbers(store, key), await numbers(store, other)]).toStrictEqual([[1], [1]]);
  });

  test("a lock that is not free in time is busy, and the next attempt succeeds", async () => {
    const store = await opened({ busyMs: 30 });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    await inPostgres(database.url, async (client) => {
      await client.query("BEGIN");
      await client.query(`SELECT 1 FROM ${database.schema}.threads FOR UPDATE`);
      const error = await failure(append(store));
      expect([error.code, error.outcome]).toStrictEqual(["busy", undefined]);
      await client.query("ROLLBACK");
    });
    expect(await append(store)).toBe(2);
  });

  test("no free connection in time is busy", async () => {
    const store = await opened({ connections: 1, busyMs: 30 });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const long = store.write(function* (tx) {
      yield* wait(tx.lockThread(key));
      yield finished;
    });
    expect((await failure(append(store))).code).toBe("busy");
    finish();
    await long;
    expect(await append(store)).toBe(2);
  });

  test("an existing id is a conflict, found at the latest by the commit, and nothing is written", async () => {
    const store = await opened();
    await writeTo(store, (tx) => tx.insertMessages([messageRow(key, 2)]));
    const error = await failure(
      writeTo(
        store,
        (tx) => tx.headers(key, { limit: 1 }),
        (tx) => tx.insertMessages([messageRow(key, 1)]),
        (tx) => tx.insertMessages([messageRow(key, 2), messageRow(key, 3)]),
      ),
    );
    expect(error.code).toBe("conflict");
    const later = await failure(
      writeTo(
        store,
        (tx) => tx.headers(key, { limit: 1 }),
        (tx) => tx.insertMessages([messageRow(key, 2)]),
        (tx) => tx.headers(key, { limit: 1 }),
      ),
    );
    expect(later.code).toBe("conflict");
    expect(await numbers(store)).toStrictEqual([2]);
  });

  test("a character that Postgres cannot store is an input error; escaped in JSON it is preserved", async () => {
    const store = await opened();
    const body = String.raw`{"text":"\u0000 \ud800"}`;
    await writeTo(store, (tx) => tx.insertMessages([messageRow(key, 1, { body })]));
    expect((await store.reads.message(key, toTestId(1)))?.body).toBe(body);
    const error = await failure(writeTo(store, (tx) => tx.insertThread(threadRow(key, { title: "a\0b" }))));
    expect(error.code).toBe("invalid-input");
    await writeTo(store, (tx) => tx.insertMessages([messageRow(key, 2)]));
    await store.indexMessages(() => "word\0with a zero", 9);
    expect(await store.search({ tenant: "acme", text: "word", limit: 9 })).toHaveLength(2);
  });
});

describe("errors of Postgres", () => {
  const states: [state: string, code: string, outcome?: "unknown"][] = [
    ["08006", "unavailable", "unknown"],
    ["57P01", "unavailable", "unknown"],
    ["57P03", "unavailable", "unknown"],
    ["28P01", "unavailable", "unknown"],
    ["53300", "unavailable"],
    ["53200", "unavailable"],
    ["53100", "disk-full"],
    ["25006", "read-only"],
    ["42501", "read-only"],
    ["55P03", "busy"],
    ["57014", "busy"],
    ["40001", "busy"],
    ["40P01", "busy"],
    ["23505", "conflict"],
    ["XX001", "corrupt"],
    ["XX002", "corrupt"],
    ["42P01", "corrupt"],
    ["22021", "invalid-input"],
    ["54000", "invalid-input"],
  ];
  test.each(states)("%s is %s", (state, code, outcome) => {
    const cause = Object.assign(new Error("as Postgres puts it"), { code: state, severity: "ERROR" });
    const error = toLedgerError(cause, true);
    expect(error).toMatchObject({ code, outcome, cause, message: expect.stringContaining("as Postgres puts it") });
  });

  test("an error in a statement is passed on unchanged", () => {
    const cause = Object.assign(new Error("syntax error"), { code: "42601", severity: "ERROR" });
    expect(toLedgerError(cause)).toBe(cause);
  });
});
