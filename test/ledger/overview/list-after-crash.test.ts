// Tests lists of threads after crashes, with other writers and older programs, and the cost of a page.
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toIdPrefix } from "../../../src/ledger/ids.ts";
import { createLedger, openLedger } from "../../../src/ledger/open.ts";
import { openPostgres } from "../../../src/ledger/stores/postgres/index.ts";
import type { Ledger, ListedThread } from "../../../src/ledger/types.ts";
import { assistant, user } from "../../../src/model/index.ts";
import { freshSchema, inPostgres } from "../../support/postgres.ts";
import { commitAnswer, startDelta, usageDelta, doneDelta, FakeClock, textDelta } from "../support/runs.ts";
import { sqliteFiles } from "../support/sqlite.ts";
import { type OpenLedger, STORES, createView } from "../support/stores.ts";

const files = sqliteFiles();
const order = async (ledger: Ledger): Promise<string[]> =>
  (await ledger.listThreads({ order: "activity" })).threads.map(({ id }) => id);

describe.each(STORES)("$name", (store) => {
  test("a thread is listed although its writer died before writing its activity", async () => {
    const opened = await store.openOwn();
    const other = await opened.another();
    await opened.ledger.createThread({ id: "empty" });
    await opened.ledger.createThread({ id: "task", kind: "task" });
    expect((await order(other)).toSorted()).toStrictEqual(["empty", "task"]);
    expect(await other.listThreads({ order: "activity", kind: "task" })).toMatchObject({ threads: [{ id: "task" }] });
    await opened.close();
  });

  test("the activity of pending writes is recorded when a ledger closes", async () => {
    const opened = await store.openOwn();
    for (const id of ["a", "b"]) await opened.ledger.createThread({ id });
    const other = await opened.another();
    const written = opened.ledger.append("a", [user("Late.")]);
    await opened.ledger.close();
    await written;
    expect(await order(other)).toStrictEqual(["a", "b"]);
    await opened.close();
  });

  test("pages contain each thread once, even if some activity is not written yet", async () => {
    const clock = new FakeClock();
    const opened = await store.open({ clock: clock.now });
    const ledger = opened.ledger.forTenant("pages");
    for (let number = 0; number < 9; number++) await ledger.createThread({ id: `t${number}` });
    for (const number of [2, 7, 0, 7]) {
      clock.pass(1);
      await ledger.append(`t${number}`, [user("More.")]);
    }
    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const { threads, next } = await ledger.listThreads({ order: "activity", limit: 2, before });
      seen.push(...threads.map(({ id }) => id));
      if (next === null) break;
      before = next;
    }
    expect(seen).toStrictEqual(["t7", "t0", "t2", "t8", "t6", "t5", "t4", "t3", "t1"]);
    await opened.close();
  });

  test("while a run streams, a thread's time matches its position in the list", async () => {
    const clock = new FakeClock();
    const opened = await store.open({ flushMs: 0, clock: clock.now });
    const ledger = opened.ledger.forTenant("times");
    await ledger.createThread({ id: "streaming" });
    const run = await ledger.beginRun({ threadId: "streaming" });
    await run.append([startDelta]);
    const begun = new Date(clock.ms).toISOString();
    clock.pass(1000);
    await ledger.createThread({ id: "later" });
    const made = new Date(clock.ms).toISOString();
    clock.pass(1000);
    await run.append([textDelta("Well")]);
    const { threads } = await ledger.listThreads({ order: "activity", summary: true });
    expect(threads.map(({ id, summary }) => [id, summary?.updatedAt])).toStrictEqual([
      ["later", made],
      ["streaming", begun],
    ]);
    await run.cancel();
    await opened.close();
  });

  describe("summaries", () => {
    let opened: OpenLedger;
    beforeAll(async () => {
      opened = await store.open({ flushMs: 0 });
    });
    afterAll(() => opened.close());

    test("that continue from the cache equal those that are read again", async () => {
      const ledger = opened.ledger.forTenant("anew");
      const usage = { inputTokens: 3, outputTokens: 1, totalTokens: 4, cost: 0.5 };
      const listed = async (of: Ledger): Promise<ListedThread[]> =>
        (await of.listThreads({ order: "activity", summary: true })).threads;
      const compare = async (): Promise<ListedThread[]> => {
        const known = await listed(ledger);
        // Another view of the store has an empty cache.
        expect(known).toStrictEqual(await listed(createLedger(createView(opened.store), { tenant: "anew" })));
        return known;
      };
      await ledger.createThread({ id: "t" });
      await ledger.createThread({ id: "other" }, { messages: [assistant("Hello.")] });
      await compare();
      const [question] = await ledger.append("t", [user("Why?")]);
      await compare();
      for (let number = 0; number < 40; number++) {
        await ledger.record({
          threadId: "t",
          messages: [assistant("x")],
          usage,
          metadata: { model: `m${number % 3}` },
        });
        if (number % 19 === 0) await compare();
      }
      const run = await ledger.beginRun({ threadId: "t", metadata: { model: "live" } });
      await compare();
      await run.append([startDelta, textDelta("Because."), usageDelta(5, 1), doneDelta]);
      await run.commit();
      const [first] = await compare();
      expect(first?.summary).toMatchObject({ messages: 42, live: 0, usage: { totalTokens: 166, cost: 20 } });
      // Replaces everything after the question.
      await commitAnswer(ledger, { threadId: "t", forkFromMessageId: question?.id ?? "" }, "Therefore.");
      const [replaced] = await compare();
      expect(replaced?.summary?.usage).toMatchObject({ cost: 20 });
      await ledger.purge({ what: "replaced", threadId: "t" });
      const [purged] = await compare();
      expect(purged?.summary).toMatchObject({ messages: 2, preview: "Why?" });
      await ledger.purge({ what: "thread", threadId: "t" });
      await ledger.createThread({ id: "t" });
      expect((await compare())[0]?.summary).toMatchObject({ messages: 0, models: [], preview: "" });
    });

    test("requested by several callers at once are read once", async () => {
      const ledger = opened.ledger.forTenant("several");
      for (const id of ["a", "b"]) await ledger.createThread({ id }, { messages: [user("Hello.")] });
      const lists = await Promise.all([1, 2, 3].map(() => ledger.listThreads({ summary: true })));
      expect(lists[1]).toStrictEqual(lists[0]);
      expect(lists[2]).toStrictEqual(lists[0]);
    });
  });
});

describe("in a file", () => {
  test("a list waits for no writer and writes no rows", async () => {
    const path = files.path();
    const ledger = await openLedger(`sqlite:${path}`, { sync: "normal", busyMs: 20, indexMs: false });
    for (const id of ["a", "b"]) await ledger.createThread({ id });
    await ledger.append("a", [user("Hello.")]);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await order(ledger)).toStrictEqual(["a", "b"]);
    other.exec("ROLLBACK");
    other.close();
    await ledger.close();
  });

  test("a thread that another process deletes leaves no row in the table of activities", async () => {
    const path = files.path();
    const options = { sync: "normal", indexMs: false } as const;
    const [own, other] = [await openLedger(`sqlite:${path}`, options), await openLedger(`sqlite:${path}`, options)];
    await own.createThread({ id: "t" }, { messages: [user("Hello.")] });
    await other.purge({ what: "thread", threadId: "t" });
    await own.close();
    await other.close();
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT count(*) AS n FROM activity").get()).toMatchObject({ n: 0 });
    database.close();
  });

  test("a thread written by an older program is listed", async () => {
    const path = files.path();
    const ledger = await openLedger(`sqlite:${path}`, { sync: "normal" });
    const database = new DatabaseSync(path);
    database.exec(INSERT_THREAD);
    database.close();
    await ledger.createThread({ id: "own" });
    await expectListed(ledger);
    await ledger.close();
  });
});

const FOREIGN = "2026-01-02T03:04:05.678Z";

/** As an older program writes a thread, which does not know the activity table. */
const INSERT_THREAD = `INSERT INTO threads (tenant, id, created_at, pinned, kind)
  VALUES ('default', 'foreign', '${FOREIGN}', 0, 'task'), ('default', 'timeless', 'long ago', 0, NULL)`;

async function expectListed(ledger: Ledger): Promise<void> {
  const { threads } = await ledger.listThreads({ order: "activity", summary: true });
  expect(threads.map(({ id, summary }) => [id, summary?.updatedAt])).toStrictEqual([
    ["own", expect.any(String)],
    ["foreign", FOREIGN],
    ["timeless", "long ago"],
  ]);
  const ofKind = await ledger.listThreads({ order: "activity", kind: "task", limit: 1 });
  // The id prefix of its creation time.
  expect([ofKind.threads[0]?.id, ofKind.next]).toStrictEqual(["foreign", `${toIdPrefix(Date.parse(FOREIGN))}.foreign`]);
}

describe("on a server", () => {
  let schema: Awaited<ReturnType<typeof freshSchema>>;
  const sent: string[] = [];
  let ledger: Ledger;
  beforeAll(async () => {
    schema = await freshSchema();
    const trace = (point: string): void => void (point.startsWith("before ") && sent.push(point.slice(7)));
    const options = { schema: schema.schema, connections: 4, busyMs: 10_000, trace };
    ledger = createLedger(await openPostgres(schema.url, options), { indexMs: false });
  });
  afterAll(async () => {
    await ledger.close();
    await schema.drop();
  });

  test("a thread written by an older program is listed", async () => {
    await inPostgres(schema.url, async (client) => {
      await client.query(`SET search_path = ${schema.schema}`);
      await client.query(INSERT_THREAD);
    });
    await ledger.createThread({ id: "own" });
    await expectListed(ledger);
  });

  test("a page of fifty threads with summaries needs a few statements, and fewer the next time", async () => {
    const tenant = ledger.forTenant("fifty");
    for (let number = 0; number < 50; number++) {
      const { id: threadId } = await tenant.createThread({}, { messages: [user("Hello.")] });
      await tenant.record({ threadId, messages: [assistant("Hi.")], metadata: { model: "m" } });
    }
    const page = async (): Promise<number> => {
      sent.length = 0;
      const { threads } = await tenant.listThreads({ order: "activity", summary: true });
      expect(threads).toHaveLength(50);
      const read = sent.filter((name) => !/begin|commit|raise|insert|change|notify/.test(name));
      return read.length;
    };
    expect(await page()).toBeLessThanOrEqual(8);
    expect(await page()).toBeLessThanOrEqual(3);
  });
});
