// Tests the activity writer: retried after failures, repaired after a crash, and old changes deleted once other
// processes had time to read them.
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { openLedger } from "../../../src/ledger/open.ts";
import { runSync, type Steps } from "../../../src/ledger/store/steps.ts";
import { ActivityWriter } from "../../../src/ledger/stores/sql/activity-writer.ts";
import { ChangeReader } from "../../../src/ledger/stores/sql/change-reader.ts";
import type { SqlRow, SqlSession, SqlValue, Statement } from "../../../src/ledger/stores/sql/engine.ts";
import { TransactionWrites } from "../../../src/ledger/stores/sql/pending-activity.ts";
import { Statements } from "../../../src/ledger/stores/sql/statements.ts";
import { SQLITE } from "../../../src/ledger/stores/sqlite/sql-flavor.ts";
import { user } from "../../../src/model/index.ts";
import { sqliteFiles } from "../support/sqlite.ts";

const files = sqliteFiles();
const statements = new Statements(SQLITE);

const NAME = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A database that records its statements and may fail. */
class RecordingDatabase {
  readonly sent: string[] = [];
  readonly written: string[] = [];
  rows: SqlRow[] = [];
  /** The number of changes that others have written. */
  numbers = 0;
  refusal: LedgerError | undefined;
  wake: () => void = () => undefined;

  readonly session: SqlSession = {
    all: ({ name }: Statement) => {
      if (name === "behind") return [];
      return name === "last-change" ? [[this.numbers + this.sent.length]] : this.rows;
    },
    run: ({ name }, values) => this.#send(name, values),
    insert: ({ table }, rows) => rows.map((row) => this.#send(table, row)).length,
  };

  #send(name: string, values: readonly SqlValue[]): number {
    // Without the process id, which is random.
    return this.sent.push(`${name} ${values.filter((value) => !NAME.test(String(value))).join(" ")}`);
  }

  readonly parts = {
    statements,
    session: this.session,
    transact: async (work: (session: SqlSession) => Steps<void>): Promise<void> => {
      if (this.refusal !== undefined) throw this.refusal;
      runSync(work(this.session));
    },
    watch: (_: string, wake: () => void) => {
      this.wake = wake;
      return () => undefined;
    },
    outdatedActivity: { name: "behind", sql: "" },
    onWritten: (tenants: Iterable<string>) => void this.written.push(...tenants),
  };
}

function touched(...list: Parameters<TransactionWrites["add"]>[]): TransactionWrites {
  const touches = new TransactionWrites();
  for (const each of list) touches.add(...each);
  return touches;
}

describe("the activity writer", () => {
  afterEach(() => void vi.useRealTimers());

  test("many writes to a thread become one row, shortly after", async () => {
    vi.useFakeTimers();
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    activity.onCommit(touched(["a", "t", "created", "0A"], ["a", "t", "activity", "0B"], ["a", "t", "activity", "0C"]));
    activity.onCommit(touched(["a", "t", "selected"], ["b", "u", "activity", "0D"]));
    expect(database.sent).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(database.sent).toStrictEqual([
      'raise-activity [["a","t","0C"],["b","u","0D"]]',
      "thread_changes a t created activity selected",
      "thread_changes b u activity",
    ]);
    expect(database.written).toStrictEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(database.sent).toHaveLength(3);
  });

  test("writes failed activity later, together with newer activity", async () => {
    vi.useFakeTimers();
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    database.refusal = new LedgerError("busy", "Somebody is in the way.");
    activity.onCommit(touched(["a", "t", "activity", "0A"]));
    await vi.advanceTimersByTimeAsync(200);
    activity.onCommit(touched(["a", "t", "updated"]));
    database.refusal = undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect(database.sent).toStrictEqual(['raise-activity [["a","t","0A"]]', "thread_changes a t activity updated"]);
  });

  test("pending activity is in a list, which writes no rows", async () => {
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    activity.onCommit(touched(["a", "t", "activity", "0B"], ["b", "u", "activity", "0C"]));
    database.refusal = new LedgerError("busy", "Somebody is in the way.");
    // As in the table.
    database.rows = [["a", "t", null, null, null, null, "2026-01-01T00:00:00.000Z", 0, null, "0A"]];
    expect(await activity.threads("a", { limit: 1 })).toMatchObject([{ id: "t", lastActivity: "0B" }]);
    expect(database.sent).toStrictEqual([]);
    await activity.close();
  });

  test("the first write deletes changes left by dead processes", async () => {
    const database = new RecordingDatabase();
    database.numbers = 25_000;
    const activity = new ActivityWriter(database.parts);
    for (let time = 0; time < 2; time++) {
      activity.onCommit(touched(["a", "t", "updated"]));
      await activity.flush();
    }
    expect(database.sent.filter((each) => each.startsWith("delete"))).toStrictEqual(["delete-old-changes 15001"]);
  });

  test("the last change of a thread is its last row", async () => {
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    activity.onCommit(touched(["a", "t", "created", "0A"], ["a", "t", "deleted"], ["a", "t", "created", "0B"]));
    await activity.close();
    expect(database.sent.at(-1)).toBe("thread_changes a t deleted created");
  });

  test("deletes changes that all processes had time to read", async () => {
    vi.useFakeTimers();
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    for (const wait of [0, 10_000, 25_000, 1000]) {
      await vi.advanceTimersByTimeAsync(wait);
      activity.onCommit(touched(["a", "t", "updated"]));
      await activity.flush();
    }
    // The first two changes are older than half a minute at the third; row numbers count the sent changes.
    expect(database.sent.filter((each) => each.startsWith("delete"))).toStrictEqual(["delete-old-changes 1"]);
  });

  test("a deleted thread gets no activity row", async () => {
    const database = new RecordingDatabase();
    const activity = new ActivityWriter(database.parts);
    activity.onCommit(touched(["a", "t", "activity", "0A"], ["a", "t", "deleted"]));
    await activity.close();
    expect(database.sent).toStrictEqual(["thread_changes a t activity deleted"]);
  });
});

describe("a change of another process", () => {
  test("is reported once, also if a smaller number becomes visible later; earlier changes are not reported", async () => {
    const database = new RecordingDatabase();
    const reader = new ChangeReader(database.parts, "self");
    database.rows = [[1, "t", "created"]];
    const received: string[] = [];
    const end = await reader.watch("a", (changes) =>
      received.push(...changes.map((it) => `${it.change} ${it.threadId}`)),
    );
    const look = async (...rows: SqlRow[]): Promise<void> => {
      database.rows = [[1, "t", "created"], ...rows];
      database.wake();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await look([3, "u", "created activity"]);
    expect(received).toStrictEqual(["created u", "activity u"]);
    await look([2, "v", "updated"], [3, "u", "created activity"]);
    await look([2, "v", "updated"], [3, "u", "created activity"]);
    expect(received).toStrictEqual(["created u", "activity u", "updated v"]);
    end();
    await look([4, "w", "deleted"]);
    expect(received).toHaveLength(3);
  });
});

/** Writes a message and an entry like a process that died before it wrote activity. */
function leaveBehind(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO messages (tenant, thread_id, id, parent_id, run_id, role, digest, body)
      SELECT tenant, thread_id, '7ZZZZZZZZZZZZZZZZZZZZZZZZX', id, NULL, role, digest, replace(body, 'Hello', 'Goodbye')
      FROM messages WHERE thread_id = 'a';
    INSERT INTO log (tenant, thread_id, id, run_id, kind, body)
      VALUES ('default', 'c', '7ZZZZZZZZZZZZZZZZZZZZZZZZY', '', 'entry', '{}')`);
  database.close();
}

test("the next store writes the missing activity of a dead process", async () => {
  const path = files.path();
  const options = { sync: "normal", indexMs: false } as const;
  const before = await openLedger(`sqlite:${path}`, options);
  for (const id of ["a", "c", "b"]) await before.createThread({ id }, { messages: [user("Hello.")] });
  await before.close();
  leaveBehind(path);
  const ledger = await openLedger(`sqlite:${path}`, options);
  const { threads } = await ledger.listThreads({ order: "activity" });
  expect(threads.map(({ id }) => id)).toStrictEqual(["c", "a", "b"]);
  await ledger.close();
});

test("indexing the messages of a thread writes the missing activity of a dead process", async () => {
  const path = files.path();
  const ledger = await openLedger(`sqlite:${path}`, { sync: "normal", indexMs: false });
  for (const id of ["a", "b"]) await ledger.createThread({ id }, { messages: [user("Hello.")] });
  const order = async (): Promise<string[]> =>
    (await ledger.listThreads({ order: "activity" })).threads.map(({ id }) => id);
  expect(await order()).toStrictEqual(["b", "a"]);
  // The message without its activity.
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO messages (tenant, thread_id, id, parent_id, run_id, role, digest, body)
    SELECT tenant, thread_id, '7ZZZZZZZZZZZZZZZZZZZZZZZZY', id, NULL, role, digest, replace(body, 'Hello', 'Goodbye')
    FROM messages WHERE thread_id = 'a'`);
  database.close();
  expect(await order()).toStrictEqual(["b", "a"]);
  expect(await ledger.search("goodbye")).toHaveLength(1);
  expect(await order()).toStrictEqual(["a", "b"]);
  await ledger.close();
});
