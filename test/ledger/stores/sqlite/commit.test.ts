// Tests the commits of a SQLite store: shared by callers, failing separately, and waiting for other processes.
import { existsSync, readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { LedgerError } from "../../../../src/ledger/errors.ts";
import { wait, type Steps } from "../../../../src/ledger/store/steps.ts";
import type { LedgerStore, LedgerTransaction } from "../../../../src/ledger/store/contract.ts";
import { connectToFile } from "../../../../src/ledger/stores/sqlite/open.ts";
import { SqliteStore } from "../../../../src/ledger/stores/sqlite/store.ts";
import { toTestId, messageRow, refRow, threadRow } from "../../../../src/testkit/store/rows.ts";
import { runInProcess, KEY, sqliteFiles } from "../../support/sqlite.ts";

const files = sqliteFiles();

/** A transaction that writes one message. */
function adding(number: number, body = "{}"): (tx: LedgerTransaction) => Steps<number> {
  return function* add(tx) {
    yield* wait(tx.insertMessages([messageRow(KEY, number, { body })]));
    return number;
  };
}

async function numbersIn(store: LedgerStore): Promise<number[]> {
  const rows = await store.reads.messages(KEY, { limit: 10_000 });
  return rows.map(({ id }) => Number(id));
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** A store and its trace points. */
async function traced(options = {}): Promise<{ store: LedgerStore; points: string[] }> {
  const points: string[] = [];
  const store = await files.open(files.path(), { ...options, trace: (point) => void points.push(point) });
  points.length = 0;
  return { store, points };
}

const commitsIn = (points: readonly string[]): number => points.filter((point) => point === "after commit").length;

describe.each(["full", "normal"] as const)("at %s", (sync) => {
  test("concurrent callers share a commit", async () => {
    const { store, points } = await traced({ sync });
    const written = await Promise.all(numbers(64).map((number) => store.write(adding(number))));
    expect(written).toStrictEqual(numbers(64));
    expect(await numbersIn(store)).toStrictEqual(numbers(64));
    // One commit, unless the machine stalls meanwhile.
    expect(commitsIn(points)).toBeLessThan(16);
  });

  test("other work of the process continues while one caller writes without a pause", async () => {
    const store = await files.open(files.path(), { sync });
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    for (const number of numbers(sync === "full" ? 20 : 2000)) await store.write(adding(number));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

test("more callers than a group allows are committed in several groups", async () => {
  const { store, points } = await traced();
  await Promise.all(numbers(600).map((number) => store.write(adding(number))));
  expect(await numbersIn(store)).toStrictEqual(numbers(600));
  expect(commitsIn(points)).toBeGreaterThanOrEqual(3);
  expect(commitsIn(points)).toBeLessThan(150);
});

test("callers with long transactions are not all committed together", async () => {
  const { store, points } = await traced();
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const large = (number: number): Promise<number> =>
    store.write(function* addMany(tx) {
      const rows = numbers(300).map((at) => messageRow(KEY, number * 1000 + at, { body: "x".repeat(500) }));
      yield* wait(tx.insertMessages(rows));
      return number;
    });
  expect(await Promise.all(numbers(20).map(large))).toStrictEqual(numbers(20));
  clearInterval(timer);
  expect(await numbersIn(store)).toHaveLength(6000);
  expect(commitsIn(points)).toBeGreaterThan(1);
  expect(turns).toBeGreaterThan(0);
});

test("every statement of a write has its trace points", async () => {
  const { store, points } = await traced();
  await store.write(function* write(tx) {
    yield* wait(tx.lockThread(KEY));
    yield* wait(tx.insertMessages([messageRow(KEY, 1), messageRow(KEY, 2)]));
  });
  const names = ["begin", "data-version", "thread", "insert-messages", "insert-messages", "commit"];
  expect(points).toStrictEqual(names.flatMap((name) => [`before ${name}`, `after ${name}`]));
});

describe("work that fails among others", () => {
  const failures: [sentence: string, work: (tx: LedgerTransaction) => Steps<number>, isUndone: boolean][] = [
    [
      "before it wrote is left out of the commit",
      function* refuse(tx) {
        yield* wait(tx.lockThread(KEY));
        throw new LedgerError("fenced", "no");
      },
      false,
    ],
    [
      "after it wrote is undone alone, and the others are committed",
      function* refuse(tx) {
        yield* adding(99)(tx);
        throw new LedgerError("fenced", "no");
      },
      true,
    ],
  ];
  test.each(failures)("%s", async (_, work, isUndone) => {
    const { store, points } = await traced();
    const before = numbers(20).map((number) => store.write(adding(number)));
    const failing = expect(store.write(work)).rejects.toMatchObject({ code: "fenced" });
    const after = numbers(20).map((number) => store.write(adding(number + 20)));
    await failing;
    expect(await Promise.all([...before, ...after])).toStrictEqual(numbers(40));
    expect(await numbersIn(store)).toStrictEqual(numbers(40));
    expect(commitsIn(points)).toBeLessThan(10);
    expect(points.includes("after rollback")).toBe(isUndone);
  });

  test("because of a duplicate key fails alone", async () => {
    const store = await files.open(files.path());
    const attempts = [1, 2, 2, 3].map((number) => store.write(adding(number)));
    const results = await Promise.allSettled(attempts);
    expect(results.map(({ status }) => status)).toStrictEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(results[2]).toMatchObject({ reason: { name: "LedgerError", code: "conflict" } });
    expect(await numbersIn(store)).toStrictEqual([1, 2, 3]);
  });

  test("because it returned a promise is reported, and the store keeps working", async () => {
    const store = await files.open(files.path());
    const attempt = store.write(function* wait() {
      yield Promise.resolve();
    });
    await expect(attempt).rejects.toThrow(TypeError);
    expect(await store.write(adding(1))).toBe(1);
  });
});

test("all rows of an insert with an existing key are removed, even if the transaction continues", async () => {
  const store = await files.open(files.path());
  await store.write(adding(3));
  await store.write(function* goOn(tx) {
    const rows = [1, 2, 3, 4].map((number) => messageRow(KEY, number));
    try {
      yield* wait(tx.insertMessages(rows));
    } catch (error) {
      expect(error).toMatchObject({ code: "conflict" });
    }
    yield* adding(5)(tx);
    yield* wait(tx.insertBlobRefs([refRow(KEY, 5, "sha256-x"), refRow(KEY, 5, "sha256-x")]));
  });
  expect(await numbersIn(store)).toStrictEqual([3, 5]);
});

test("a transaction cannot be used after its end", async () => {
  const store = await files.open(files.path());
  let usedTransaction: LedgerTransaction | undefined;
  await store.write(function* storeTransaction(tx) {
    usedTransaction = tx;
    yield* adding(1)(tx);
  });
  expect(() => usedTransaction?.insertMessages([messageRow(KEY, 2)])).toThrow("after its end");
  expect(await numbersIn(store)).toStrictEqual([1]);
});

test("a transaction that could not be undone is undone before the next", async () => {
  let isBroken = true;
  const trace = (point: string): void => {
    if (isBroken && point === "before rollback") throw new Error("not now");
  };
  const store = await files.open(files.path(), { trace });
  const failing = store.write(function* fail(tx) {
    yield* adding(1)(tx);
    throw new Error("its own");
  });
  await expect(failing).rejects.toThrow("its own");
  // Also if the transaction could not begin.
  await expect(store.write(adding(2))).rejects.toThrow("not now");
  isBroken = false;
  expect(await store.write(adding(3))).toBe(3);
  expect(await numbersIn(store)).toStrictEqual([3]);
});

describe("a full disk", () => {
  /** A store whose file cannot grow beyond this many pages. */
  async function cramped(): Promise<{ store: LedgerStore; allow: (pages: number) => void }> {
    const options = { sync: "normal", busyMs: 1000 } as const;
    const connection = await connectToFile(files.path(), options);
    const store = new SqliteStore(connection, options);
    const allow = (pages: number): void => connection.executeText("limit", `PRAGMA max_page_count = ${pages}`);
    return { store, allow };
  }

  test("leaves nothing of the failed transaction, and writes succeed when there is space", async () => {
    const { store, allow } = await cramped();
    await store.write(adding(1));
    allow(1);
    const attempt = store.write(function* fill(tx) {
      yield* adding(2)(tx);
      yield* adding(3, "x".repeat(100_000))(tx);
    });
    await expect(attempt).rejects.toMatchObject({ name: "LedgerError", code: "disk-full", cause: expect.any(Error) });
    expect(await numbersIn(store)).toStrictEqual([1]);
    expect(await store.write(adding(4))).toBe(4);
    allow(1_000_000);
    expect(await store.write(adding(3, "x".repeat(100_000)))).toBe(3);
    expect(await numbersIn(store)).toStrictEqual([1, 3, 4]);
    await store.close();
  });

  test("fails the caller that needs the space, and not the others of its group", async () => {
    const { store, allow } = await cramped();
    await store.write(adding(1));
    allow(1);
    const [small, large, another] = await Promise.allSettled([
      store.write(adding(2)),
      store.write(adding(3, "x".repeat(100_000))),
      store.write(adding(4)),
    ]);
    expect([small.status, another.status]).toStrictEqual(["fulfilled", "fulfilled"]);
    expect(large).toMatchObject({ reason: { code: "disk-full" } });
    expect(await numbersIn(store)).toStrictEqual([1, 2, 4]);
    await store.close();
  });

  test("cannot be ignored by work that catches the error", async () => {
    const { store, allow } = await cramped();
    await store.write(adding(1));
    allow(1);
    const attempt = store.write(function* passOver(tx) {
      yield* adding(2)(tx);
      try {
        yield* adding(3, "x".repeat(100_000))(tx);
      } catch {
        // As if no error had occurred.
      }
    });
    await expect(attempt).rejects.toMatchObject({ code: "disk-full" });
    expect(await numbersIn(store)).toStrictEqual([1]);
    await store.close();
  });
});

describe("another process that writes", () => {
  test("is awaited while this process continues", async () => {
    const path = files.path();
    const store = await files.open(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 4) other.exec("COMMIT");
    }, 1);
    expect(await Promise.all([store.write(adding(1)), store.write(adding(2))])).toStrictEqual([1, 2]);
    clearInterval(timer);
    other.close();
  });

  test("for longer than the timeout is an error with nothing written, and later writes succeed", async () => {
    const path = files.path();
    const store = await files.open(path, { busyMs: 30 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const attempts = [store.write(adding(1)), store.write(adding(2))];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ name: "LedgerError", code: "busy" });
    await expect(store.vacuum()).rejects.toMatchObject({ code: "busy" });
    expect(await numbersIn(store)).toStrictEqual([]);
    other.exec("COMMIT");
    other.close();
    expect(await store.write(adding(3))).toBe(3);
    expect(await numbersIn(store)).toStrictEqual([3]);
  });

  test.each(["full", "normal"] as const)("at %s alternates with others, and no write is lost", async (sync) => {
    const path = files.path();
    const store = await files.open(path);
    await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
    const count = sync === "full" ? 60 : 300;
    const jobs = [1, 2].map(() => runInProcess({ do: "append", path, threadId: KEY.threadId, count, sync }));
    expect(await Promise.all(jobs)).toStrictEqual(jobs.map(() => ({ output: "done", signal: null })));
    expect(await numbersIn(store)).toStrictEqual(numbers(2 * count));
  });

  test.skipIf(process.platform !== "linux")(
    "is blocked by locks that another open in this process does not release",
    async () => {
      const path = files.path();
      const store = await files.open(path);
      await store.write(adding(1));
      const { ino } = statSync(path);
      const isLocked = (): boolean =>
        new RegExp(` ${process.pid} [^ ]*:${ino} `).test(readFileSync("/proc/locks", "utf8"));
      expect(isLocked()).toBe(true);
      await (await files.open(path)).close();
      expect(isLocked()).toBe(true);
      await store.close();
      expect(isLocked()).toBe(false);
    },
  );

  test("wakes the watchers of the thread", async () => {
    const path = files.path();
    const store = await files.open(path);
    await store.write((tx) => wait(tx.insertThread(threadRow(KEY))));
    const woken = Promise.withResolvers<void>();
    const end = store.watch(KEY, woken.resolve);
    const job = { do: "append", path, threadId: KEY.threadId, count: 1, sync: "normal" } as const;
    expect((await runInProcess(job)).output).toBe("done");
    await woken.promise;
    end();
    expect(await numbersIn(store)).toStrictEqual([1]);
  });
});

describe("close", () => {
  test("waits for earlier writes, and moves the log into the file", async () => {
    const path = files.path();
    const store = await files.open(path);
    const writes = numbers(20).map((number) => store.write(adding(number)));
    const closing = store.close();
    await expect(store.write(adding(21))).rejects.toMatchObject({ code: "closed" });
    await closing;
    expect(await Promise.all(writes)).toStrictEqual(numbers(20));
    expect([existsSync(`${path}-wal`), existsSync(`${path}-shm`)]).toStrictEqual([false, false]);
    expect(await numbersIn(await files.open(path))).toStrictEqual(numbers(20));
  });
});

test("vacuum returns the space of deleted rows to the disk", async () => {
  const path = files.path();
  const store = await files.open(path);
  await Promise.all(numbers(200).map((number) => store.write(adding(number, "x".repeat(5000)))));
  await store.vacuum();
  const before = statSync(path).size;
  expect(before).toBeGreaterThan(1_000_000);
  await store.write((tx) => wait(tx.deleteMessages(KEY, numbers(199).map(toTestId))));
  await store.vacuum();
  expect(statSync(path).size).toBeLessThan(before / 5);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(await numbersIn(store)).toStrictEqual([200]);
});
