// What happens to threads, written behind: retried where it cannot be written, made up for after a crash, and forgotten
// by those for whom it was written once they had the time to read it.
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import { openLedger } from "../../src/ledger/open.ts";
import { runNow, type Steps } from "../../src/ledger/steps.ts";
import { Activity } from "../../src/ledger/stores/sql/activity.ts";
import { ChangeReader } from "../../src/ledger/stores/sql/change-reader.ts";
import type { SqlRow, SqlSession, SqlValue, Statement } from "../../src/ledger/stores/sql/engine.ts";
import { Touches } from "../../src/ledger/stores/sql/notes.ts";
import { Statements } from "../../src/ledger/stores/sql/statements.ts";
import { SQLITE } from "../../src/ledger/stores/sqlite/flavour.ts";
import { user } from "../../src/model/index.ts";
import { sqliteFiles } from "./support/sqlite.ts";

const files = sqliteFiles();
const statements = new Statements(SQLITE);

const NAME = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A database that remembers what it was told, and may refuse. */
class Told {
  readonly sent: string[] = [];
  readonly wrote: string[] = [];
  rows: SqlRow[] = [];
  /** How many changes others have written. */
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
    // Without the process's own name, which is another every time.
    return this.sent.push(`${name} ${values.filter((value) => !NAME.test(String(value))).join(" ")}`);
  }

  readonly parts = {
    statements,
    session: this.session,
    transact: async (work: (session: SqlSession) => Steps<void>): Promise<void> => {
      if (this.refusal !== undefined) throw this.refusal;
      runNow(work(this.session));
    },
    watch: (_: string, wake: () => void) => {
      this.wake = wake;
      return () => undefined;
    },
    behind: { name: "behind", sql: "" },
    wrote: (tenants: Iterable<string>) => void this.wrote.push(...tenants),
  };
}

function touched(...list: Parameters<Touches["add"]>[]): Touches {
  const touches = new Touches();
  for (const each of list) touches.add(...each);
  return touches;
}

describe("what is written behind", () => {
  afterEach(() => void vi.useRealTimers());

  test("many writes to a thread are one row, a moment later", async () => {
    vi.useFakeTimers();
    const told = new Told();
    const activity = new Activity(told.parts);
    activity.committed(
      touched(["a", "t", "created", "0A"], ["a", "t", "activity", "0B"], ["a", "t", "activity", "0C"]),
    );
    activity.committed(touched(["a", "t", "selected"], ["b", "u", "activity", "0D"]));
    expect(told.sent).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(told.sent).toStrictEqual([
      'raise-activity [["a","t","0C"],["b","u","0D"]]',
      "thread_changes a t created activity selected",
      "thread_changes b u activity",
    ]);
    expect(told.wrote).toStrictEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.sent).toHaveLength(3);
  });

  test("what cannot be written is written later, with what came meanwhile", async () => {
    vi.useFakeTimers();
    const told = new Told();
    const activity = new Activity(told.parts);
    told.refusal = new LedgerError("busy", "Somebody is in the way.");
    activity.committed(touched(["a", "t", "activity", "0A"]));
    await vi.advanceTimersByTimeAsync(200);
    activity.committed(touched(["a", "t", "updated"]));
    told.refusal = undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect(told.sent).toStrictEqual(['raise-activity [["a","t","0A"]]', "thread_changes a t activity updated"]);
  });

  test("what is not written yet is in a list, which writes nothing", async () => {
    const told = new Told();
    const activity = new Activity(told.parts);
    activity.committed(touched(["a", "t", "activity", "0B"], ["b", "u", "activity", "0C"]));
    told.refusal = new LedgerError("busy", "Somebody is in the way.");
    // As the table has it.
    told.rows = [["a", "t", null, null, null, null, "2026-01-01T00:00:00.000Z", 0, null, "0A"]];
    expect(await activity.threads("a", { limit: 1 })).toMatchObject([{ id: "t", lastActivity: "0B" }]);
    expect(told.sent).toStrictEqual([]);
    await activity.close();
  });

  test("what processes that are gone have left is forgotten with the first that is written", async () => {
    const told = new Told();
    told.numbers = 25_000;
    const activity = new Activity(told.parts);
    for (let time = 0; time < 2; time++) {
      activity.committed(touched(["a", "t", "updated"]));
      await activity.flush();
    }
    expect(told.sent.filter((each) => each.startsWith("delete"))).toStrictEqual(["delete-old-changes 15001"]);
  });

  test("the last word on a thread stands last", async () => {
    const told = new Told();
    const activity = new Activity(told.parts);
    activity.committed(touched(["a", "t", "created", "0A"], ["a", "t", "deleted"], ["a", "t", "created", "0B"]));
    await activity.close();
    expect(told.sent.at(-1)).toBe("thread_changes a t deleted created");
  });

  test("what everybody had the time to read is forgotten", async () => {
    vi.useFakeTimers();
    const told = new Told();
    const activity = new Activity(told.parts);
    for (const wait of [0, 10_000, 25_000, 1000]) {
      await vi.advanceTimersByTimeAsync(wait);
      activity.committed(touched(["a", "t", "updated"]));
      await activity.flush();
    }
    // The first two are older than half a minute by the third; the numbers of rows are those of what was sent.
    expect(told.sent.filter((each) => each.startsWith("delete"))).toStrictEqual(["delete-old-changes 1"]);
  });

  test("a thread that is deleted is not written as one in which something happened", async () => {
    const told = new Told();
    const activity = new Activity(told.parts);
    activity.committed(touched(["a", "t", "activity", "0A"], ["a", "t", "deleted"]));
    await activity.close();
    expect(told.sent).toStrictEqual(["thread_changes a t activity deleted"]);
  });
});

describe("what other processes wrote", () => {
  test("is told once, also where a smaller number comes later; what was there before is not", async () => {
    const told = new Told();
    const reader = new ChangeReader(told.parts, "self");
    told.rows = [[1, "t", "created"]];
    const heard: string[] = [];
    const end = await reader.watch("a", (changes) => heard.push(...changes.map((it) => `${it.change} ${it.threadId}`)));
    const look = async (...rows: SqlRow[]): Promise<void> => {
      told.rows = [[1, "t", "created"], ...rows];
      told.wake();
      await new Promise((resolve) => setImmediate(resolve));
    };
    await look([3, "u", "created activity"]);
    expect(heard).toStrictEqual(["created u", "activity u"]);
    await look([2, "v", "updated"], [3, "u", "created activity"]);
    await look([2, "v", "updated"], [3, "u", "created activity"]);
    expect(heard).toStrictEqual(["created u", "activity u", "updated v"]);
    end();
    await look([4, "w", "deleted"]);
    expect(heard).toHaveLength(3);
  });
});

/** As a process leaves a file that wrote a message and an entry, and died before it wrote anything behind. */
function leaveBehind(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO messages (tenant, thread_id, id, parent_id, run_id, role, digest, body)
      SELECT tenant, thread_id, '7ZZZZZZZZZZZZZZZZZZZZZZZZX', id, NULL, role, digest, replace(body, 'Hello', 'Goodbye')
      FROM messages WHERE thread_id = 'a';
    INSERT INTO log (tenant, thread_id, id, run_id, kind, body)
      VALUES ('default', 'c', '7ZZZZZZZZZZZZZZZZZZZZZZZZY', '', 'entry', '{}')`);
  database.close();
}

test("what a process that died had not written is made up for by the next that is opened", async () => {
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

test("what a process that died had not written of a thread is made up for when its messages are indexed", async () => {
  const path = files.path();
  const ledger = await openLedger(`sqlite:${path}`, { sync: "normal", indexMs: false });
  for (const id of ["a", "b"]) await ledger.createThread({ id }, { messages: [user("Hello.")] });
  const order = async (): Promise<string[]> =>
    (await ledger.listThreads({ order: "activity" })).threads.map(({ id }) => id);
  expect(await order()).toStrictEqual(["b", "a"]);
  // As the process left it: the message, and nothing behind it.
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
