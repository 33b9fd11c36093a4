// Tests opening a Postgres store: errors of the URL, the driver and the schema, and migrations.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LedgerError } from "../../../../src/ledger/errors.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import { PostgresConnections } from "../../../../src/ledger/stores/postgres/connections.ts";
import { loadDriver, type PgDriver } from "../../../../src/ledger/stores/postgres/driver.ts";
import { openPostgres } from "../../../../src/ledger/stores/postgres/index.ts";
import { migrate } from "../../../../src/ledger/stores/postgres/migrate.ts";
import { TABLES, VERSIONS } from "../../../../src/ledger/stores/postgres/schema.ts";
import { messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { writeTo } from "../../../../src/testkit/store/store-test-context.ts";
import { freshSchema, inPostgres, sharedPostgres } from "../../../support/postgres.ts";

const OPTIONS = { connections: 2, busyMs: 10_000 };
const key = { tenant: "acme", threadId: "thread" };
let url: string;
const drops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  url = await sharedPostgres();
});
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function schemaName(): Promise<string> {
  const fresh = await freshSchema(url);
  drops.push(() => fresh.drop());
  return fresh.schema;
}

async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return inPostgres(url, async (client) => (await client.query(text, values)).rows);
}

async function refusal(opening: Promise<unknown>): Promise<LedgerError> {
  const error = await opening.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof LedgerError) return error;
  throw new Error(`Expected a LedgerError, got ${String(error)}.`);
}

function withUrl(change: (address: URL) => void): string {
  const address = new URL(url);
  change(address);
  return address.href;
}

describe("the URL and the driver", () => {
  const bad: [sentence: string, address: () => string, code: string, message: RegExp][] = [
    ["a port without a server", () => withUrl((it) => (it.port = "1")), "unavailable", /ECONNREFUSED/],
    [
      "a host name without an address",
      () => withUrl((it) => (it.hostname = "koine.invalid")),
      "unavailable",
      /koine\.invalid/,
    ],
    ["a wrong password", () => withUrl((it) => (it.password = "open-sesame")), "unavailable", /rejected the login/],
    ["an unknown database", () => withUrl((it) => (it.pathname = "/nowhere")), "unavailable", /nowhere/],
    ["an invalid URL", () => "postgres://user:open-sesame@[host", "invalid-input", /URL/],
  ];
  test.each(bad)("%s", async (_, address, code, message) => {
    const error = await refusal(openPostgres(address(), { ...OPTIONS, schema: "koine" }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test("no error contains the password", async () => {
    for (const [, address] of bad) {
      const error = await refusal(openPostgres(address(), { ...OPTIONS, schema: "koine" }));
      const shown = JSON.stringify([error.message, String(error.cause), Object.entries(Object(error.cause))]);
      expect(shown).not.toContain("open-sesame");
      expect(shown).not.toContain(new URL(url).password);
    }
  });

  test("without the driver, the error contains the install command", async () => {
    const error = await refusal(loadDriver(() => Promise.reject(new Error("Cannot find package 'pg'"))));
    expect(error.code).toBe("missing-driver");
    expect(error.message).toContain("npm install pg");
  });

  test.each([
    "",
    "Koine",
    "my-schema",
    'a"; DROP SCHEMA public; --',
    "pg_own",
    "information_schema",
    "a".repeat(51),
    "1st",
  ])("%j is rejected as the name of a schema", async (schema) => {
    const error = await refusal(openPostgres(url, { ...OPTIONS, schema }));
    expect([error.code, error.path]).toStrictEqual(["invalid-input", "schema"]);
  });
});

describe("the schema", () => {
  test("has all tables, and the code knows their names", async () => {
    const schema = await schemaName();
    await (await openPostgres(url, { ...OPTIONS, schema })).close();
    const tables = await query("SELECT tablename FROM pg_tables WHERE schemaname = $1", [schema]);
    expect(tables.map((row) => String(row["tablename"])).sort()).toStrictEqual([...TABLES].sort());
  });

  test("is used by a user without the permission to create one", async () => {
    const [schema, role] = [await schemaName(), await schemaName()];
    await query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    await query(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
    const own = withUrl((it) => Object.assign(it, { username: role, password: "secret" }));
    const store = await openPostgres(own, { ...OPTIONS, schema });
    await writeTo(store, (tx) => tx.insertThread(threadRow(key)));
    expect((await store.reads.thread(key))?.id).toBe("thread");
    await store.close();
    const error = await refusal(openPostgres(own, { ...OPTIONS, schema: await schemaName() }));
    expect(error.code).toBe("read-only");
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test("of another program is not changed", async () => {
    const schema = await schemaName();
    await query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.invoices (id int)`);
    const error = await refusal(openPostgres(url, { ...OPTIONS, schema }));
    expect(error.code).toBe("not-koine");
    expect(error.message).toContain("invoices");
    expect(await query("SELECT tablename FROM pg_tables WHERE schemaname = $1", [schema])).toHaveLength(1);
  });

  test("that is opened read-only is neither created nor migrated", async () => {
    const schema = await schemaName();
    const opening = { ...OPTIONS, schema, readOnly: true };
    expect((await refusal(openPostgres(url, opening))).code).toBe("schema-too-old");
    expect(await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).toHaveLength(0);
    await (await openPostgres(url, { ...OPTIONS, schema })).close();
    await (await openPostgres(url, opening)).close();
    await query(`UPDATE ${schema}.koine_meta SET version = 1`);
    expect((await refusal(openPostgres(url, opening))).message).toContain("has version 1; this Koine needs");
    expect(await query(`SELECT version FROM ${schema}.koine_meta`)).toStrictEqual([{ version: 1 }]);
  });

  test("of a newer Koine is rejected", async () => {
    const schema = await schemaName();
    await (await openPostgres(url, { ...OPTIONS, schema })).close();
    await query(`UPDATE ${schema}.koine_meta SET version = ${VERSIONS.length + 1}`);
    expect((await refusal(openPostgres(url, { ...OPTIONS, schema }))).code).toBe("schema-too-new");
  });

  test("of a read-only database can be read, and writes are rejected", async () => {
    const schema = await schemaName();
    const writer = await openPostgres(url, { ...OPTIONS, schema });
    await writeTo(writer, (tx) => tx.insertThread(threadRow(key)));
    await writer.close();
    const readOnly = withUrl((it) => it.searchParams.set("options", "-c default_transaction_read_only=on"));
    const reader = await openPostgres(readOnly, { ...OPTIONS, schema });
    expect((await reader.reads.thread(key))?.id).toBe("thread");
    const error = await refusal(writeTo(reader, (tx) => tx.insertMessages([messageRow(key, 1)])));
    expect(error.code).toBe("read-only");
    await reader.close();
  });

  test("compares keys as bytes, regardless of the database's collation", async () => {
    const schema = await schemaName();
    await (await openPostgres(url, { ...OPTIONS, schema })).close();
    const keys = await query(
      `SELECT c.relname || '.' || a.attname AS name, l.collname FROM pg_index i
       JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
       JOIN pg_collation l ON l.oid = a.attcollation WHERE n.nspname = $1`,
      [schema],
    );
    expect(keys.length).toBeGreaterThan(10);
    expect(keys.filter((row) => row["collname"] !== "C")).toStrictEqual([]);
  });
});

describe("migrations", () => {
  /** Opens the store, writes a thread and closes it. */
  const program = `
    import { openPostgres } from ${JSON.stringify(new URL("../../../../src/ledger/stores/postgres/index.ts", import.meta.url).href)};
    const [url, schema, id] = process.argv.slice(2);
    const store = await openPostgres(url, { schema, connections: 2, busyMs: 30000 });
    await store.write(function* (tx) {
      yield tx.insertThread({ tenant: "acme", id, title: null, scope: null, metadata: null, createdAt: "", pinned: false, leafId: null });
    });
    await store.close();`;

  test("take place once if many processes start at the same time", async () => {
    const schema = await schemaName();
    const names = ["a", "b", "c", "d", "e"];
    const flags = ["--conditions=koine-source", "--input-type=module", "--eval", program, "--"];
    const root = fileURLToPath(new URL("../../../..", import.meta.url));
    await Promise.all(
      names.map((name) => promisify(execFile)(process.execPath, [...flags, "-", url, schema, name], { cwd: root })),
    );
    const store = await openPostgres(url, { ...OPTIONS, schema });
    const threads = await store.reads.threads("acme", { limit: 9 });
    expect(threads.map(({ id }) => id).sort()).toStrictEqual(names);
    await store.close();
  });

  test("continue after an interrupted one", async () => {
    const schema = await schemaName();
    // The package's types contain more than Koine uses.
    const driver = { Client, Pool } as unknown as PgDriver;
    const connections = new PostgresConnections(driver, { url, ...OPTIONS });
    const lift = (versions: typeof VERSIONS) =>
      connections.withConnection((lane) => migrate(lane, { schema, busyMs: 10_000, versions }));
    const second = () => ["CREATE TABLE extra (id int)"];
    const broken = () => ["CREATE TABLE more (id int)", "SELECT 1 / 0"];
    await expect(lift([...VERSIONS, second, broken])).rejects.toThrow("division by zero");
    expect(await query(`SELECT version FROM ${schema}.koine_meta`)).toStrictEqual([{ version: VERSIONS.length + 1 }]);
    const types = await lift([...VERSIONS, second, () => ["CREATE TABLE more (id int, name text)"]]);
    expect([types.get("extra.id"), types.get("more.name")]).toStrictEqual(["integer", "text"]);
    await connections.close();
  });

  test("wait for another migrating process up to the caller's timeout", async () => {
    const schema = await schemaName();
    await inPostgres(url, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended('koine ' || $1, 0))", [schema]);
      expect((await refusal(openPostgres(url, { ...OPTIONS, busyMs: 50, schema }))).code).toBe("busy");
    });
    const store: LedgerStore = await openPostgres(url, { ...OPTIONS, schema });
    await store.close();
  });
});
