// Tests that watchers of a Postgres store are woken by notifications of other processes; polling is disabled for the
// duration of the tests.
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import type { PgClient } from "../../../../src/ledger/stores/postgres/driver.ts";
import { openPostgres } from "../../../../src/ledger/stores/postgres/index.ts";
import { toNotificationName, PostgresNotifications } from "../../../../src/ledger/stores/postgres/notifications.ts";
import { messageRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema, inPostgres, sharedPostgres } from "../../../support/postgres.ts";

const NEVER = 2 ** 31 - 1;
const key = { tenant: "acme", threadId: "thread" };
const name = toNotificationName(key.tenant, key.threadId);
const url = await sharedPostgres();
const opened: PostgresNotifications[] = [];
let channels = 0;

afterEach(async () => {
  for (const wakeups of opened.splice(0)) await wakeups.close();
});

/** Two simulated processes, and the number of connections they opened. */
function pair(): { writer: PostgresNotifications; reader: PostgresNotifications; channel: string; made: () => number } {
  const channel = `koine_test_${process.pid}_${channels++}`;
  let made = 0;
  const connect = (): PgClient => {
    made++;
    // The package's types contain more than Koine uses.
    return new Client({ connectionString: url, application_name: channel }) as unknown as PgClient;
  };
  const [writer, reader] = [
    new PostgresNotifications({ connect, channel, pollMs: NEVER }),
    new PostgresNotifications({ connect, channel, pollMs: NEVER }),
  ];
  opened.push(writer, reader);
  return { writer, reader, channel, made: () => made };
}

/** A watcher that can be awaited. */
function listen(
  wakeups: PostgresNotifications,
  thread = key,
): { woken: () => Promise<void>; count: () => number; end: () => void } {
  let count = 0;
  let resume: () => void = () => undefined;
  const end = wakeups.watch(thread, () => {
    count++;
    resume();
  });
  return { woken: () => new Promise((resolve) => (resume = resolve)), count: () => count, end };
}

test("a watcher is woken by the write of another process", async () => {
  const { writer, reader } = pair();
  const watcher = listen(reader);
  // After LISTEN the watcher is woken once, because notifications may have been missed.
  await watcher.woken();
  for (let round = 0; round < 3; round++) {
    const wakeup = watcher.woken();
    writer.notify([name]);
    await wakeup;
  }
  expect(watcher.count()).toBe(4);
});

test("a watcher of the same process is woken at once, and not again by the notification", async () => {
  const { writer, reader } = pair();
  const [own, others] = [listen(writer), listen(reader)];
  await Promise.all([own.woken(), others.woken()]);
  const both = Promise.all([own.woken(), others.woken()]);
  writer.notify([name]);
  await both;
  const marker = listen(reader, { tenant: "acme", threadId: "marker" });
  const marked = marker.woken();
  writer.notify([toNotificationName("acme", "marker")]);
  await marked;
  expect([own.count(), others.count()]).toStrictEqual([2, 2]);
});

test("a watcher is not woken for other threads, unless they are too many to list", async () => {
  const { writer, reader } = pair();
  const [watcher, last] = [listen(reader), listen(reader, { tenant: "acme", threadId: "thread 1" })];
  await Promise.all([watcher.woken(), last.woken()]);
  const many = Array.from({ length: 2_000 }, (_, at) => toNotificationName("acme", `thread ${at}`));
  let wakeupCount = last.woken();
  writer.notify(many.slice(1, 300));
  await wakeupCount;
  expect(watcher.count()).toBe(1);
  wakeupCount = watcher.woken();
  writer.notify(many);
  await wakeupCount;
});

test("an ended watcher is not woken", async () => {
  const { writer, reader } = pair();
  const [ended, stays] = [listen(reader), listen(reader)];
  await Promise.all([ended.woken(), stays.woken()]);
  ended.end();
  ended.end();
  const wakeup = stays.woken();
  writer.notify([name]);
  await wakeup;
  expect(ended.count()).toBe(1);
});

test("a broken connection is replaced, and watchers are woken for missed notifications", async () => {
  const { writer, reader, channel, made } = pair();
  const watcher = listen(reader);
  await watcher.woken();
  const again = watcher.woken();
  await inPostgres(url, (client) =>
    client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [channel]),
  );
  await again;
  const wakeup = watcher.woken();
  writer.notify([name]);
  await wakeup;
  expect(made()).toBeGreaterThan(2);
});

test("pending notifications are sent before closing", async () => {
  const { writer, reader } = pair();
  const watcher = listen(reader);
  await watcher.woken();
  const wakeup = watcher.woken();
  writer.notify([name]);
  await writer.close();
  await wakeup;
});

test("a store notifies watchers of the written threads after the commit", async () => {
  const { schema, ...place } = await freshSchema();
  const store = await openPostgres(url, { schema, connections: 2, busyMs: 10_000 });
  await inPostgres(url, async (client) => {
    await client.query(`LISTEN koine_${schema}`);
    const notified = new Promise<string | undefined>((resolve) => {
      client.on("notification", ({ payload }) => resolve(payload));
    });
    const stop = new Error("stop");
    const refused = writeTo(
      store,
      (tx) => tx.insertMessages([messageRow({ ...key, threadId: "undone" }, 1)]),
      () => {
        throw stop;
      },
    );
    await expect(refused).rejects.toBe(stop);
    await writeTo(store, (tx) => tx.insertMessages([messageRow(key, 1)]));
    expect((await notified)?.split(":")[1]).toBe(name);
  });
  await store.close();
  await place.drop();
});

test("no connection is opened without notifications and watchers", async () => {
  const { writer, made } = pair();
  writer.notify([]);
  await writer.close();
  expect(made()).toBe(0);
});

test("if the server is unreachable, watchers poll", async () => {
  const connect = (): PgClient =>
    // As above.
    new Client({ connectionString: "postgres://nobody@127.0.0.1:1/nowhere" }) as unknown as PgClient;
  const wakeups = new PostgresNotifications({ connect, channel: "koine_nowhere" });
  opened.push(wakeups);
  const watcher = listen(wakeups);
  await watcher.woken();
  await watcher.woken();
  wakeups.notify([name]);
  expect(watcher.count()).toBeGreaterThanOrEqual(2);
});
