// Tests deltas of a live run: checked at once, written in batches, a batch completely or not at all.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AssemblyError } from "../../../src/assembly/index.ts";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import { decodeBatch, encodeBatch, encodeDelta } from "../../../src/ledger/runs/log-bodies.ts";
import type { Ledger, Run } from "../../../src/ledger/types.ts";
import { assistant, parseJson, stringifyJson, type Delta, type MessageDelta } from "../../../src/model/index.ts";
import { call, delta, stampAll } from "../../support/deltas.ts";
import {
  createAnswer,
  startDelta,
  doneDelta,
  readEventsUpToNow,
  FaultyStore,
  textDelta,
  describeEvent,
  readTexts,
} from "../support/runs.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

describe("the body of a batch", () => {
  const at = (seq: number, timestamp: string, bare: Delta): MessageDelta => ({ ...bare, runId: "r", seq, timestamp });
  const bodyOf = (deltas: readonly MessageDelta[]): string => encodeBatch(deltas.map(encodeDelta));

  test("contains the common values of deltas once", () => {
    const deltas = [
      at(3, "t1", startDelta),
      at(4, "t1", textDelta("a")),
      at(5, "t2", textDelta("b")),
      at(9, "t2", doneDelta),
    ];
    expect(bodyOf(deltas)).toBe(
      '[3,"t1",["start",{"modelId":"m-1","requestId":"r-1","contractVersion":1}],["text",{"textDelta":"a"}],' +
        '"t2",["text",{"textDelta":"b"}],9,["done",{"finishReason":"stop"}]]',
    );
    expect(decodeBatch("r", bodyOf(deltas))).toStrictEqual(deltas);
  });

  test("preserves every digit, and `providerRaw`", () => {
    const value = parseJson('{"type":"tool-call","toolCallId":"c","toolName":"t","input":{"id":12345678901234567890}}');
    const raw = parseJson('{"created":0.10000000000000000001}');
    const first = { ...at(0, "t", delta("part", { value: value as never })), providerRaw: raw };
    const [again] = decodeBatch("r", bodyOf([first]));
    expect(stringifyJson(again?.payload)).toContain('"input":{"id":12345678901234567890}');
    expect(stringifyJson(again?.providerRaw)).toBe('{"created":0.10000000000000000001}');
  });

  test.each(["", "{}", "[1]", '[["text",{}]]', '[0,"t",["text"]]', '[0,"t",null]', '[0,"t",["text",{"textDelta":"a"}'])(
    "that is damaged is rejected: %s",
    (body) => {
      const read = (): unknown => decodeBatch("r", body);
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

  const logged = async (): Promise<string[]> => (await readEventsUpToNow(ledger, threadId)).map(describeEvent);
  const seqs = async (): Promise<number[]> => {
    const events = await readEventsUpToNow(ledger, threadId);
    return events.flatMap((event) => (event.type === "delta" ? [event.delta.seq] : []));
  };

  test("are durable when append resolves, in their order", async () => {
    await run.append([startDelta, textDelta("a")]);
    const other = await opened.another();
    const seen = (await readEventsUpToNow(other, threadId)).map(describeEvent);
    expect(seen).toStrictEqual(["run created", "run streaming", "delta start", "delta a"]);
    await other.close();
    await Promise.all(["b", "c", "d"].map((text) => run.append([textDelta(text)])));
    expect((await logged()).slice(-3)).toStrictEqual(["delta b", "delta c", "delta d"]);
  });

  test("are stamped with the run, an increasing seq, and the time", async () => {
    await run.append([startDelta, textDelta("a")]);
    await run.append([textDelta("b")]);
    const events = await readEventsUpToNow(ledger, threadId);
    const deltas = events.flatMap((event) => (event.type === "delta" ? [event.delta] : []));
    expect(deltas.map(({ seq, runId }) => [seq, runId])).toStrictEqual([0, 1, 2].map((seq) => [seq, run.id]));
    expect(deltas.every(({ timestamp }) => new Date(timestamp).toISOString() === timestamp)).toBe(true);
  });

  test("with stamps keep them, and deltas without stamps continue from them", async () => {
    const [first, second] = stampAll([startDelta, textDelta("a")], run.id);
    await run.append([first as MessageDelta, { ...(second as MessageDelta), seq: 7, timestamp: "then" }]);
    await run.append([textDelta("b")]);
    expect(await seqs()).toStrictEqual([0, 7, 8]);
    const events = await readEventsUpToNow(ledger, threadId);
    expect(events.find((event) => event.type === "delta" && event.delta.seq === 7)).toMatchObject({
      delta: { ...second, seq: 7, timestamp: "then" },
    });
  });

  const ofRun = (bare: Delta, seq: number): MessageDelta => ({ ...bare, runId: run.id, seq, timestamp: "t" });
  test.each<[string, string, () => unknown[]]>([
    ["an illegal delta", "start-once", () => [textDelta("b"), startDelta]],
    ["an unknown kind", "known-kind", () => [textDelta("b"), { kind: "shout", payload: {} }]],
    ["a wrong payload", "payload", () => [textDelta("b"), { kind: "text", payload: { textDelta: 7 } }]],
    ["a used seq", "seq-increasing", () => [ofRun(textDelta("b"), 1)]],
    ["a decreasing seq", "seq-increasing", () => [ofRun(textDelta("b"), 5), ofRun(textDelta("c"), 4)]],
    ["a delta of another run", "same-run", () => [textDelta("b"), ...stampAll([textDelta("c")], "other")]],
    [
      "a result without a call",
      "result-between",
      () => [
        textDelta("b"),
        delta("part", { role: "tool", value: { type: "tool-result", toolCallId: "x", toolName: "t", isError: false } }),
      ],
    ],
  ])("with %s are rejected as a batch, and the run continues unchanged", async (_, rule, batch) => {
    await run.append([startDelta, textDelta("a")]);
    const error = await run.append(batch() as Delta[]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({ code: "invalid-input", path: `/deltas/${batch().length - 1}` });
    expect((error as LedgerError).cause).toBeInstanceOf(AssemblyError);
    expect((error as LedgerError).cause).toMatchObject({ rule });
    await run.append([textDelta("!"), doneDelta]);
    expect(await seqs()).toStrictEqual([0, 1, 2, 3]);
    expect(readTexts((await run.commit()).messages)).toStrictEqual(["a!"]);
  });

  test.each([
    ["no list", "x", "/deltas"],
    ["no object", [null], "/deltas/0"],
    ["a value without a JSON form", [{ ...startDelta, providerRaw: 1n }], "/deltas/0"],
  ])("that are %s are rejected", async (_, batch, path) => {
    await expect(run.append(batch as never)).rejects.toMatchObject({ code: "invalid-input", path });
    await run.append(createAnswer("fine"));
    expect(readTexts((await run.commit()).messages)).toStrictEqual(["fine"]);
  });

  test("that were accepted while others were rejected are all stored", async () => {
    await run.append([startDelta]);
    const steps = [
      [textDelta("a")],
      [textDelta("no"), startDelta],
      [textDelta("b")],
      [startDelta],
      [textDelta("c")],
      [textDelta("no"), startDelta],
      [textDelta("d"), doneDelta],
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
    expect(readTexts((await run.commit()).messages)).toStrictEqual(["abcd"]);
  });

  test.each(["busy", "disk-full", "unavailable"] as const)(
    "that could not be written (%s) are in neither log nor answer, and can be appended again",
    async (code) => {
      await run.append([startDelta, textDelta("a")]);
      faulty.failNext(new LedgerError(code, "not now"));
      const lost = [run.append([textDelta("b"), ...call("c1", "{}")]), run.append([textDelta("c")])];
      const outcomes = await Promise.allSettled(lost);
      // Later deltas follow the failed ones, and fail with them.
      expect(outcomes).toMatchObject([{ reason: { code } }, { reason: { code } }]);
      expect(await logged()).toStrictEqual(["run created", "run streaming", "delta start", "delta a"]);
      await run.append([textDelta("b"), ...call("c1", "{}")]);
      await run.append([textDelta("c"), doneDelta]);
      expect(readTexts((await run.commit()).messages)).toStrictEqual(["ab|tool-call|c"]);
      expect(await seqs()).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    },
  );

  test("that are pushed need not be awaited, and their error is thrown by the commit", async () => {
    for (const each of createAnswer("a", "b")) run.push([each]);
    expect(readTexts((await run.commit()).messages)).toStrictEqual(["ab"]);

    const broken = await ledger.beginRun({ threadId });
    broken.push([startDelta, textDelta("a")]);
    await broken.append([textDelta("b")]);
    faulty.failNext(new LedgerError("disk-full", "not now"));
    broken.push([textDelta("c")]);
    await expect(broken.append([textDelta("d")])).rejects.toMatchObject({ code: "disk-full" });
    broken.push([textDelta("e"), doneDelta]);
    await expect(broken.commit()).rejects.toMatchObject({ code: "disk-full" });
    expect(readTexts((await broken.fail("no room")).messages)).toStrictEqual(["ab"]);

    const illegal = await ledger.beginRun({ threadId });
    illegal.push([textDelta("x")]);
    await expect(illegal.commit()).rejects.toMatchObject({ code: "invalid-input" });
    expect(readTexts((await illegal.commit([assistant("committed")])).messages)).toStrictEqual(["committed"]);
  });

  test("of a first batch that could not be written leave the run in its created state", async () => {
    faulty.failNext(new LedgerError("busy", "not now"));
    await expect(run.append([startDelta, textDelta("a")])).rejects.toMatchObject({ code: "busy" });
    expect((await ledger.run(run.id)).state).toBe("created");
    expect(await run.fail("gave up")).toStrictEqual({ messages: [] });
  });

  test("with an unknown write outcome are written once, whether the write took place or not", async () => {
    await run.append([startDelta]);
    const lost = new LedgerError("unavailable", "connection lost", { outcome: "unknown" });
    faulty.failNext(lost, { written: true });
    await run.append([textDelta("a")]);
    faulty.failNext(lost, { written: false });
    await run.append([textDelta("b")]);
    faulty.failNext(lost, { written: true, times: 1 });
    faulty.failNext(lost, { written: false, times: 1 });
    await expect(run.append([textDelta("c")])).rejects.toMatchObject({ outcome: "unknown" });
    // The second attempt only finds that the store is unavailable: the outcome of the first stays unknown.
    faulty.failNext(lost, { written: true });
    faulty.failNext(new LedgerError("unavailable", "unreachable"));
    await expect(run.append([textDelta("d")])).rejects.toMatchObject({ outcome: "unknown" });
    await run.append([doneDelta]);
    expect(readTexts((await run.commit()).messages)).toStrictEqual(["abcd"]);
  });

  test("a commit with an unknown outcome can be repeated, and takes place once", async () => {
    for (const written of [true, false]) {
      const { id: own } = await ledger.createThread();
      const each = await ledger.beginRun({ threadId: own });
      await each.append(createAnswer("x"));
      faulty.failNext(new LedgerError("unavailable", "connection lost", { outcome: "unknown" }), { written });
      await expect(each.commit()).rejects.toMatchObject({ outcome: "unknown" });
      const { messages } = await each.commit();
      expect(await ledger.transcript(own)).toStrictEqual(messages);
      expect(await each.commit()).toMatchObject({ messages });
      await expect(each.append([startDelta])).rejects.toMatchObject({ code: "illegal-transition" });
      expect((await ledger.run(each.id)).state).toBe("committed");
    }
  });

  test("a run whose end cannot be written can be ended later", async () => {
    await run.append([startDelta, textDelta("half")]);
    faulty.failNext(new LedgerError("disk-full", "no room"), { times: 2 });
    await expect(run.append([textDelta("lost")])).rejects.toMatchObject({ code: "disk-full" });
    await expect(run.fail("x")).rejects.toMatchObject({ code: "disk-full" });
    expect(readTexts((await run.fail("x")).messages)).toStrictEqual(["half"]);
  });

  test("are batched within the delay, and not beyond it", async () => {
    const timers = new ManualTimers();
    {
      const slow = createLedger(faulty, { flushMs: 50, timers });
      const mine = await slow.beginRun({ threadId });
      await mine.append([startDelta]);
      const before = faulty.writes;
      const written = ["a", "b", "c"].map((text) => mine.append([textDelta(text)]));
      timers.advance(49);
      expect(faulty.writes).toBe(before);
      timers.advance(1);
      await Promise.all(written);
      expect(faulty.writes).toBe(before + 1);
      // After a pause the first delta is written at once.
      timers.advance(50);
      await mine.append([textDelta("d")]);
      expect(faulty.writes).toBe(before + 2);
      // Many or long deltas are written without waiting.
      await mine.append(Array.from({ length: 256 }, () => textDelta("x")));
      await mine.append([textDelta("y".repeat(65_536))]);
      expect(faulty.writes).toBe(before + 4);
      // The end is written without waiting too.
      const last = mine.append([doneDelta]);
      await mine.commit();
      await last;
    }
    expect(timers.count).toBe(0);
  });

  test("of a long stream are in few rows of a bounded size", async () => {
    const key = { tenant: ledger.tenant, threadId };
    const pieces = Array.from({ length: 5000 }, (_, index) => textDelta(`${index} `));
    const before = faulty.writes;
    await Promise.all([run.append([startDelta]), ...pieces.map((each) => run.append([each])), run.append([doneDelta])]);
    expect(faulty.writes - before).toBeLessThan(30);
    const rows = await opened.store.reads.log(key, { runId: run.id, limit: 1000 });
    const batches = rows.filter(({ kind }) => kind === "delta").map(({ body }) => decodeBatch(run.id, body).length);
    expect(Math.max(...batches)).toBe(256);
    expect(batches.reduce((sum, length) => sum + length)).toBe(5002);
    expect(readTexts((await run.commit()).messages)).toStrictEqual([pieces.map((_, index) => `${index} `).join("")]);
  });

  test("that are pending when the ledger is closed are written first", async () => {
    const own = await opened.another({ flushMs: 60_000 });
    const mine = await own.beginRun({ threadId });
    await mine.append([startDelta]);
    const written = mine.append([textDelta("at the last moment")]);
    await own.close();
    await written;
    expect((await logged()).at(-1)).toBe("delta at the last moment");
    await expect(mine.append([doneDelta])).rejects.toMatchObject({ code: "closed" });
  });
});
