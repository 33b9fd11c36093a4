// Tests compaction: the deltas of finished runs are deleted after a while; their messages, states and results stay.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import type { Ledger, LedgerEvent } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import {
  commitAnswer,
  createAnswer,
  startDelta,
  doneDelta,
  readEventsUpToNow,
  FakeClock,
  FaultyStore,
  textDelta,
  describeEvent,
  takeEvents,
  splitList,
} from "../support/runs.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const RETENTION = 60_000;

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  const options = { clock: clock.now, leaseMs: 10 * RETENTION, flushMs: 0, deltaRetentionMs: RETENTION };
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    clock.pass(2 * RETENTION);
    await ledger.compact();
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  const describeAll = (events: readonly LedgerEvent[]): string[] => events.map(describeEvent);
  const cursorOf = (events: readonly LedgerEvent[], eventText: string): string => {
    const followed = events.find((event) => describeEvent(event) === eventText);
    if (followed === undefined) throw new Error(`No event is ${eventText}.`);
    return followed.cursor;
  };

  test("compaction deletes the deltas of runs that ended long enough ago, and nothing else", async () => {
    const { id, messages } = await commitAnswer(ledger, { threadId }, "a", "b");
    const live = await ledger.beginRun({ threadId });
    await live.append([startDelta, textDelta("live")]);
    clock.pass(RETENTION);
    const recent = await ledger.beginRun({ threadId, mode: "branch" });
    await recent.append(createAnswer("recent"));
    await recent.cancel();
    expect(await ledger.compact()).toBe(0);
    clock.pass(1);
    expect(await ledger.compact()).toBe(1);
    expect(await ledger.compact()).toBe(0);
    expect(describeAll(await readEventsUpToNow(ledger, threadId))).toStrictEqual([
      "run created",
      "run streaming",
      "message ab",
      "run committed",
      ...splitList("run created, run streaming, delta start, delta live"),
      ...splitList("run created, run streaming, delta start, delta recent, delta done, message recent, run cancelled"),
    ]);
    expect(await ledger.run(id)).toMatchObject({ state: "committed" });
    expect((await ledger.transcript(threadId))[0]).toStrictEqual(messages[0]);
    await live.append([doneDelta]);
    await live.commit();
  });

  test("the result of a run is readable after its compaction", async () => {
    const input = { threadId, idempotencyKey: "k" };
    const run = await ledger.beginRun(input);
    await run.append(createAnswer("x"));
    const committed = await run.commit();
    clock.pass(RETENTION + 1);
    expect(await ledger.compact()).toBe(1);
    expect(await (await ledger.beginRun(input)).commit()).toStrictEqual(committed);
    await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "y");
    expect((await ledger.run(run.id)).state).toBe("superseded");
  });

  describe("B96: a cursor", () => {
    const compacted = async (): Promise<LedgerEvent[]> => {
      await ledger.append(threadId, [user("before")]);
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta("a"), textDelta("b")]);
      await ledger.append(threadId, [user("meanwhile")]);
      await run.append([textDelta("c"), doneDelta]);
      await run.commit();
      const events = await readEventsUpToNow(ledger, threadId);
      clock.pass(RETENTION + 1);
      expect(await ledger.compact()).toBe(1);
      return events;
    };

    test.each(["delta start", "delta a", "delta b", "message meanwhile", "delta c"])(
      "between the deltas of a compacted run is an error: %s",
      async (eventText) => {
        const after = cursorOf(await compacted(), eventText);
        await expect(ledger.follow({ threadId, after }).next()).rejects.toMatchObject({
          code: "cursor-gone",
          path: "after",
        });
      },
    );

    test.each([
      [
        "message before",
        ["run created", "run streaming", "message meanwhile", "message abc", "run committed", "message mark"],
      ],
      ["run streaming", ["message meanwhile", "message abc", "run committed", "message mark"]],
      ["delta done", ["message abc", "run committed", "message mark"]],
      ["message abc", ["run committed", "message mark"]],
    ])("outside of them continues: %s", async (eventText, expected) => {
      const after = cursorOf(await compacted(), eventText);
      expect(describeAll(await takeEvents(ledger.follow({ threadId, after }), expected.length))).toStrictEqual(
        expected,
      );
    });

    test("of a compacted run is distinguished from those of another run at the same time", async () => {
      const [one, two] = [await ledger.beginRun({ threadId }), await ledger.beginRun({ threadId, mode: "branch" })];
      await one.append([startDelta, textDelta("1a")]);
      await two.append([startDelta, textDelta("2a")]);
      await one.append([textDelta("1b"), doneDelta]);
      await one.commit();
      await two.append([textDelta("2b")]);
      const events = await readEventsUpToNow(ledger, threadId);
      clock.pass(RETENTION + 1);
      await ledger.compact();
      const inBoth = cursorOf(events, "delta 2a");
      await expect(ledger.follow({ threadId, after: inBoth }).next()).rejects.toMatchObject({ code: "cursor-gone" });
      const ofTwo = ledger.follow({ threadId, runId: two.id, after: inBoth });
      expect(describeAll(await takeEvents(ofTwo, 1))).toStrictEqual(["delta 2b"]);
      await ofTwo.return?.();
      await two.cancel();
    });

    test("of a slow reader that compaction overtakes is an error, regardless of its progress", async () => {
      const run = await ledger.beginRun({ threadId });
      // More than one read returns.
      await run.append([startDelta]);
      for (let row = 0; row < 200; row++) await run.append([textDelta(`${row} `)]);
      await run.append([doneDelta]);
      await run.commit();
      const reader = ledger.follow({ threadId });
      expect(describeAll(await takeEvents(reader, 4)).at(-1)).toBe("delta 0 ");
      clock.pass(RETENTION + 1);
      await ledger.compact();
      const rest = (async () => {
        let count = 0;
        for await (const event of reader) count += event.type === "delta" ? 1 : 0;
        return count;
      })();
      await expect(rest).rejects.toMatchObject({ code: "cursor-gone" });
    });
  });

  test("happens in the background after a commit, and its failures affect no caller", async () => {
    const faulty = new FaultyStore(opened.store);
    const timers = new ManualTimers();
    const own = createLedger(faulty, { ...options, timers });
    const before = await opened.another(options);
    const { id } = await commitAnswer(before, { threadId }, "old");
    await before.close();
    clock.pass(RETENTION + 1);
    const key = { tenant: ledger.tenant, threadId };
    const deltas = async (): Promise<number> => {
      const rows = await opened.store.reads.log(key, { runId: id, limit: 100 });
      return rows.filter(({ kind }) => kind === "delta").length;
    };
    expect(await deltas()).toBe(1);
    const first = await own.beginRun({ threadId });
    await first.append(createAnswer("new"));
    faulty.failNext(new LedgerError("busy", "not now"), { after: 1 });
    await first.commit();
    await expect.poll(() => faulty.failures).toBe(1);
    expect(await deltas()).toBe(1);
    timers.advance(5001);
    await commitAnswer(own, { threadId }, "newer");
    await expect.poll(deltas).toBe(0);
  });
});
