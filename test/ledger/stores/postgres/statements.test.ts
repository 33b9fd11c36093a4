// Tests the statements of a Postgres store: every one named, complete, within one tenant, and in few round trips.
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import type { PgDriver, PgPoolSettings } from "../../../../src/ledger/stores/postgres/driver.ts";
import { POSTGRES, StatementTexts } from "../../../../src/ledger/stores/postgres/sql-flavor.ts";
import { openPostgres, openWithDriver } from "../../../../src/ledger/stores/postgres/index.ts";
import { TABLES } from "../../../../src/ledger/stores/postgres/schema.ts";
import { OUTDATED_ACTIVITY, SEARCH_STATEMENTS } from "../../../../src/ledger/stores/postgres/search.ts";
import { RUNS, THREADS, WORK } from "../../../../src/ledger/stores/sql/columns.ts";
import type { Statement } from "../../../../src/ledger/stores/sql/engine.ts";
import { INSERTS, Statements } from "../../../../src/ledger/stores/sql/statements.ts";
import { storeConformance } from "../../../../src/testkit/conformance/store-conformance.ts";
import { messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema } from "../../../support/postgres.ts";

/** Statements for all tenants, and the reason. */
const ACROSS_TENANTS = new Map([
  ["expired-runs", "recovers the runs of dead writers of all tenants"],
  ["compactable-runs", "deletes deltas after their retention"],
  ["open-work", "finds unleased work of all tenants"],
  ["last-change", "finds the position at which watchers start to read"],
  ["delete-old-changes", "drops what every watcher has had the time to read"],
  ["behind", "finds missing activity rows of dead processes, of all tenants"],
  ["search-take", "takes from the queue of the index what comes next"],
]);

const columns = Object.values(INSERTS).flatMap((insert) => insert.columns.map((column) => `${insert.table}.${column}`));
const texts = new StatementTexts("own_schema", new Map(columns.map((column) => [column, "text"])));
const statements = new Statements(POSTGRES);

function catalogue(): Statement[] {
  const stretches = [
    {},
    { upTo: "x" },
    { runId: "x" },
    { upTo: "x", runId: "x" },
    { runId: "" },
    { upTo: "x", runId: "" },
  ].flatMap((bounds) => (["asc", "desc"] as const).map((order) => ({ ...bounds, order, limit: 1 })));
  return [
    ...Object.values(statements.fixed),
    ...[statements.messages, statements.headers, statements.log].flatMap((all) => stretches.map((it) => all.of(it))),
    ...[undefined, null, "x"].flatMap((kind) =>
      [true, false].flatMap((below) => [statements.threads(below, kind), statements.activeThreads(below, kind)]),
    ),
    statements.update(THREADS, ["tenant", "id"], ["title"]),
    statements.update(THREADS, ["tenant", "id"], []),
    statements.update(RUNS, ["tenant", "thread_id", "id", "epoch"], ["state", "epoch"]),
    statements.update(WORK, ["tenant", "thread_id", "lease_id"], ["holder"]),
    statements.update(WORK, ["tenant", "thread_id"], ["holder"], "lease_id IS NULL"),
    ...SEARCH_STATEMENTS,
    OUTDATED_ACTIVITY,
  ];
}

const read: [name: string, text: string][] = catalogue().map((statement) => [statement.name, texts.of(statement)]);
const inserted: [name: string, text: string][] = Object.values(INSERTS)
  .flatMap((insert) => [texts.insert(insert, true), texts.insert(insert, false)])
  .map(({ name, text }) => [name, text]);

describe("the catalog", () => {
  test("has statements", () => {
    expect(read.length).toBeGreaterThan(60);
    expect(inserted).toHaveLength(26);
  });

  test("gives each statement a unique name that Postgres accepts", () => {
    const names = [...read, ...inserted].map(([name]) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toStrictEqual([]);
    expect(names.filter((name) => Buffer.byteLength(name) > 63)).toStrictEqual([]);
  });

  test.each(read)("%s restricts each table to one tenant, unless it is listed here", (name, text) => {
    const tables = text.match(/"own_schema"\.\w+/g) ?? [];
    const bounds = text.match(/\btenant( \|\| ''\))? = /g) ?? [];
    expect(tables.length).toBeGreaterThan(0);
    expect(bounds.length >= tables.length).toBe(!ACROSS_TENANTS.has(name));
  });

  test.each(inserted)("%s writes the tenant", (_, text) => {
    expect(text).toMatch(/^(WITH added AS \()?INSERT INTO "own_schema"\.\w+ \(tenant, /);
  });

  test.each([...read, ...inserted])(
    "%s names tables with their schema, and parameters in Postgres syntax",
    (_, text) => {
      const bare = new RegExp(String.raw`\b(FROM|JOIN|INTO|UPDATE|USING)\s+(${TABLES.join("|")})\b`);
      expect(text).not.toMatch(bare);
      expect(text).not.toMatch(/\?/);
      expect(text.includes("$1")).toBe(text !== texts.of(OUTDATED_ACTIVITY));
    },
  );
});

describe("round trips", () => {
  const key = { tenant: "acme", threadId: "thread" };
  let database: Awaited<ReturnType<typeof freshSchema>>;
  const points: string[] = [];
  let store: LedgerStore;

  beforeAll(async () => {
    database = await freshSchema();
    const trace = (point: string): void => void points.push(point);
    store = await openPostgres(database.url, { schema: database.schema, connections: 2, busyMs: 10_000, trace });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  test("an append is two round trips: lock and head, then rows and commit", async () => {
    points.length = 0;
    await store.write(function* (tx) {
      yield* wait(tx.lockThread(key));
      yield* wait(tx.insertMessages([messageRow(key, 1), messageRow(key, 2)]));
    });
    const sent = (names: string[]): string[] => names.map((name) => `before ${name}`);
    const tracedPoints = (names: string[]): string[] => names.map((name) => `after ${name}`);
    const [there, back] = [
      ["begin", "lock-thread", "thread"],
      ["insert-messages-many", "commit"],
    ];
    expect(points).toStrictEqual([...sent(there), ...tracedPoints(there), ...sent(back), ...tracedPoints(back)]);
  });

  test("no row is written before the transaction has begun", async () => {
    points.length = 0;
    await writeTo(store, (tx) => tx.insertMessages([messageRow(key, 3)]));
    expect(points.slice(0, 3)).toStrictEqual(["before begin", "after begin", "before insert-messages"]);
  });

  test("work without a query sends nothing", async () => {
    points.length = 0;
    // oxlint-disable-next-line require-yield -- work need not wait for anything
    const result = await store.write(function* () {
      return 7;
    });
    expect(result).toBe(7);
    expect(points).toStrictEqual([]);
  });
});

describe("a driver that runs one query at a time", () => {
  class OldPool extends Pool {
    constructor(settings: PgPoolSettings) {
      super({ ...settings, pipeline: false });
    }
  }
  // The package's types contain more than Koine uses.
  const driver = { Client, Pool: OldPool } as unknown as PgDriver;
  let database: Awaited<ReturnType<typeof freshSchema>>;
  beforeAll(async () => {
    database = await freshSchema();
  });
  afterAll(() => database.drop());

  const open = (): Promise<LedgerStore> =>
    openWithDriver(driver, database.url, { schema: database.schema, connections: 4, busyMs: 10_000 });
  const cases = storeConformance(open, { name: "postgres", isShared: true });
  const some = cases.filter(({ title }) => /conflict|writers|readers|whole/.test(title));

  test("is tested with some cases", () => {
    expect(some.length).toBeGreaterThan(5);
  });
  for (const { title, run } of some) test(title, run);

  test("never receives two queries at once, which it would warn about", async () => {
    const warnings: string[] = [];
    const recordWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", recordWarning);
    const store = await open();
    const key = { tenant: "warned", threadId: "thread" };
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    await store.write(function* (tx) {
      yield* wait(tx.lockThread(key));
      yield* wait(tx.insertMessages([messageRow(key, 1)]));
    });
    await store.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", recordWarning);
    expect(warnings).toStrictEqual([]);
  });
});
