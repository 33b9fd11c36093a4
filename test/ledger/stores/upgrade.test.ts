// Tests ledgers of an older Koine: after opening they contain all their data and support new features.
import { DatabaseSync } from "node:sqlite";
import { Client, Pool } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { openLedger } from "../../../src/ledger/open.ts";
import { PostgresConnections } from "../../../src/ledger/stores/postgres/connections.ts";
import type { PgDriver } from "../../../src/ledger/stores/postgres/driver.ts";
import { migrate as migratePostgres } from "../../../src/ledger/stores/postgres/migrate.ts";
import { VERSIONS } from "../../../src/ledger/stores/postgres/schema.ts";
import { SqliteConnection } from "../../../src/ledger/stores/sqlite/connection.ts";
import { migrate as migrateSqlite } from "../../../src/ledger/stores/sqlite/migrations.ts";
import type { Ledger, LedgerOptions } from "../../../src/ledger/types.ts";
import { assistant, user } from "../../../src/model/index.ts";
import { freshSchema, inPostgres, sharedPostgres } from "../../support/postgres.ts";
import { readEventsUpToNow, splitList, describeEvent, readTexts } from "../support/runs.ts";
import { sqliteFiles } from "../support/sqlite.ts";

const files = sqliteFiles();
const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

const TIME = "2026-01-01T00:00:00.000Z";
const bodyOf = (role: string, text: string): string =>
  JSON.stringify({ role, parts: [{ type: "text", text }], createdAt: TIME, metadata: { schemaVersion: 2 } });
const RUN = JSON.stringify({ run: { state: "created", mode: "replace", createdAt: TIME, epoch: 1, lastSeq: -1 } });

/** A thread with a question, an answer and its run, in the format of version 1. */
const VERSION_1 = [
  `INSERT INTO threads (tenant, id, title, scope, metadata, created_at, pinned, leaf_id, last_id)
    VALUES ('default', 'old', 'Old', 'ann', '{"a":1}', '${TIME}', 0, NULL, NULL)`,
  `INSERT INTO messages (tenant, thread_id, id, parent_id, run_id, role, digest, body) VALUES
    ('default', 'old', '01J00000000000000000000001', NULL, NULL, 'user', '', '${bodyOf("user", "q")}'),
    ('default', 'old', '01J00000000000000000000003', '01J00000000000000000000001', '01J00000000000000000000002',
      'assistant', 'digest', '${bodyOf("assistant", "a")}')`,
  `INSERT INTO runs (tenant, thread_id, id, state, mode, forks, epoch, lease_until, created_at, finished_at, last_seq, compacted)
    VALUES ('default', 'old', '01J00000000000000000000002', 'committed', 'replace', 0, 1, 0, '${TIME}', 1, -1, 1)`,
  `INSERT INTO log (tenant, thread_id, id, run_id, kind, body)
    VALUES ('default', 'old', '01J00000000000000000000002', '01J00000000000000000000002', 'run', '${RUN}')`,
  `INSERT INTO idempotency_keys (tenant, thread_id, name, hash, result, created_at)
    VALUES ('default', 'old', 'k', 'hash', '{}', 1)`,
];

async function oldFile(): Promise<Ledger> {
  const path = files.path();
  const database = new DatabaseSync(path);
  const connection = new SqliteConnection(database, path, 0);
  migrateSqlite(connection, path, 1);
  for (const sql of VERSION_1) database.exec(sql);
  connection.close();
  return openLedger(`sqlite:${path}`, OPTIONS);
}

async function oldSchema(): Promise<Ledger> {
  const url = await sharedPostgres();
  const fresh = await freshSchema(url);
  const { schema } = fresh;
  drops.push(() => fresh.drop());
  // The package's types contain more than Koine uses.
  const driver = { Client, Pool } as unknown as PgDriver;
  const connections = new PostgresConnections(driver, { url, connections: 1, busyMs: 10_000 });
  await connections.withConnection((lane) =>
    migratePostgres(lane, { schema, busyMs: 10_000, versions: VERSIONS.slice(0, 1) }),
  );
  await connections.close();
  await inPostgres(url, async (client) => {
    await client.query(`SET search_path = ${schema}`);
    for (const sql of VERSION_1) await client.query(sql);
  });
  return openLedger(url, { ...OPTIONS, schema });
}

const OPTIONS: LedgerOptions = { indexMs: false };

describe.each([
  ["sqlite", oldFile],
  ["postgres", oldSchema],
])("%s", (_, open) => {
  test("a ledger of version 1 has all its data, and supports new features", async () => {
    const ledger = await open();
    const thread = { id: "old", title: "Old", scope: "ann", kind: null, metadata: { a: 1 } };
    expect(await ledger.thread("old")).toMatchObject(thread);
    expect(await ledger.threads({ kind: null })).toMatchObject([thread]);
    expect(readTexts(await ledger.transcript("old"))).toStrictEqual(["q", "a"]);
    expect((await ledger.run("01J00000000000000000000002")).state).toBe("committed");
    expect(await ledger.entries("old")).toStrictEqual([]);
    const summary = { updatedAt: TIME, messages: 2, live: 0, preview: "q" };
    expect(await ledger.listThreads({ order: "activity", limit: 1, summary: true })).toMatchObject({
      threads: [{ id: "old", summary }],
      next: "01J00000000000000000000003.old",
    });
    await ledger.log("old", [{ n: 1 }], { requestWork: true });
    const messages = [assistant("b")];
    await ledger.record({ threadId: "old", input: { messages: [user("more")] }, messages, alias: "resp_1" });
    expect((await ledger.runByAlias("resp_1"))?.threadId).toBe("old");
    expect(await (await ledger.claimWork({ holder: "h" }))?.complete()).toBe(true);
    const answer = (await readEventsUpToNow(ledger, "old")).map(describeEvent);
    expect(answer).toStrictEqual(
      splitList('message q, run created, message a, entry {"n":1}, message more, message b, run committed'),
    );
    expect(await ledger.verify()).toStrictEqual([]);
    await ledger.close();
  });
});
