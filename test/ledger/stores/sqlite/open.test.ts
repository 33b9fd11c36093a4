// Tests opening a SQLite file: new files, rejected files, and files of an interrupted creation.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { wait } from "../../../../src/ledger/store/steps.ts";
import { SqliteConnection } from "../../../../src/ledger/stores/sqlite/connection.ts";
import { APPLICATION_ID } from "../../../../src/ledger/stores/sqlite/inspect-file.ts";
import { migrate, NEWEST_VERSION } from "../../../../src/ledger/stores/sqlite/migrations.ts";
import { connectToFile, startWriteAheadLog } from "../../../../src/ledger/stores/sqlite/open.ts";
import { threadRow } from "../../../../src/testkit/store/rows.ts";
import { runInProcess, KEY, sqliteFiles } from "../../support/sqlite.ts";

const files = sqliteFiles();

/** Runs SQL on a file and closes it. */
function withSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Returns the pragmas and tables of the file. */
function facts(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true });
  const [application] = Object.values(database.prepare("PRAGMA application_id").get() ?? {});
  const [version] = Object.values(database.prepare("PRAGMA user_version").get() ?? {});
  const tables = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
  database.close();
  return { application, version, tables };
}

async function makeLedger(path: string): Promise<void> {
  const store = await files.open(path);
  await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
  await store.close();
}

const newFiles: [sentence: string, arrange: (path: string) => void][] = [
  ["a path without a file", () => undefined],
  ["an empty file", (path) => writeFileSync(path, "")],
  ["a database without tables", (path) => withSqlite(path, "CREATE TABLE t (a); DROP TABLE t; VACUUM")],
  ["a database without tables that has a log", (path) => withSqlite(path, "PRAGMA journal_mode = WAL")],
];
test.each(newFiles)("%s becomes a ledger of the newest version", async (_, arrange) => {
  const [path, other] = [files.path(), files.path()];
  arrange(path);
  await makeLedger(path);
  await makeLedger(other);
  expect(facts(path)).toStrictEqual(facts(other));
  expect(facts(path)).toMatchObject({ application: APPLICATION_ID, version: NEWEST_VERSION });
  const store = await files.open(path);
  expect(await store.reads.thread(KEY)).toMatchObject({ id: KEY.threadId });
});

test("a file is identified as Koine's as soon as it has tables, even if its log is full", async () => {
  const path = files.path();
  const store = await files.open(path);
  await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
  expect(readFileSync(path).readUInt32BE(68)).toBe(APPLICATION_ID);
  expect(existsSync(`${path}-wal`)).toBe(true);
});

const refused: [sentence: string, arrange: (path: string) => void, code: string, hint: RegExp][] = [
  ["a text", (path) => writeFileSync(path, "x".repeat(5000)), "not-koine", /not a SQLite database/],
  ["a file with one letter", (path) => writeFileSync(path, "x"), "not-koine", /not a SQLite database/],
  ["a short text", (path) => writeFileSync(path, "hi"), "not-koine", /not a SQLite database/],
  ["a database with tables", (path) => withSqlite(path, "CREATE TABLE t (a)"), "not-koine", /another program/],
  [
    "a database of another program that has no tables yet",
    (path) => withSqlite(path, "PRAGMA application_id = 7"),
    "not-koine",
    /another program/,
  ],
  [
    "a database of a newer Koine",
    (path) => withSqlite(path, `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 999`),
    "schema-too-new",
    /version 999.*newer Koine/,
  ],
  [
    "a damaged ledger",
    (path) => {
      withSqlite(path, `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1; CREATE TABLE t (a)`);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 100, 4096));
    },
    "corrupt",
    /damaged/,
  ],
];
test.each(refused)("%s is rejected and not changed", async (_, arrange, code, hint) => {
  const path = files.path();
  arrange(path);
  const before = readFileSync(path);
  const attempt = files.open(path);
  await expect(attempt).rejects.toMatchObject({ name: "LedgerError", code });
  await expect(attempt).rejects.toThrow(hint);
  await expect(attempt).rejects.toThrow(path);
  expect(readFileSync(path)).toStrictEqual(before);
  expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toStrictEqual([false, false]);
});

test("a database of another program with its tables still in the log is rejected, and its log is unchanged", async () => {
  const path = files.path();
  const other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  const before = readFileSync(`${path}-wal`);
  await expect(files.open(path)).rejects.toMatchObject({ code: "not-koine" });
  expect(readFileSync(`${path}-wal`)).toStrictEqual(before);
  other.close();
});

test("a version that is still in the log is seen too", async () => {
  const path = files.path();
  await makeLedger(path);
  const newer = new DatabaseSync(path);
  newer.exec("PRAGMA user_version = 999");
  expect(readFileSync(path).readUInt32BE(60)).toBe(NEWEST_VERSION);
  await expect(files.open(path)).rejects.toMatchObject({ code: "schema-too-new" });
  newer.close();
});

test("damage that is found later is reported by the read, and the store keeps working", async () => {
  const path = files.path();
  await makeLedger(path);
  const database = new DatabaseSync(path, { readOnly: true });
  const page = Number(
    database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'threads'").get()?.["rootpage"],
  );
  database.close();
  writeFileSync(path, readFileSync(path).fill(0xff, 4096 * (page - 1), 4096 * page));
  const store = await files.open(path);
  await expect(async () => store.reads.thread(KEY)).rejects.toMatchObject({
    code: "corrupt",
    cause: expect.any(Error),
  });
  await expect(store.write((tx) => wait(tx.insertThread(threadRow(KEY))))).rejects.toMatchObject({ code: "corrupt" });
});

test("a missing folder, and a folder in the file's place, are reported", async () => {
  const missing = join(files.path(), "ledger.db");
  await expect(files.open(missing)).rejects.toMatchObject({ code: "unavailable" });
  await expect(files.open(missing)).rejects.toThrow(`The folder ${dirname(missing)} does not exist`);
  const folder = files.path();
  mkdirSync(folder);
  await expect(files.open(folder)).rejects.toMatchObject({ code: "unavailable" });
  await expect(files.open(folder)).rejects.toThrow(`${folder} is a folder`);
});

test.each([
  ["too long", "n".repeat(300), "unavailable"],
  ["a path with U+0000", "a\u0000b", "invalid-input"],
  ["below a file", "file.db/ledger.db", "unavailable"],
])("a path that is %s is rejected as such", async (_, name, code) => {
  const folder = files.path();
  mkdirSync(folder);
  writeFileSync(join(folder, "file.db"), "");
  await expect(files.open(join(folder, name))).rejects.toMatchObject({ name: "LedgerError", code });
});

test("a name with a meaning for SQLite is an ordinary name", async () => {
  const path = join(dirname(files.path()), ":memory:");
  await makeLedger(path);
  expect(existsSync(path)).toBe(true);
});

describe.skipIf(process.platform === "win32")("without write permission", () => {
  const NOBODY = 65_534;
  /** File permissions do not restrict root, so the test runs as another user. */
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;

  /** A ledger of that user, and the result of a process of that user that tries to use it. */
  async function tryAsOtherUser(
    source: string,
    left: string[],
    fileRights: number,
    folderRights: number,
  ): Promise<string> {
    const folder = files.path();
    const path = join(folder, "ledger.db");
    mkdirSync(folder);
    // The test folder is accessible only to its owner.
    chmodSync(dirname(folder), 0o755);
    for (const ending of left) {
      copyFileSync(source + ending, path + ending);
      if (uid !== undefined) chownSync(path + ending, uid, uid);
      chmodSync(path + ending, fileRights);
    }
    if (uid !== undefined) chownSync(folder, uid, uid);
    chmodSync(folder, folderRights);
    const job = await runInProcess({ do: "try", path }, uid);
    chmodSync(folder, 0o755);
    return job.output;
  }

  const rights: [sentence: string, file: number | undefined, folder: number, expected: string][] = [
    ["for the file, a ledger can be read", 0o444, 0o755, "read 1, read-only"],
    ["for the folder, a ledger can be read", 0o644, 0o555, "read 1, read-only"],
    ["for file and folder, a ledger can be read", 0o444, 0o555, "read 1, read-only"],
    ["for the folder, no file can be created", undefined, 0o555, "unavailable"],
    ["and without read permission, the file is reported as unavailable", 0o000, 0o755, "unavailable"],
  ];
  test.each(rights)("%s", async (_, fileRights, folderRights, expected) => {
    const source = files.path();
    await makeLedger(source);
    const left = fileRights === undefined ? [] : [""];
    expect(await tryAsOtherUser(source, left, fileRights ?? 0, folderRights)).toBe(expected);
  });

  test("for a file without a log, a ledger can be read", async () => {
    const source = files.path();
    await makeLedger(source);
    withSqlite(source, "PRAGMA journal_mode = DELETE");
    expect(await tryAsOtherUser(source, [""], 0o444, 0o555)).toBe("read 1, read-only");
    expect(await tryAsOtherUser(source, [""], 0o444, 0o755)).toBe("read 1, read-only");
  });

  test("data in a log is never ignored: it is read, or the ledger is rejected as read-only", async () => {
    const source = files.path();
    const store = await files.open(source);
    await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
    for (const [file, folder] of [
      [0o444, 0o555],
      [0o644, 0o555],
      [0o444, 0o755],
    ] as const) {
      expect(await tryAsOtherUser(source, ["", "-wal"], file, folder)).toMatch(/^(read 1, read-only|read-only)$/);
    }
    expect(await tryAsOtherUser(source, ["", "-wal"], 0o444, 0o555)).toBe("read-only");
  });
});

test.skipIf(process.platform === "win32")("a link opens the ledger and its log", async () => {
  const [path, link] = [files.path(), files.path()];
  const other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
  symlinkSync(path, link);
  const before = readFileSync(`${path}-wal`);
  await expect(files.open(link)).rejects.toMatchObject({ code: "not-koine" });
  expect(readFileSync(`${path}-wal`)).toStrictEqual(before);
  other.close();
});

test.each([
  ["full", 2, 1],
  ["normal", 1, 0],
] as const)("at %s, SQLite has the matching sync settings", async (sync, synchronous, fullfsync) => {
  const connection = await connectToFile(files.path(), { sync, busyMs: 0 });
  const valueOf = (name: string): unknown => connection.read({ name, sql: `PRAGMA ${name}` })[0]?.[0];
  const result = ["synchronous", "fullfsync", "journal_mode"].map(valueOf);
  connection.close();
  expect(result).toStrictEqual([synchronous, fullfsync, "wal"]);
});

test.skipIf(process.platform === "win32")("a file system that does not support a log is named in the error", () => {
  const path = files.path();
  // SQLite's VFS without shared memory.
  const location = new URL(`${pathToFileURL(path).href}?vfs=unix-dotfile`);
  const connection = new SqliteConnection(new DatabaseSync(location), path, 0);
  expect(() => startWriteAheadLog(connection, path)).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringMatching(/file system.*share/) }),
  );
  connection.close();
});

describe("another process", () => {
  test("that creates the file is awaited, and reported if it takes too long", async () => {
    const path = files.path();
    const other = new DatabaseSync(path);
    other.exec("BEGIN EXCLUSIVE");
    await expect(files.open(path, { busyMs: 50 })).rejects.toMatchObject({ code: "busy" });
    const opening = files.open(path);
    setTimeout(() => other.exec("ROLLBACK"), 50);
    expect(await (await opening).reads.thread(KEY)).toBeUndefined();
    other.close();
  });

  test("may create the same file at the same time", async () => {
    const path = files.path();
    const jobs = await Promise.all([1, 2, 3, 4].map(() => runInProcess({ do: "try", path })));
    expect(jobs.map(({ output }) => output.replace(/\d/, "n"))).toStrictEqual(jobs.map(() => "read n, written"));
    const store = await files.open(path);
    expect(await store.reads.threads(KEY.tenant, { limit: 10 })).toHaveLength(4);
  });
});

describe("migrations", () => {
  /** The steps of creating a file. */
  async function points(): Promise<string[]> {
    const seen: string[] = [];
    await (await files.open(files.path(), { trace: (point) => void seen.push(point) })).close();
    return seen.slice(0, seen.indexOf("after set-limits") + 1);
  }

  test.each(Array.from({ length: NEWEST_VERSION }, (_, version) => version))(
    "a file of version %i is migrated to the newest",
    async (version) => {
      const [path, fresh] = [files.path(), files.path()];
      const connection = new SqliteConnection(new DatabaseSync(path), path, 0);
      migrate(connection, path, version);
      connection.close();
      await makeLedger(path);
      await makeLedger(fresh);
      expect(facts(path)).toStrictEqual(facts(fresh));
    },
  );

  test("an opening that fails at any point is completed by the next one", async () => {
    const fresh = files.path();
    await makeLedger(fresh);
    const all = await points();
    expect(all.length).toBeGreaterThan(40);
    for (const stop of all.keys()) {
      const path = files.path();
      let passed = 0;
      const trace = (point: string): void => {
        if (passed++ === stop) throw new Error(`stopped ${point}`);
      };
      await expect(files.open(path, { trace })).rejects.toThrow(`stopped ${all[stop]}`);
      await makeLedger(path);
      expect(facts(path)).toStrictEqual(facts(fresh));
    }
  });

  test.each(["after migration-1-3", "before commit", "after commit", "after set-log"])(
    "a process that is killed %s leaves a file that opens",
    async (at) => {
      const [path, fresh] = [files.path(), files.path()];
      expect((await runInProcess({ do: "die", path, at })).signal).toBe("SIGKILL");
      await makeLedger(path);
      await makeLedger(fresh);
      expect(facts(path)).toStrictEqual(facts(fresh));
    },
  );
});
