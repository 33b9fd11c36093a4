// Tests following threads and runs: replay, then live, from any cursor, each event once and in order.
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { formatCursor, parseCursor } from "../../../src/ledger/follow/cursor.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { LedgerReads } from "../../../src/ledger/store/contract.ts";
import type { Ledger, LedgerEvent, LedgerProblem } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import { requireError } from "../../support/require-error.ts";
import {
  commitAnswer,
  startDelta,
  doneDelta,
  readEventsUpToNow,
  FaultyStore,
  textDelta,
  describeEvent,
  takeEvents,
  splitList,
} from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";

describe("a cursor", () => {
  test.each([
    [ID, { id: ID }],
    [`${ID}.0`, { id: ID, delta: 0 }],
    [`${ID}.255`, { id: ID, delta: 255 }],
  ])("%s is read and written", (text, cursor) => {
    expect(parseCursor(text)).toStrictEqual(cursor);
    expect(formatCursor(cursor)).toBe(text);
  });

  test.each([
    "",
    "x",
    "NOW",
    ID.toLowerCase(),
    `${ID}.`,
    `${ID}.01`,
    `${ID}.-1`,
    `${ID}.1.2`,
    `${ID} `,
    `${ID}I`,
    7,
    null,
  ])("that no ledger created is rejected: %j", (text) => {
    expect(requireError(LedgerError, () => parseCursor(text))).toMatchObject({ code: "cursor-invalid", path: "after" });
  });
});

describe.each(STORES)("$name", (store) => {
  const problems: LedgerProblem[] = [];
  const options = { flushMs: 0, onProblem: (problem: LedgerProblem) => problems.push(problem) };
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    problems.length = 0;
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  test("a cursor is checked against the thread with `rejectUnknownCursor`", async () => {
    await ledger.append(threadId, [user("q")]);
    await commitAnswer(ledger, { threadId }, "a", "b");
    await ledger.log(threadId, [{ n: 1 }]);
    const seen = await readEventsUpToNow(ledger, threadId);
    const { id: other } = await ledger.createThread();
    await ledger.append(other, [user("elsewhere")]);
    const [alien] = await readEventsUpToNow(ledger, other);
    const checked = (after: string | undefined, known: boolean): Promise<LedgerEvent[]> =>
      all(ledger.follow({ threadId, after, rejectUnknownCursor: known, gaps: "skip", signal: AbortSignal.abort() }));
    for (const { cursor } of seen) expect(await checked(cursor, true)).toStrictEqual([]);
    expect(await checked(alien?.cursor, false)).toStrictEqual([]);
    await expect(checked(alien?.cursor, true)).rejects.toMatchObject({ code: "cursor-invalid", path: "after" });
    // Ids of one millisecond differ only in their last characters, so the neighbor of a known cursor is unknown, too.
    const id = seen.at(-1)?.cursor ?? "";
    const neighbor = id.slice(0, -1) + (id.endsWith("Z") ? "0" : "Z");
    await expect(checked(neighbor, true)).rejects.toMatchObject({ code: "cursor-invalid", path: "after" });
  });

  const textOfEvent = (events: readonly LedgerEvent[]): string[] => events.map(describeEvent);
  const all = async (events: AsyncIterable<LedgerEvent>): Promise<LedgerEvent[]> => {
    const read: LedgerEvent[] = [];
    for await (const event of events) read.push(event);
    return read;
  };

  /** A thread with events of every kind. */
  const lively = async (): Promise<{ runId: string; failedId: string }> => {
    await ledger.append(threadId, [user("q")]);
    const { id: runId } = await commitAnswer(ledger, { threadId }, "a", "b");
    const run = await ledger.beginRun({ threadId, forkFromMessageId: null });
    await run.append([startDelta, textDelta("half")]);
    await ledger.append(threadId, [user("meanwhile")]);
    await run.fail("why");
    return { runId, failedId: run.id };
  };
  const LIVELY = [
    "message q",
    ...splitList("run created, run streaming, delta start, delta a, delta b, delta done, message ab, run committed"),
    ...splitList("run created, run streaming, delta start, delta half, message meanwhile, message half, run failed"),
  ];

  test("from the beginning yields all events in the order of their writes", async () => {
    await lively();
    const events = await readEventsUpToNow(ledger, threadId);
    expect(textOfEvent(events)).toStrictEqual(LIVELY);
    expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length);
  });

  test("B96: from the cursor of any event yields exactly the following events", async () => {
    await lively();
    const events = await readEventsUpToNow(ledger, threadId);
    const other = await opened.another(options);
    for (const [index, { cursor }] of events.entries()) {
      const rest = await takeEvents(other.follow({ threadId, after: cursor }), events.length - 1 - index);
      expect(rest).toStrictEqual(events.slice(index + 1));
    }
    await other.close();
  });

  test("continues with later writes of any process", async () => {
    const other = await opened.another(options);
    const reader = other.follow({ threadId });
    const reading = takeEvents(reader, 9);
    await ledger.append(threadId, [user("q")]);
    await commitAnswer(ledger, { threadId }, "a", "b");
    expect(textOfEvent(await reading)).toStrictEqual(LIVELY.slice(0, 9));
    await reader.return?.();
    await other.close();
  });

  test('from "now" yields the events after the call', async () => {
    await ledger.append(threadId, [user("before")]);
    const reader = ledger.follow({ threadId, after: "now" });
    // An asynchronous store must receive the call first.
    await ledger.thread(threadId);
    await ledger.append(threadId, [user("after")]);
    expect(textOfEvent(await takeEvents(reader, 1))).toStrictEqual(["message after"]);
    await reader.return?.();
  });

  test("contains the state of a run at each of its events", async () => {
    const { runId, failedId } = await lively();
    await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "c");
    const runs = (await readEventsUpToNow(ledger, threadId)).flatMap((event) =>
      event.type === "run" ? [event.run] : [],
    );
    const of = (id: string): unknown[] => runs.filter((run) => run.id === id).map(({ state }) => state);
    expect(of(runId)).toStrictEqual(["created", "streaming", "committed", "superseded"]);
    expect(of(failedId)).toStrictEqual(["created", "streaming", "failed"]);
    expect(runs.findLast(({ id }) => id === runId)).toStrictEqual(await ledger.run(runId));
    expect(runs.find(({ id }) => id === failedId)).not.toHaveProperty("error");
    expect(runs.findLast(({ id }) => id === failedId)).toMatchObject({
      error: { message: "why" },
      forkFromMessageId: null,
    });
  });

  describe("a run", () => {
    test("yields that run's events only, and ends with it", async () => {
      const { runId, failedId } = await lively();
      expect(textOfEvent(await all(ledger.follow({ threadId, runId })))).toStrictEqual(LIVELY.slice(1, 9));
      expect(textOfEvent(await all(ledger.follow({ threadId, runId: failedId })))).toStrictEqual(
        splitList("run created, run streaming, delta start, delta half, message half, run failed"),
      );
    });

    test("from any of its cursors ends with it, at once if it has ended", async () => {
      const { runId } = await lively();
      const events = await all(ledger.follow({ threadId, runId }));
      for (const [index, { cursor }] of events.entries()) {
        expect(await all(ledger.follow({ threadId, runId, after: cursor }))).toStrictEqual(events.slice(index + 1));
      }
      await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "replaced");
      expect(await all(ledger.follow({ threadId, runId, after: events.at(-1)?.cursor ?? "" }))).toStrictEqual([]);
      expect(await all(ledger.follow({ threadId, runId, after: "now" }))).toStrictEqual([]);
    });

    test("that is live is followed to its end", async () => {
      const run = await ledger.beginRun({ threadId });
      const reading = all(ledger.follow({ threadId, runId: run.id }));
      await turn();
      await run.append([startDelta, textDelta("a")]);
      await ledger.append(threadId, [user("not of the run")]);
      await turn();
      await run.append([doneDelta]);
      await run.commit();
      expect(textOfEvent(await reading)).toStrictEqual(
        splitList("run created, run streaming, delta start, delta a, delta done, message a, run committed"),
      );
    });

    test("that is unknown, or of another thread or tenant, is rejected", async () => {
      const { id: elsewhere } = await ledger.createThread();
      const { id } = await ledger.beginRun({ threadId: elsewhere });
      for (const runId of [ID, id]) {
        await expect(ledger.follow({ threadId, runId }).next()).rejects.toMatchObject({ code: "unknown-run" });
      }
      const foreign = ledger.forTenant("other").follow({ threadId: elsewhere });
      await expect(foreign.next()).rejects.toMatchObject({ code: "unknown-thread" });
    });
  });

  describe("ends without an error", () => {
    test("at an abort: before it begins, while it waits, and between two events", async () => {
      await lively();
      const early = ledger.follow({ threadId, signal: AbortSignal.abort() });
      expect(await early.next()).toStrictEqual({ done: true, value: undefined });
      const waiting = new AbortController();
      const pending = ledger.follow({ threadId, after: "now", signal: waiting.signal }).next();
      await turn();
      waiting.abort();
      expect(await pending).toStrictEqual({ done: true, value: undefined });
      const between = new AbortController();
      const reader = ledger.follow({ threadId, signal: between.signal });
      await takeEvents(reader, 5);
      between.abort();
      expect(await reader.next()).toStrictEqual({ done: true, value: undefined });
    });

    test("at return(), also during a pending read", async () => {
      const reader = ledger.follow({ threadId });
      const pending = reader.next();
      await turn();
      await reader.return?.();
      expect(await pending).toStrictEqual({ done: true, value: undefined });
      expect(await reader.next()).toStrictEqual({ done: true, value: undefined });
    });
  });

  test.each([
    ["an unknown thread", { threadId: "none" }, "unknown-thread"],
    ['an unknown thread from "now"', { threadId: "none", after: "now" }, "unknown-thread"],
  ])("of %s is rejected at the first event", async (_, options, code) => {
    await expect(ledger.follow(options).next()).rejects.toMatchObject({ code });
  });

  test("with an invalid cursor is rejected at once", () => {
    expect(requireError(LedgerError, () => ledger.follow({ threadId, after: "later" })).code).toBe("cursor-invalid");
  });

  test("reads no more rows than requested", async () => {
    for (let count = 0; count < 10; count++) {
      await ledger.append(
        threadId,
        Array.from({ length: 30 }, (_, index) => user(`${count}.${index}`)),
      );
      await commitAnswer(ledger, { threadId }, "x");
    }
    const read: number[] = [];
    const counting = new FaultyStore(opened.store);
    const own = createLedger(Object.assign(counting, { reads: countingReads(counting.reads, read) }), options);
    const reader = own.follow({ threadId });
    await takeEvents(reader, 1);
    const first = [...read];
    expect(Math.max(...first)).toBeLessThanOrEqual(64);
    await takeEvents(reader, 10);
    expect(read).toStrictEqual(first);
    await takeEvents(reader, 300);
    expect(read.length).toBeGreaterThan(first.length);
    expect(Math.max(...read)).toBeLessThanOrEqual(64);
    await reader.return?.();
  });

  test("long histories are complete, in any mixture of messages and deltas", async () => {
    const expected: string[] = [];
    for (let round = 0; round < 4; round++) {
      const count = [1, 150, 3, 70][round] ?? 0;
      await ledger.append(
        threadId,
        Array.from({ length: count }, (_, index) => user(`${round}.${index}`)),
      );
      for (let index = 0; index < count; index++) expected.push(`message ${round}.${index}`);
      const run = await ledger.beginRun({ threadId });
      expected.push("run created", "run streaming", "delta start");
      await run.append([startDelta]);
      const rows = [150, 1, 70, 3][round] ?? 0;
      for (let index = 0; index < rows; index++) await run.append([textDelta(`${index} `)]);
      for (let index = 0; index < rows; index++) expected.push(`delta ${index} `);
      await run.cancel();
      expected.push(`message ${Array.from({ length: rows }, (_, index) => `${index} `).join("")}`, "run cancelled");
    }
    expect(textOfEvent(await readEventsUpToNow(ledger, threadId))).toStrictEqual(expected);
  });

  test("B91: unreadable records are skipped and reported, and all other events are delivered", async () => {
    await ledger.append(threadId, [user("a"), user("b"), user("c")]);
    await commitAnswer(ledger, { threadId }, "d");
    const key = { tenant: ledger.tenant, threadId };
    const rows = await opened.store.reads.messages(key, { limit: 2 });
    const log = await opened.store.reads.log(key, { limit: 3 });
    const [damaged, deltas] = [rows[1], log[2]];
    if (damaged === undefined || deltas === undefined) throw new Error("There are no rows.");
    await opened.store.write(function* damage(tx) {
      yield* wait(tx.deleteMessages(key, [damaged.id]));
      yield* wait(tx.insertMessages([{ ...damaged, body: '{"role":' }]));
      yield* wait(tx.deleteDeltas(key, deltas.runId));
      yield* wait(tx.insertLog([{ ...deltas, body: "[0," }]));
    });
    expect(textOfEvent(await readEventsUpToNow(ledger, threadId))).toStrictEqual(
      splitList("message a, message c, run created, run streaming, message d, run committed"),
    );
    expect(problems.map(({ messageId }) => messageId).sort()).toStrictEqual([damaged.id, deltas.id].sort());
  });

  test('a closed ledger ends its readers with a "closed" error', async () => {
    const own = await opened.another(options);
    await ledger.append(threadId, [user("x")]);
    const reader = own.follow({ threadId });
    await takeEvents(reader, 1);
    await own.close();
    // A memory store is shared by all of its ledgers, and stays open for the others.
    if (store.name !== "memory") await expect(reader.next()).rejects.toMatchObject({ code: "closed" });
    else await reader.return?.();
  });
});

/** Records the number of rows of each read. */
function countingReads(reads: LedgerReads, read: number[]): LedgerReads {
  return new Proxy(reads, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args);
        if (name !== "messages" && name !== "log") return result;
        void Promise.resolve(result).then((rows) => read.push((rows as unknown[]).length));
        return result;
      };
    },
  });
}
