// Watchers of a Postgres store hear of what other processes write, through notifications alone: here nobody looks by
// himself before the test is long over.
import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import type { PgClient } from "../../src/ledger/stores/postgres/driver.ts";
import { openPostgres } from "../../src/ledger/stores/postgres/index.ts";
import { nameOf, Wakeups } from "../../src/ledger/stores/postgres/wakeups.ts";
import { messageRow } from "../../src/testkit/store/rows.ts";
import { writeTo } from "../../src/testkit/store/stage.ts";
import { freshSchema, inPostgres, sharedPostgres } from "../support/postgres.ts";

const NEVER = 2 ** 31 - 1;
const key = { tenant: "acme", threadId: "thread" };
const name = nameOf(key.tenant, key.threadId);
const url = await sharedPostgres();
const opened: Wakeups[] = [];
let channels = 0;

afterEach(async () => {
  for (const wakeups of opened.splice(0)) await wakeups.close();
});

/** Two processes, as it were, and how many connections the first and the second have made. */
function pair(): { writer: Wakeups; reader: Wakeups; channel: string; made: () => number } {
  const channel = `koine_test_${process.pid}_${channels++}`;
  let made = 0;
  const connect = (): PgClient => {
    made++;
    // The package's own types know more than the few that Koine uses.
    return new Client({ connectionString: url, application_name: channel }) as unknown as PgClient;
  };
  const [writer, reader] = [
    new Wakeups({ connect, channel, lookMs: NEVER }),
    new Wakeups({ connect, channel, lookMs: NEVER }),
  ];
  opened.push(writer, reader);
  return { writer, reader, channel, made: () => made };
}

/** A watcher that can be waited for. */
function listen(wakeups: Wakeups, thread = key): { heard: () => Promise<void>; count: () => number; end: () => void } {
  let count = 0;
  let resume: () => void = () => undefined;
  const end = wakeups.watch(thread, () => {
    count++;
    resume();
  });
  return { heard: () => new Promise((resolve) => (resume = resolve)), count: () => count, end };
}

test("a watcher hears of what another process wrote", async () => {
  const { writer, reader } = pair();
  const watcher = listen(reader);
  // Once it listens it looks, as it may have missed something before.
  await watcher.heard();
  for (let round = 0; round < 3; round++) {
    const heard = watcher.heard();
    writer.tell([name]);
    await heard;
  }
  expect(watcher.count()).toBe(4);
});

test("a watcher of the same process hears at once, and not again from outside", async () => {
  const { writer, reader } = pair();
  const [own, others] = [listen(writer), listen(reader)];
  await Promise.all([own.heard(), others.heard()]);
  const both = Promise.all([own.heard(), others.heard()]);
  writer.tell([name]);
  await both;
  const marker = listen(reader, { tenant: "acme", threadId: "marker" });
  const marked = marker.heard();
  writer.tell([nameOf("acme", "marker")]);
  await marked;
  expect([own.count(), others.count()]).toStrictEqual([2, 2]);
});

test("a watcher does not hear of other threads, unless they are too many to name", async () => {
  const { writer, reader } = pair();
  const [watcher, last] = [listen(reader), listen(reader, { tenant: "acme", threadId: "thread 1" })];
  await Promise.all([watcher.heard(), last.heard()]);
  const many = Array.from({ length: 2_000 }, (_, at) => nameOf("acme", `thread ${at}`));
  let heard = last.heard();
  writer.tell(many.slice(1, 300));
  await heard;
  expect(watcher.count()).toBe(1);
  heard = watcher.heard();
  writer.tell(many);
  await heard;
});

test("a watcher that ended hears nothing", async () => {
  const { writer, reader } = pair();
  const [ended, stays] = [listen(reader), listen(reader)];
  await Promise.all([ended.heard(), stays.heard()]);
  ended.end();
  ended.end();
  const heard = stays.heard();
  writer.tell([name]);
  await heard;
  expect(ended.count()).toBe(1);
});

test("a connection that breaks is replaced, and what was missed meanwhile is looked for", async () => {
  const { writer, reader, channel, made } = pair();
  const watcher = listen(reader);
  await watcher.heard();
  const again = watcher.heard();
  await inPostgres(url, (client) =>
    client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [channel]),
  );
  await again;
  const heard = watcher.heard();
  writer.tell([name]);
  await heard;
  expect(made()).toBeGreaterThan(2);
});

test("what was told last is sent before it closes", async () => {
  const { writer, reader } = pair();
  const watcher = listen(reader);
  await watcher.heard();
  const heard = watcher.heard();
  writer.tell([name]);
  await writer.close();
  await heard;
});

test("a store tells of the threads that it wrote to, once the work is committed", async () => {
  const { schema, ...place } = await freshSchema();
  const store = await openPostgres(url, { schema, connections: 2, busyMs: 10_000 });
  await inPostgres(url, async (client) => {
    await client.query(`LISTEN koine_${schema}`);
    const told = new Promise<string | undefined>((resolve) => {
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
    expect((await told)?.split(":")[1]).toBe(name);
  });
  await store.close();
  await place.drop();
});

test("no connection is made for somebody who neither tells nor watches", async () => {
  const { writer, made } = pair();
  writer.tell([]);
  await writer.close();
  expect(made()).toBe(0);
});

test("where the server is not there, watchers look by themselves", async () => {
  const connect = (): PgClient =>
    // As above.
    new Client({ connectionString: "postgres://nobody@127.0.0.1:1/nowhere" }) as unknown as PgClient;
  const wakeups = new Wakeups({ connect, channel: "koine_nowhere" });
  opened.push(wakeups);
  const watcher = listen(wakeups);
  await watcher.heard();
  await watcher.heard();
  wakeups.tell([name]);
  expect(watcher.count()).toBeGreaterThanOrEqual(2);
});
