// Tests writers that die, return late or are replaced: leases, epochs, recovery and takeover, with a manual clock.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { Ledger, LedgerProblem, Run } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import { call, result } from "../../support/deltas.ts";
import {
  createAnswer,
  startDelta,
  usageDelta,
  doneDelta,
  readEventsUpToNow,
  FakeClock,
  FaultyStore,
  textDelta,
  describeEvent,
  readTexts,
} from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const LEASE = 30_000;

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  const problems: LedgerProblem[] = [];
  const options = {
    clock: clock.now,
    leaseMs: LEASE,
    flushMs: 0,
    onProblem: (problem: LedgerProblem) => problems.push(problem),
  };
  let opened: OpenLedger;
  let ledger: Ledger;
  let other: Ledger;
  let threadId: string;
  let run: Run;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
    other = await opened.another(options);
  });
  beforeEach(async () => {
    // The runs of earlier tests have ended.
    clock.pass(10 * LEASE);
    await ledger.recover();
    problems.length = 0;
    ({ id: threadId } = await ledger.createThread());
    await ledger.append(threadId, [user("q")]);
    run = await ledger.beginRun({ threadId });
  });
  afterAll(() => opened.close());

  const transcript = async (): Promise<string[]> => readTexts(await ledger.transcript(threadId));
  const fencedSteps: [string, (it: Run) => Promise<unknown>][] = [
    ["append", (it) => it.append([textDelta("late")])],
    ["commit", (it) => it.commit([user("late")])],
    ["fail", (it) => it.fail("late")],
    ["cancel", (it) => it.cancel()],
    ["heartbeat", (it) => it.heartbeat()],
  ];

  describe("recovery", () => {
    test("B90: stores the partial output of a dead writer, marked interrupted, and fails the run", async () => {
      await run.append([startDelta, ...call("c1", "{}"), usageDelta(5, 1), doneDelta, result("c1", "found")]);
      await run.append([startDelta, textDelta("so it i"), usageDelta(9, 2)]);
      clock.pass(LEASE + 1);
      const [recovered, ...more] = await other.recover();
      expect(more).toStrictEqual([]);
      expect(recovered).toMatchObject({ runId: run.id, threadId });
      expect(
        recovered?.messages.map(({ role, metadata }) => [role, metadata.interrupted, metadata.runId]),
      ).toStrictEqual(["assistant", "tool", "assistant"].map((role) => [role, true, run.id]));
      expect(readTexts(recovered?.messages ?? []).at(-1)).toBe("so it i");
      expect(await transcript()).toStrictEqual(["q"]);
      expect(await ledger.run(run.id)).toMatchObject({
        state: "failed",
        error: { message: "writer lost" },
        usage: { inputTokens: 14, outputTokens: 3, totalTokens: 17 },
        epoch: 2,
      });
      expect((await readEventsUpToNow(ledger, threadId)).map(describeEvent).at(-1)).toBe("run failed");
    });

    test("leaves no message of a run without deltas", async () => {
      clock.pass(LEASE + 1);
      expect(await ledger.recover()).toStrictEqual([{ tenant: "default", runId: run.id, threadId, messages: [] }]);
    });

    test("finds the runs of every tenant with `everyTenant`", async () => {
      const guest = ledger.forTenant("guest");
      const { id } = await guest.createThread();
      const theirs = await guest.beginRun({ threadId: id });
      await theirs.append([startDelta, textDelta("half")]);
      clock.pass(LEASE + 1);
      const recovered = await other.recover({ everyTenant: true });
      const recoveredRuns = new Map(recovered.map(({ tenant, runId }) => [tenant, runId]));
      expect([recovered.length, recoveredRuns.get("default"), recoveredRuns.get("guest")]).toStrictEqual([
        2,
        run.id,
        theirs.id,
      ]);
      expect((await guest.run(theirs.id)).state).toBe("failed");
      expect(readTexts((await guest.tree(id)).messages)).toStrictEqual(["half"]);
      expect(await other.recover({ everyTenant: true })).toStrictEqual([]);
    });

    test("does not recover runs with a valid lease, regardless of their age", async () => {
      for (let beat = 0; beat < 20; beat++) {
        clock.pass(LEASE);
        await run.append(beat === 0 ? [startDelta] : [textDelta("x")]);
        expect(await other.recover()).toStrictEqual([]);
      }
      await run.append([doneDelta]);
      await run.commit();
      clock.pass(LEASE + 1);
      expect(await other.recover()).toStrictEqual([]);
    });

    test("does not recover a run whose writer renews its lease meanwhile", async () => {
      await run.append([startDelta]);
      clock.pass(LEASE + 1);
      const faulty = new FaultyStore(opened.store);
      faulty.beforeNext = () => run.heartbeat();
      expect(await createLedger(faulty, options).recover()).toStrictEqual([]);
      await run.append([textDelta("still here"), doneDelta]);
      expect(readTexts((await run.commit()).messages)).toStrictEqual(["still here"]);
    });

    test("by concurrent callers takes place once for each run", async () => {
      const runs = [run];
      for (let more = 0; more < 9; more++) runs.push(await ledger.beginRun({ threadId }));
      for (const each of runs) await each.append([startDelta, textDelta(each.id)]);
      clock.pass(LEASE + 1);
      const recovered = (await Promise.all([ledger, other, ledger, other].map((each) => each.recover()))).flat();
      expect(recovered.map(({ runId }) => runId).sort()).toStrictEqual(runs.map(({ id }) => id).sort());
      expect((await ledger.tree(threadId)).messages).toHaveLength(1 + runs.length);
      expect(await transcript()).toStrictEqual(["q"]);
    });

    test("is limited to the ledger's own tenant", async () => {
      await run.append([startDelta, textDelta("mine")]);
      clock.pass(LEASE + 1);
      expect(await other.forTenant("other-tenant").recover()).toStrictEqual([]);
      expect(await other.recover()).toHaveLength(1);
    });

    test.each(fencedSteps)("rejects a writer that was only late: %s", async (_, step) => {
      await run.append([startDelta, textDelta("a")]);
      clock.pass(LEASE + 1);
      await other.recover();
      const before = (await ledger.tree(threadId)).messages;
      await expect(step(run)).rejects.toMatchObject({ code: "fenced" });
      await expect(run.append([textDelta("b")])).rejects.toMatchObject({ code: "fenced" });
      expect((await ledger.tree(threadId)).messages).toStrictEqual(before);
      expect((await ledger.run(run.id)).state).toBe("failed");
    });

    const damage = async (body: string, at: number): Promise<string> => {
      const key = { tenant: ledger.tenant, threadId };
      const rows = (await opened.store.reads.log(key, { runId: run.id, limit: 100 })).filter(
        ({ kind }) => kind === "delta",
      );
      const damaged = rows[at];
      if (damaged === undefined) throw new Error("There is no such row.");
      await opened.store.write(function* damageRow(tx) {
        yield* wait(tx.deleteDeltas(key, run.id));
        yield* wait(tx.insertLog(rows.map((row) => (row === damaged ? { ...row, body } : row))));
      });
      return damaged.id;
    };

    test.each(['[0,"t",["text"', "{}", '[9,"t",["done",{"finishReason":"stop"}],["text",{"textDelta":"x"}]]'])(
      "B91: stores the output before a damaged record, and reports it: %s",
      async (body) => {
        await run.append([startDelta, textDelta("partial")]);
        await run.append([textDelta(" lost")]);
        await run.append([textDelta(" and what follows")]);
        const id = await damage(body, 1);
        clock.pass(LEASE + 1);
        const [recovered] = await ledger.recover();
        expect(readTexts(recovered?.messages ?? [])).toStrictEqual(["partial"]);
        expect(problems).toMatchObject([{ threadId, messageId: id }]);
        expect((await ledger.run(run.id)).state).toBe("failed");
      },
    );

    test("B91: a run with a damaged log cannot be taken over or continued, but it can be ended", async () => {
      await run.append([startDelta, textDelta("partial")]);
      await run.append([textDelta(" lost")]);
      await damage("?", 1);
      await expect(other.resumeRun(run.id, { force: true })).rejects.toMatchObject({ code: "corrupt" });
      // Rejected in the middle of a batch, so that the writer must replay the log.
      await expect(run.append([textDelta("x"), startDelta])).rejects.toMatchObject({ code: "invalid-input" });
      await expect(run.append([textDelta("y")])).rejects.toMatchObject({ code: "corrupt" });
      await expect(run.commit()).rejects.toMatchObject({ code: "corrupt" });
      expect(readTexts((await run.cancel()).messages)).toStrictEqual(["partial"]);
      expect(problems).toHaveLength(1);
    });
  });

  describe("a takeover", () => {
    test("continues at the end of the log, with the next seq", async () => {
      await run.append([startDelta, textDelta("one "), ...call("c1", "{}")]);
      clock.pass(LEASE + 1);
      const next = await other.resumeRun(run.id);
      expect(next).toMatchObject({ id: run.id, threadId, attached: false, info: { epoch: 2, state: "streaming" } });
      // The rules of the whole stream apply: this id exists already.
      await expect(next.append(call("c1", "{}"))).rejects.toMatchObject({ code: "invalid-input" });
      await next.append([textDelta("two"), doneDelta]);
      const events = await readEventsUpToNow(ledger, threadId);
      expect(events.flatMap((event) => (event.type === "delta" ? [event.delta.seq] : []))).toStrictEqual([
        0, 1, 2, 3, 4, 5, 6,
      ]);
      await ledger.select(threadId, null);
      const { messages } = await next.commit();
      expect(readTexts(messages)).toStrictEqual(["one |tool-call|two"]);
    });

    test.each(fencedSteps)("rejects the former writer: %s", async (_, step) => {
      await run.append([startDelta]);
      const next = await other.resumeRun(run.id, { force: true });
      await expect(step(run)).rejects.toMatchObject({ code: "fenced" });
      await next.append([textDelta("mine"), doneDelta]);
      expect(readTexts((await next.commit()).messages)).toStrictEqual(["mine"]);
    });

    test("of a run with a live writer is a conflict, unless it is forced", async () => {
      await run.append([startDelta]);
      clock.pass(LEASE);
      await expect(other.resumeRun(run.id)).rejects.toMatchObject({ code: "conflict" });
      await run.append([textDelta("still here")]);
      const next = await other.resumeRun(run.id, { force: true });
      expect(readTexts((await next.cancel()).messages)).toStrictEqual(["still here"]);
    });

    test("of a run without deltas starts at the beginning", async () => {
      const next = await other.resumeRun(run.id, { force: true });
      await next.append(createAnswer("fresh"));
      expect(readTexts((await next.commit()).messages)).toStrictEqual(["fresh"]);
    });

    test("of a finished or unknown run is rejected", async () => {
      await run.cancel();
      await expect(other.resumeRun(run.id)).rejects.toMatchObject({ code: "illegal-transition" });
      await expect(other.resumeRun("01HZZZZZZZZZZZZZZZZZZZZZZZ")).rejects.toMatchObject({ code: "unknown-run" });
      await expect(other.forTenant("x").resumeRun(run.id)).rejects.toMatchObject({ code: "unknown-run" });
    });

    test("by concurrent callers without force leaves one writer", async () => {
      await run.append([startDelta, textDelta("x")]);
      clock.pass(LEASE + 1);
      const outcomes = await Promise.allSettled([ledger, other, other].map((each) => each.resumeRun(run.id)));
      expect(outcomes.map(({ status }) => status).sort()).toStrictEqual(["fulfilled", "rejected", "rejected"]);
    });
  });

  describe("a lease", () => {
    test("is renewed by the ledger while the run is live, for all its runs in one write", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      const faulty = new FaultyStore(opened.store);
      const own = createLedger(faulty, options);
      const runs = [await own.beginRun({ threadId }), await own.beginRun({ threadId })];
      await runs[0]?.append([startDelta]);
      try {
        const before = faulty.writes;
        for (let beats = 1; beats <= 9; beats++) {
          clock.pass(LEASE / 3);
          vi.advanceTimersByTime(LEASE / 3);
          await expect.poll(() => faulty.written).toBe(before + beats);
        }
        const expired = (await other.recover()).map(({ runId }) => runId);
        expect(expired).toStrictEqual([run.id]);
        for (const each of runs) await each.cancel();
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });

    test("is renewed by heartbeat, which throws if it fails", async () => {
      clock.pass(LEASE - 1);
      await run.heartbeat();
      clock.pass(LEASE - 1);
      expect(await other.recover()).toStrictEqual([]);
      await run.cancel();
      await run.heartbeat();
      const faulty = new FaultyStore(opened.store);
      const mine = await createLedger(faulty, options).beginRun({ threadId });
      faulty.failNext(new LedgerError("busy", "not now"));
      await expect(mine.heartbeat()).rejects.toMatchObject({ code: "busy" });
      await mine.cancel();
    });

    test("is released when the ledger is closed, so that a successor need not wait", async () => {
      const own = await opened.another(options);
      const mine = await own.beginRun({ threadId });
      await mine.append([startDelta, textDelta("unfinished")]);
      await own.close();
      const next = await other.resumeRun(mine.id);
      await next.append([doneDelta]);
      expect(readTexts((await next.commit()).messages)).toStrictEqual(["unfinished"]);
    });
  });
});
