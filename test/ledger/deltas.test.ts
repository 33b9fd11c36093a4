// Deltas of a live run: judged at once, written in batches, all of a batch or nothing of it.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { AssemblyError } from "../../src/assembly/index.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import { createLedger } from "../../src/ledger/open.ts";
import { readBatch, writeBatch, writeDelta } from "../../src/ledger/runs/log.ts";
import type { Ledger, Run } from "../../src/ledger/types.ts";
import { assistant, parseJson, stringifyJson, type Delta, type MessageDelta } from "../../src/model/index.ts";
import { call, delta, stamped } from "../support/deltas.ts";
import { answerOf, begin, done, eventsUpToNow, FaultyStore, piece, sayEvent, textsOf } from "./support/runs.ts";
import { STORES, type OpenLedger } from "./support/stores.ts";

describe("the body of a batch", () => {
  const at = (seq: number, timestamp: string, bare: Delta): MessageDelta => ({ ...bare, runId: "r", seq, timestamp });
  const bodyOf = (deltas: readonly MessageDelta[]): string => writeBatch(deltas.map(writeDelta));

  test("says what deltas have in common once", () => {
    const deltas = [at(3, "t1", begin), at(4, "t1", piece("a")), at(5, "t2", piece("b")), at(9, "t2", done)];
    expect(bodyOf(deltas)).toBe(
      '[3,"t1",["start",{"modelId":"m-1","requestId":"r-1","contractVersion":1}],["text",{"textDelta":"a"}],' +
        '"t2",["text",{"textDelta":"b"}],9,["done",{"finishReason":"stop"}]]',
    );
    expect(readBatch("r", bodyOf(deltas))).toStrictEqual(deltas);
  });

  test("keeps every digit, and what is only for debugging", () => {
    const value = parseJson('{"type":"tool-call","toolCallId":"c","toolName":"t","input":{"id":12345678901234567890}}');
    const raw = parseJson('{"created":0.10000000000000000001}');
    const first = { ...at(0, "t", delta("part", { value: value as never })), providerRaw: raw };
    const [again] = readBatch("r", bodyOf([first]));
    expect(stringifyJson(again?.payload)).toContain('"input":{"id":12345678901234567890}');
    expect(stringifyJson(again?.providerRaw)).toBe('{"created":0.10000000000000000001}');
  });

  test.each(["", "{}", "[1]", '[["text",{}]]', '[0,"t",["text"]]', '[0,"t",null]', '[0,"t",["text",{"textDelta":"a"}'])(
    "that is damaged is refused: %s",
    (body) => {
      const read = (): unknown => readBatch("r", body);
      if (body === "[1]") expect(read()).toStrictEqual([]);
      else expect(read).toThrow();
    },
  );
});

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let faulty: FaultyStore;
  let ledger: Ledger;
  let threadId: string;
  let run: Run;
  beforeAll(async () => {
    opened = await store.open();
    faulty = new FaultyStore(opened.store);
    ledger = createLedger(faulty, { flushMs: 0 });
  });
  beforeEach(async () => {
    ({ id: threadId } = await ledger.createThread());
    run = await ledger.beginRun({ threadId });
  });
  afterAll(() => opened.close());

  const logged = async (): Promise<string[]> => (await eventsUpToNow(ledger, threadId)).map(sayEvent);
  const seqs = async (): Promise<number[]> => {
    const events = await eventsUpToNow(ledger, threadId);
    return events.flatMap((event) => (event.type === "delta" ? [event.delta.seq] : []));
  };

  test("are durable when append resolves, in the order they were given", async () => {
    await run.append([begin, piece("a")]);
    const other = await opened.another();
    const seen = (await eventsUpToNow(other, threadId)).map(sayEvent);
    expect(seen).toStrictEqual(["run created", "run streaming", "delta start", "delta a"]);
    await other.close();
    await Promise.all(["b", "c", "d"].map((text) => run.append([piece(text)])));
    expect((await logged()).slice(-3)).toStrictEqual(["delta b", "delta c", "delta d"]);
  });

  test("are stamped with the run, a seq that counts on, and the time", async () => {
    await run.append([begin, piece("a")]);
    await run.append([piece("b")]);
    const events = await eventsUpToNow(ledger, threadId);
    const deltas = events.flatMap((event) => (event.type === "delta" ? [event.delta] : []));
    expect(deltas.map(({ seq, runId }) => [seq, runId])).toStrictEqual([0, 1, 2].map((seq) => [seq, run.id]));
    expect(deltas.every(({ timestamp }) => new Date(timestamp).toISOString() === timestamp)).toBe(true);
  });

  test("that are stamped keep their stamps, and bare ones count on from them", async () => {
    const [first, second] = stamped([begin, piece("a")], run.id);
    await run.append([first as MessageDelta, { ...(second as MessageDelta), seq: 7, timestamp: "then" }]);
    await run.append([piece("b")]);
    expect(await seqs()).toStrictEqual([0, 7, 8]);
    const events = await eventsUpToNow(ledger, threadId);
    expect(events.find((event) => event.type === "delta" && event.delta.seq === 7)).toMatchObject({
      delta: { ...second, seq: 7, timestamp: "then" },
    });
  });

  const ofRun = (bare: Delta, seq: number): MessageDelta => ({ ...bare, runId: run.id, seq, timestamp: "t" });
  test.each<[string, string, () => unknown[]]>([
    ["an illegal delta", "start-once", () => [piece("b"), begin]],
    ["an unknown kind", "known-kind", () => [piece("b"), { kind: "shout", payload: {} }]],
    ["a wrong payload", "payload", () => [piece("b"), { kind: "text", payload: { textDelta: 7 } }]],
    ["a seq that was used", "seq-increasing", () => [ofRun(piece("b"), 1)]],
    ["a seq that goes back", "seq-increasing", () => [ofRun(piece("b"), 5), ofRun(piece("c"), 4)]],
    ["a delta of another run", "same-run", () => [piece("b"), ...stamped([piece("c")], "other")]],
    [
      "a result without a call",
      "result-between",
      () => [
        piece("b"),
        delta("part", { role: "tool", value: { type: "tool-result", toolCallId: "x", toolName: "t", isError: false } }),
      ],
    ],
  ])("with %s are refused as a batch, and the run goes on as if nothing had been said", async (_, rule, batch) => {
    await run.append([begin, piece("a")]);
    const error = await run.append(batch() as Delta[]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({ code: "invalid-input", path: `/deltas/${batch().length - 1}` });
    expect((error as LedgerError).cause).toBeInstanceOf(AssemblyError);
    expect((error as LedgerError).cause).toMatchObject({ rule });
    await run.append([piece("!"), done]);
    expect(await seqs()).toStrictEqual([0, 1, 2, 3]);
    expect(textsOf((await run.commit()).messages)).toStrictEqual(["a!"]);
  });

  test.each([
    ["no list", "x", "/deltas"],
    ["no object", [null], "/deltas/0"],
    ["a value without a JSON form", [{ ...begin, providerRaw: 1n }], "/deltas/0"],
  ])("that are %s are refused", async (_, batch, path) => {
    await expect(run.append(batch as never)).rejects.toMatchObject({ code: "invalid-input", path });
    await run.append(answerOf("fine"));
    expect(textsOf((await run.commit()).messages)).toStrictEqual(["fine"]);
  });

  test("that were accepted while others were refused are all there", async () => {
    await run.append([begin]);
    const steps = [
      [piece("a")],
      [piece("no"), begin],
      [piece("b")],
      [begin],
      [piece("c")],
      [piece("no"), begin],
      [piece("d"), done],
    ];
    const outcomes = await Promise.allSettled(steps.map((batch) => run.append(batch)));
    expect(outcomes.map(({ status }) => status === "fulfilled")).toStrictEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(textsOf((await run.commit()).messages)).toStrictEqual(["abcd"]);
  });

  test.each(["busy", "disk-full", "unavailable"] as const)(
    "that could not be written (%s) are in neither log nor answer, and can be given again",
    async (code) => {
      await run.append([begin, piece("a")]);
      faulty.failNext(new LedgerError(code, "not now"));
      const lost = [run.append([piece("b"), ...call("c1", "{}")]), run.append([piece("c")])];
      const outcomes = await Promise.allSettled(lost);
      // What followed was built on it, and fails with it.
      expect(outcomes).toMatchObject([{ reason: { code } }, { reason: { code } }]);
      expect(await logged()).toStrictEqual(["run created", "run streaming", "delta start", "delta a"]);
      await run.append([piece("b"), ...call("c1", "{}")]);
      await run.append([piece("c"), done]);
      expect(textsOf((await run.commit()).messages)).toStrictEqual(["ab|tool-call|c"]);
      expect(await seqs()).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    },
  );

  test("that are pushed need no waiting, and what went wrong with one is told by the commit", async () => {
    for (const each of answerOf("a", "b")) run.push([each]);
    expect(textsOf((await run.commit()).messages)).toStrictEqual(["ab"]);

    const broken = await ledger.beginRun({ threadId });
    broken.push([begin, piece("a")]);
    await broken.append([piece("b")]);
    faulty.failNext(new LedgerError("disk-full", "not now"));
    broken.push([piece("c")]);
    await expect(broken.append([piece("d")])).rejects.toMatchObject({ code: "disk-full" });
    broken.push([piece("e"), done]);
    await expect(broken.commit()).rejects.toMatchObject({ code: "disk-full" });
    expect(textsOf((await broken.fail("no room")).messages)).toStrictEqual(["ab"]);

    const illegal = await ledger.beginRun({ threadId });
    illegal.push([piece("x")]);
    await expect(illegal.commit()).rejects.toMatchObject({ code: "invalid-input" });
    expect(textsOf((await illegal.commit([assistant("said")])).messages)).toStrictEqual(["said"]);
  });

  test("of a first batch that could not be written leave the run as it was created", async () => {
    faulty.failNext(new LedgerError("busy", "not now"));
    await expect(run.append([begin, piece("a")])).rejects.toMatchObject({ code: "busy" });
    expect((await ledger.run(run.id)).state).toBe("created");
    expect(await run.fail("gave up")).toStrictEqual({ messages: [] });
  });

  test("whose write left its outcome open are written once, whether it had taken place or not", async () => {
    await run.append([begin]);
    const lost = new LedgerError("unavailable", "connection lost", { outcome: "unknown" });
    faulty.failNext(lost, { written: true });
    await run.append([piece("a")]);
    faulty.failNext(lost, { written: false });
    await run.append([piece("b")]);
    faulty.failNext(lost, { written: true, times: 1 });
    faulty.failNext(lost, { written: false, times: 1 });
    await expect(run.append([piece("c")])).rejects.toMatchObject({ outcome: "unknown" });
    // The second attempt hears only that nobody is there: what became of the first stays open.
    faulty.failNext(lost, { written: true });
    faulty.failNext(new LedgerError("unavailable", "nobody there"));
    await expect(run.append([piece("d")])).rejects.toMatchObject({ outcome: "unknown" });
    await run.append([done]);
    expect(textsOf((await run.commit()).messages)).toStrictEqual(["abcd"]);
  });

  test("a commit whose outcome was left open can be tried again, and takes place once", async () => {
    for (const written of [true, false]) {
      const { id: own } = await ledger.createThread();
      const each = await ledger.beginRun({ threadId: own });
      await each.append(answerOf("x"));
      faulty.failNext(new LedgerError("unavailable", "connection lost", { outcome: "unknown" }), { written });
      await expect(each.commit()).rejects.toMatchObject({ outcome: "unknown" });
      const { messages } = await each.commit();
      expect(await ledger.transcript(own)).toStrictEqual(messages);
      expect(await each.commit()).toMatchObject({ messages });
      await expect(each.append([begin])).rejects.toMatchObject({ code: "illegal-transition" });
      expect((await ledger.run(each.id)).state).toBe("committed");
    }
  });

  test("a run that cannot write its end may be ended later", async () => {
    await run.append([begin, piece("half")]);
    faulty.failNext(new LedgerError("disk-full", "no room"), { times: 2 });
    await expect(run.append([piece("lost")])).rejects.toMatchObject({ code: "disk-full" });
    await expect(run.fail("x")).rejects.toMatchObject({ code: "disk-full" });
    expect(textsOf((await run.fail("x")).messages)).toStrictEqual(["half"]);
  });

  test("wait for company within the delay, and not beyond it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const slow = createLedger(faulty, { flushMs: 50 });
      const mine = await slow.beginRun({ threadId });
      await mine.append([begin]);
      const before = faulty.writes;
      const written = ["a", "b", "c"].map((text) => mine.append([piece(text)]));
      await vi.advanceTimersByTimeAsync(49);
      expect(faulty.writes).toBe(before);
      await vi.advanceTimersByTimeAsync(1);
      await Promise.all(written);
      expect(faulty.writes).toBe(before + 1);
      // After a pause the first one goes at once.
      await vi.advanceTimersByTimeAsync(50);
      await mine.append([piece("d")]);
      expect(faulty.writes).toBe(before + 2);
      // Many do not wait, nor does much.
      await mine.append(Array.from({ length: 256 }, () => piece("x")));
      await mine.append([piece("y".repeat(65_536))]);
      expect(faulty.writes).toBe(before + 4);
      // Nor does the end.
      const last = mine.append([done]);
      await mine.commit();
      await last;
    } finally {
      vi.useRealTimers();
    }
  });

  test("of a long stream go into rows of a bounded size, few of them", async () => {
    const key = { tenant: ledger.tenant, threadId };
    const pieces = Array.from({ length: 5000 }, (_, index) => piece(`${index} `));
    const before = faulty.writes;
    await Promise.all([run.append([begin]), ...pieces.map((each) => run.append([each])), run.append([done])]);
    expect(faulty.writes - before).toBeLessThan(30);
    const rows = await opened.store.reads.log(key, { runId: run.id, limit: 1000 });
    const batches = rows.filter(({ kind }) => kind === "delta").map(({ body }) => readBatch(run.id, body).length);
    expect(Math.max(...batches)).toBe(256);
    expect(batches.reduce((sum, length) => sum + length)).toBe(5002);
    expect(textsOf((await run.commit()).messages)).toStrictEqual([pieces.map((_, index) => `${index} `).join("")]);
  });

  test("that wait when the ledger is closed are written first", async () => {
    const own = await opened.another({ flushMs: 60_000 });
    const mine = await own.beginRun({ threadId });
    await mine.append([begin]);
    const written = mine.append([piece("at the last moment")]);
    await own.close();
    await written;
    expect((await logged()).at(-1)).toBe("delta at the last moment");
    await expect(mine.append([done])).rejects.toMatchObject({ code: "closed" });
  });
});
