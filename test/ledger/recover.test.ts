// Writers that die, come back late or are replaced: leases, epochs, recovery and takeover, by a clock that is set by hand.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import { createLedger } from "../../src/ledger/open.ts";
import { got } from "../../src/ledger/steps.ts";
import type { Ledger, LedgerProblem, Run } from "../../src/ledger/types.ts";
import { user } from "../../src/model/index.ts";
import { call, result } from "../support/deltas.ts";
import {
  answerOf,
  begin,
  counted,
  done,
  eventsUpToNow,
  FakeClock,
  FaultyStore,
  piece,
  sayEvent,
  textsOf,
} from "./support/runs.ts";
import { STORES, type OpenLedger } from "./support/stores.ts";

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
    // Runs of the tests before are over.
    clock.pass(10 * LEASE);
    await ledger.recover();
    problems.length = 0;
    ({ id: threadId } = await ledger.createThread());
    await ledger.append(threadId, [user("q")]);
    run = await ledger.beginRun({ threadId });
  });
  afterAll(() => opened.close());

  const transcript = async (): Promise<string[]> => textsOf(await ledger.transcript(threadId));
  const fencedSteps: [string, (it: Run) => Promise<unknown>][] = [
    ["append", (it) => it.append([piece("late")])],
    ["commit", (it) => it.commit([user("late")])],
    ["fail", (it) => it.fail("late")],
    ["cancel", (it) => it.cancel()],
    ["heartbeat", (it) => it.heartbeat()],
  ];

  describe("recovery", () => {
    test("B90: saves what a lost writer had streamed, marked interrupted, and fails the run", async () => {
      await run.append([begin, ...call("c1", "{}"), counted(5, 1), done, result("c1", "found")]);
      await run.append([begin, piece("so it i"), counted(9, 2)]);
      clock.pass(LEASE + 1);
      const [recovered, ...more] = await other.recover();
      expect(more).toStrictEqual([]);
      expect(recovered).toMatchObject({ runId: run.id, threadId });
      expect(
        recovered?.messages.map(({ role, metadata }) => [role, metadata.interrupted, metadata.runId]),
      ).toStrictEqual(["assistant", "tool", "assistant"].map((role) => [role, true, run.id]));
      expect(textsOf(recovered?.messages ?? []).at(-1)).toBe("so it i");
      expect(await transcript()).toStrictEqual(["q"]);
      expect(await ledger.run(run.id)).toMatchObject({
        state: "failed",
        error: { message: "writer lost" },
        usage: { inputTokens: 14, outputTokens: 3, totalTokens: 17 },
        epoch: 2,
      });
      expect((await eventsUpToNow(ledger, threadId)).map(sayEvent).at(-1)).toBe("run failed");
    });

    test("leaves no message of a run that had streamed nothing", async () => {
      clock.pass(LEASE + 1);
      expect(await ledger.recover()).toStrictEqual([{ tenant: "default", runId: run.id, threadId, messages: [] }]);
    });

    test("finds the runs of every tenant where it is asked to", async () => {
      const guest = ledger.forTenant("guest");
      const { id } = await guest.createThread();
      const theirs = await guest.beginRun({ threadId: id });
      await theirs.append([begin, piece("half")]);
      clock.pass(LEASE + 1);
      const recovered = await other.recover({ everyTenant: true });
      const found = new Map(recovered.map(({ tenant, runId }) => [tenant, runId]));
      expect([recovered.length, found.get("default"), found.get("guest")]).toStrictEqual([2, run.id, theirs.id]);
      expect((await guest.run(theirs.id)).state).toBe("failed");
      expect(textsOf((await guest.tree(id)).messages)).toStrictEqual(["half"]);
      expect(await other.recover({ everyTenant: true })).toStrictEqual([]);
    });

    test("leaves runs alone whose lease has not ended, however old they are", async () => {
      for (let beat = 0; beat < 20; beat++) {
        clock.pass(LEASE);
        await run.append(beat === 0 ? [begin] : [piece("x")]);
        expect(await other.recover()).toStrictEqual([]);
      }
      await run.append([done]);
      await run.commit();
      clock.pass(LEASE + 1);
      expect(await other.recover()).toStrictEqual([]);
    });

    test("leaves a run alone whose writer is heard of while it is looked at", async () => {
      await run.append([begin]);
      clock.pass(LEASE + 1);
      const faulty = new FaultyStore(opened.store);
      faulty.beforeNext = () => run.heartbeat();
      expect(await createLedger(faulty, options).recover()).toStrictEqual([]);
      await run.append([piece("still here"), done]);
      expect(textsOf((await run.commit()).messages)).toStrictEqual(["still here"]);
    });

    test("by several at once takes place once for each run", async () => {
      const runs = [run];
      for (let more = 0; more < 9; more++) runs.push(await ledger.beginRun({ threadId }));
      for (const each of runs) await each.append([begin, piece(each.id)]);
      clock.pass(LEASE + 1);
      const recovered = (await Promise.all([ledger, other, ledger, other].map((each) => each.recover()))).flat();
      expect(recovered.map(({ runId }) => runId).sort()).toStrictEqual(runs.map(({ id }) => id).sort());
      expect((await ledger.tree(threadId)).messages).toHaveLength(1 + runs.length);
      expect(await transcript()).toStrictEqual(["q"]);
    });

    test("is for the ledger's own tenant", async () => {
      await run.append([begin, piece("mine")]);
      clock.pass(LEASE + 1);
      expect(await other.forTenant("somebody-else").recover()).toStrictEqual([]);
      expect(await other.recover()).toHaveLength(1);
    });

    test.each(fencedSteps)("fences off a writer that was only late: %s", async (_, step) => {
      await run.append([begin, piece("a")]);
      clock.pass(LEASE + 1);
      await other.recover();
      const before = (await ledger.tree(threadId)).messages;
      await expect(step(run)).rejects.toMatchObject({ code: "fenced" });
      await expect(run.append([piece("b")])).rejects.toMatchObject({ code: "fenced" });
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
        yield* got(tx.deleteDeltas(key, run.id));
        yield* got(tx.insertLog(rows.map((row) => (row === damaged ? { ...row, body } : row))));
      });
      return damaged.id;
    };

    test.each(['[0,"t",["text"', "{}", '[9,"t",["done",{"finishReason":"stop"}],["text",{"textDelta":"x"}]]'])(
      "B91: keeps what stands before a damaged record, and reports it: %s",
      async (body) => {
        await run.append([begin, piece("kept")]);
        await run.append([piece(" lost")]);
        await run.append([piece(" and what follows")]);
        const id = await damage(body, 1);
        clock.pass(LEASE + 1);
        const [recovered] = await ledger.recover();
        expect(textsOf(recovered?.messages ?? [])).toStrictEqual(["kept"]);
        expect(problems).toMatchObject([{ threadId, messageId: id }]);
        expect((await ledger.run(run.id)).state).toBe("failed");
      },
    );

    test("B91: a run whose log is damaged cannot be taken over or gone on with, but it can be ended", async () => {
      await run.append([begin, piece("kept")]);
      await run.append([piece(" lost")]);
      await damage("?", 1);
      await expect(other.resumeRun(run.id, { force: true })).rejects.toMatchObject({ code: "corrupt" });
      // Refused in the middle of a batch, so that the writer has to look at the log.
      await expect(run.append([piece("x"), begin])).rejects.toMatchObject({ code: "invalid-input" });
      await expect(run.append([piece("y")])).rejects.toMatchObject({ code: "corrupt" });
      await expect(run.commit()).rejects.toMatchObject({ code: "corrupt" });
      expect(textsOf((await run.cancel()).messages)).toStrictEqual(["kept"]);
      expect(problems).toHaveLength(1);
    });
  });

  describe("a takeover", () => {
    test("goes on where the log ends, with the next seq", async () => {
      await run.append([begin, piece("one "), ...call("c1", "{}")]);
      clock.pass(LEASE + 1);
      const next = await other.resumeRun(run.id);
      expect(next).toMatchObject({ id: run.id, threadId, attached: false, info: { epoch: 2, state: "streaming" } });
      // The rules of the whole stream hold: this id is taken.
      await expect(next.append(call("c1", "{}"))).rejects.toMatchObject({ code: "invalid-input" });
      await next.append([piece("two"), done]);
      const events = await eventsUpToNow(ledger, threadId);
      expect(events.flatMap((event) => (event.type === "delta" ? [event.delta.seq] : []))).toStrictEqual([
        0, 1, 2, 3, 4, 5, 6,
      ]);
      await ledger.select(threadId, null);
      const { messages } = await next.commit();
      expect(textsOf(messages)).toStrictEqual(["one |tool-call|two"]);
    });

    test.each(fencedSteps)("fences off the former writer: %s", async (_, step) => {
      await run.append([begin]);
      const next = await other.resumeRun(run.id, { force: true });
      await expect(step(run)).rejects.toMatchObject({ code: "fenced" });
      await next.append([piece("mine"), done]);
      expect(textsOf((await next.commit()).messages)).toStrictEqual(["mine"]);
    });

    test("of a run with a live writer is a conflict, unless it is forced", async () => {
      await run.append([begin]);
      clock.pass(LEASE);
      await expect(other.resumeRun(run.id)).rejects.toMatchObject({ code: "conflict" });
      await run.append([piece("still here")]);
      const next = await other.resumeRun(run.id, { force: true });
      expect(textsOf((await next.cancel()).messages)).toStrictEqual(["still here"]);
    });

    test("of a run that nothing was streamed in begins at the beginning", async () => {
      const next = await other.resumeRun(run.id, { force: true });
      await next.append(answerOf("fresh"));
      expect(textsOf((await next.commit()).messages)).toStrictEqual(["fresh"]);
    });

    test("of a finished or unknown run is refused", async () => {
      await run.cancel();
      await expect(other.resumeRun(run.id)).rejects.toMatchObject({ code: "illegal-transition" });
      await expect(other.resumeRun("01HZZZZZZZZZZZZZZZZZZZZZZZ")).rejects.toMatchObject({ code: "unknown-run" });
      await expect(other.forTenant("x").resumeRun(run.id)).rejects.toMatchObject({ code: "unknown-run" });
    });

    test("by several at once without force leaves one writer", async () => {
      await run.append([begin, piece("x")]);
      clock.pass(LEASE + 1);
      const outcomes = await Promise.allSettled([ledger, other, other].map((each) => each.resumeRun(run.id)));
      expect(outcomes.map(({ status }) => status).sort()).toStrictEqual(["fulfilled", "rejected", "rejected"]);
    });
  });

  describe("a lease", () => {
    test("is renewed by the ledger while the run lives, for all its runs in one write", async () => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      const faulty = new FaultyStore(opened.store);
      const own = createLedger(faulty, options);
      const runs = [await own.beginRun({ threadId }), await own.beginRun({ threadId })];
      await runs[0]?.append([begin]);
      try {
        const before = faulty.writes;
        for (let beats = 1; beats <= 9; beats++) {
          clock.pass(LEASE / 3);
          vi.advanceTimersByTime(LEASE / 3);
          await vi.waitFor(() => expect(faulty.written).toBe(before + beats));
        }
        const expired = (await other.recover()).map(({ runId }) => runId);
        expect(expired).toStrictEqual([run.id]);
        for (const each of runs) await each.cancel();
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });

    test("is renewed at will, and a heartbeat that fails says so", async () => {
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

    test("is given back when the ledger is closed, so that nobody has to wait for it", async () => {
      const own = await opened.another(options);
      const mine = await own.beginRun({ threadId });
      await mine.append([begin, piece("unfinished")]);
      await own.close();
      const next = await other.resumeRun(mine.id);
      await next.append([done]);
      expect(textsOf((await next.commit()).messages)).toStrictEqual(["unfinished"]);
    });
  });
});
