// Tests opening a SQLite file after a crash or while another process changes it: a ledger is always recognized, and a
// database of another program stays unchanged, including its log or journal.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { wait } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import { messageRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { KEY, sqliteFiles, startInProcess } from "../../support/sqlite.ts";

const files = sqliteFiles();
const PAGE = 4096;
const JOURNAL_MAGIC = "d9d505f920a163d7";
const ENDINGS = ["", "-wal", "-journal", "-shm"];

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

async function add(store: LedgerStore, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    await store.write((tx) => wait(tx.insertMessages([messageRow(KEY, number, { body: "x".repeat(3000) })])));
  }
}

async function ledgerWithThread(): Promise<string> {
  const path = files.path();
  const store = await files.open(path);
  await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
  await store.close();
  return path;
}

async function numbersIn(store: LedgerStore): Promise<number[]> {
  const rows = await store.reads.messages(KEY, { limit: 100_000 });
  return rows.map(({ id }) => Number(id));
}

/** Copies the file and its log, as a killed process leaves them. */
function leave(path: string): string {
  const left = files.path();
  for (const ending of ["", "-wal"]) copyFileSync(path + ending, left + ending);
  return left;
}

/** Simulates a checkpoint that wrote only the first page. */
function moveFirstPage(path: string): void {
  const log = readFileSync(`${path}-wal`);
  const frames: number[] = [];
  for (let at = 32; at + 24 + PAGE <= log.length; at += 24 + PAGE) if (log.readUInt32BE(at) === 1) frames.push(at);
  const newest = frames.at(-1);
  if (newest === undefined) throw new Error("The log has no first page.");
  const bytes = readFileSync(path);
  log.copy(bytes, 0, newest + 24, newest + 24 + PAGE);
  expect(bytes.readUInt32BE(28) * PAGE).toBeGreaterThan(bytes.length);
  writeFileSync(path, bytes);
}

/** Writes the journal of a transaction on a file with this many pages, without any saved page. */
function writeJournal(path: string, pages: number): void {
  const journal = Buffer.alloc(512);
  journal.write(JOURNAL_MAGIC, "hex");
  journal.writeUInt32BE(12_345, 12);
  journal.writeUInt32BE(pages, 16);
  journal.writeUInt32BE(512, 20);
  journal.writeUInt32BE(PAGE, 24);
  writeFileSync(`${path}-journal`, journal);
}

function withSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test("a ledger whose checkpoint was interrupted has all its messages", async () => {
  const path = files.path();
  const store = await files.open(path);
  await add(store, 1, 100);
  const left = leave(path);
  moveFirstPage(left);
  const again = await files.open(left);
  expect(await numbersIn(again)).toStrictEqual(numbers(100));
});

const cutShort: [sentence: string, arrange: (path: string) => Promise<void> | void][] = [
  [
    "its first pages were written",
    async (path) => {
      await (await files.open(path)).close();
      withSqlite(path, "PRAGMA journal_mode = DELETE");
      truncateSync(path, 3 * PAGE);
      writeJournal(path, 0);
    },
  ],
  [
    "its pages existed without their content",
    (path) => {
      writeFileSync(path, Buffer.alloc(3 * PAGE));
      writeJournal(path, 0);
    },
  ],
  [
    "it was still a database without tables",
    (path) => {
      withSqlite(path, "CREATE TABLE t (a); DROP TABLE t; VACUUM");
      writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(2 * PAGE)]));
      writeJournal(path, 1);
    },
  ],
];
test.each(cutShort)("a ledger whose process died during its creation is created again: %s", async (_, arrange) => {
  const path = files.path();
  await arrange(path);
  const store = await files.open(path);
  await add(store, 1, 3);
  expect(await numbersIn(store)).toStrictEqual([1, 2, 3]);
  expect(existsSync(`${path}-journal`)).toBe(false);
});

const foreign: [sentence: string, arrange: (path: string) => void][] = [
  [
    "with a name and a journal",
    (path) => {
      withSqlite(path, "PRAGMA application_id = 7; CREATE TABLE t (a)");
      writeJournal(path, 1);
    },
  ],
  [
    "with tables and a journal",
    (path) => {
      withSqlite(path, "CREATE TABLE t (a)");
      writeJournal(path, 1);
    },
  ],
  [
    "with more tables than its first page lists, truncated, and a journal",
    (path) => {
      const tables = numbers(200).map((number) => `CREATE TABLE a_table_with_a_long_name_${number} (a)`);
      withSqlite(path, `BEGIN; ${tables.join("; ")}; COMMIT`);
      truncateSync(path, PAGE);
      writeJournal(path, 1);
    },
  ],
  [
    "that is no SQLite database and has a journal",
    (path) => {
      writeFileSync(path, "x".repeat(2 * PAGE));
      writeJournal(path, 1);
    },
  ],
  ["with zeros only", (path) => writeFileSync(path, Buffer.alloc(2 * PAGE))],
  ...["PRAGMA application_id = 7; CREATE TABLE u (a)", "CREATE TABLE u (a)"].map(
    (sql): [string, (path: string) => void] => [
      `with a leftover log: ${sql}`,
      (path) => {
        const live = files.path();
        const other = new DatabaseSync(live);
        other.exec(`PRAGMA journal_mode = WAL; ${sql}; CREATE TABLE t (a)`);
        for (const ending of ["", "-wal"]) copyFileSync(live + ending, path + ending);
        other.close();
      },
    ],
  ),
  [
    "with a name and a log in transfer",
    (path) => {
      const live = files.path();
      const other = new DatabaseSync(live);
      other.exec("PRAGMA application_id = 7; PRAGMA journal_mode = WAL; CREATE TABLE t (a); CREATE TABLE u (a)");
      for (const ending of ["", "-wal"]) copyFileSync(live + ending, path + ending);
      other.close();
      moveFirstPage(path);
    },
  ],
];
test.each(foreign)("a file of another program %s is not changed", async (_, arrange) => {
  const path = files.path();
  arrange(path);
  const contents = (): (Buffer | undefined)[] =>
    ENDINGS.map((ending) => (existsSync(path + ending) ? readFileSync(path + ending) : undefined));
  const before = contents();
  await expect(files.open(path)).rejects.toMatchObject({ name: "LedgerError", code: "not-koine" });
  expect(contents()).toStrictEqual(before);
});

test("a database whose journal restores tables of another program does not become a ledger", async () => {
  const path = files.path();
  withSqlite(path, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  const whole = readFileSync(path);
  const other = new DatabaseSync(path);
  other.exec("BEGIN; DROP TABLE t");
  const journal = readFileSync(`${path}-journal`);
  other.exec("COMMIT; VACUUM");
  other.close();
  // The journal header before the first write: its magic number and page count.
  journal.write(JOURNAL_MAGIC, "hex");
  journal.writeUInt32BE(0xffff_ffff, 8);
  writeFileSync(`${path}-journal`, journal);
  await expect(files.open(path)).rejects.toMatchObject({ code: "not-koine" });
  expect(readFileSync(path)).toStrictEqual(whole);
});

describe("while another process", () => {
  test("writes and checkpoints its log, a ledger opens", async () => {
    const path = await ledgerWithThread();
    const count = 400;
    let written = 0;
    // The other process may be much faster than this one, so several may be needed.
    for (let opened = 0; opened <= 5; written += count) {
      const { ended } = await startInProcess({ do: "grow", path, threadId: KEY.threadId, count });
      const isOver = ended.then(() => true);
      while (!(await Promise.race([isOver, pause(1, false)]))) {
        const again = await files.open(path);
        await again.close();
        opened++;
      }
      expect(await ended).toBeNull();
    }
    expect(await numbersIn(await files.open(path))).toStrictEqual(numbers(written));
  });
});

describe("a process that is killed at any point", () => {
  const ROUNDS = 5;

  test("while it checkpoints its log leaves a ledger that opens", async () => {
    const path = await ledgerWithThread();
    let before = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { ended, kill } = await startInProcess({ do: "grow", path, threadId: KEY.threadId, count: 1_000_000 });
      await pause(50 + Math.random() * 150);
      kill();
      expect(await ended).toBe("SIGKILL");
      const store = await files.open(path);
      const result = await numbersIn(store);
      expect(result).toStrictEqual(numbers(result.length));
      expect(result.length).toBeGreaterThan(before);
      before = result.length;
      await store.close();
    }
  });

  test("while it creates ledgers leaves only files that can become one", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const folder = files.path();
      mkdirSync(folder);
      const { ended, kill } = await startInProcess({ do: "make", folder });
      await pause(50 + Math.random() * 50);
      kill();
      expect(await ended).toBe("SIGKILL");
      const made = readdirSync(folder).filter((name) => name.endsWith(".db"));
      expect(made).not.toStrictEqual([]);
      for (const name of made) {
        const store = await files.open(join(folder, name));
        await add(store, 1, 1);
        expect(await numbersIn(store)).toStrictEqual([1]);
        await store.close();
      }
    }
  });
});
