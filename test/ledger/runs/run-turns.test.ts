// Tests that a run stores exactly the deltas it acknowledged: no unreadable turn, no later change, nothing after a gap,
// nothing twice.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import { requireStorableTurn, removeUnstorable } from "../../../src/ledger/runs/depth-limit.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { Ledger, LedgerProblem, Run } from "../../../src/ledger/types.ts";
import { MAX_DEPTH, type Delta, type Message, type MessageDelta, type Part } from "../../../src/model/index.ts";
import { delta } from "../../support/deltas.ts";
import {
  createAnswer,
  startDelta,
  usageDelta,
  doneDelta,
  FakeClock,
  FaultyStore,
  textDelta,
  readTexts,
} from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const LEASE = 10_000;
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const call = (args: string): Delta[] => [
  delta("tool_call_start", { toolCallId: "c", toolName: "f" }),
  delta("tool_call_args", { toolCallId: "c", argsTextDelta: args }),
  delta("tool_call_end", { toolCallId: "c" }),
];
const whole = (value: Part): Delta => delta("part", { value });
const unknown = (): LedgerError => new LedgerError("unavailable", "gone", { outcome: "unknown" });

describe("B91: a message that could not be read back", () => {
  const opaque: Part = { type: "opaque", dialect: "anthropic", value: [NaN] };
  const broken: Message = {
    role: "assistant",
    parts: [{ type: "text", text: "x" }, opaque],
    extra: { anthropic: { when: NaN } },
    metadata: { model: "m-1", usage: { inputTokens: NaN, outputTokens: 1, totalTokens: 1 } },
  };
  const sound: Message = { role: "assistant", parts: [{ type: "text", text: "x" }], metadata: { model: "m-1" } };

  test("is not committed, and the error contains the path", () => {
    const { extra: _, ...message } = { ...broken, parts: [] };
    const refused = expect.objectContaining({ code: "invalid-input", path: "/messages/1/metadata/usage/inputTokens" });
    expect(() => requireStorableTurn([sound, message])).toThrow(refused);
    expect(requireStorableTurn([sound])).toStrictEqual([sound]);
  });

  test("is stored without the invalid values, whose paths are reported", () => {
    const dropped = ["/parts/1", "/extra", "/metadata/usage"];
    expect(removeUnstorable(broken)).toStrictEqual({ message: sound, dropped });
    expect(broken.parts).toHaveLength(2);
    expect(removeUnstorable(sound)).toStrictEqual({ message: sound, dropped: [] });
  });
});

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  const problems: LedgerProblem[] = [];
  const options = {
    clock: clock.now,
    leaseMs: LEASE,
    flushMs: 0,
    onProblem: (problem: LedgerProblem) => void problems.push(problem),
  };
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  let run: Run;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    problems.length = 0;
    ({ id: threadId } = await ledger.createThread());
    run = await ledger.beginRun({ threadId });
  });
  afterAll(() => opened.close());

  const faulty = (): { own: Ledger; broken: FaultyStore } => {
    const broken = new FaultyStore(opened.store);
    return { own: createLedger(broken, options), broken };
  };

  test.each<[string, Delta[]]>([
    ["a whole answer", [startDelta, usageDelta(3, 4), doneDelta]],
    ["an answer that has not ended", [startDelta, usageDelta(3, 4)]],
  ])("a commit without messages stores only the usage of %s", async (_, deltas) => {
    const before = await ledger.append(threadId, [{ role: "user", parts: [{ type: "text", text: "Hi." }] }]);
    await run.append(deltas);
    const facts = { metadata: { note: "empty" } };
    const none = { messages: [], supersededRunIds: [] };
    expect(await run.commit([], facts)).toStrictEqual(none);
    expect(await run.commit([], facts)).toStrictEqual(none);
    expect(await ledger.transcript(threadId)).toStrictEqual(before);
    expect((await ledger.thread(threadId)).activeLeafId).toBe(before[0]?.id);
    expect(await ledger.run(run.id)).toMatchObject({ state: "committed", usage: { totalTokens: 7 }, ...facts });
    // A ledger that knows the run only from the log returns the same.
    const { own, broken } = faulty();
    const other = await own.beginRun({ threadId });
    await other.append(deltas);
    broken.failNext(unknown(), { written: true });
    await expect(other.commit([])).rejects.toMatchObject({ outcome: "unknown" });
    expect(await other.commit([])).toStrictEqual(none);
    expect(await ledger.run(other.id)).toMatchObject({ state: "committed", usage: { totalTokens: 7 } });
  });

  describe("B22: arguments that are too deep for a message", () => {
    const storedCall = (args: string): object => ({ input: args, inputText: args, invalid: true });

    test.each([MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH])("are stored as text by a commit: %i levels", async (depth) => {
      await run.append([startDelta, ...call(nested(depth)), doneDelta]);
      const { messages } = await run.commit();
      expect(messages[0]?.parts[0]).toMatchObject(storedCall(nested(depth)));
      expect(messages[0]?.metadata.invalidToolCalls).toMatchObject([{ toolCallId: "c" }]);
      expect(await ledger.transcript(threadId)).toStrictEqual(messages);
      expect(problems).toStrictEqual([]);
    });

    test("are stored as a value within the depth limit", async () => {
      await run.append([startDelta, ...call(nested(MAX_DEPTH - 3)), doneDelta]);
      const { messages } = await run.commit();
      expect(messages[0]?.parts[0]).not.toHaveProperty("invalid");
      expect(await ledger.transcript(threadId)).toStrictEqual(messages);
    });

    test("are stored as text by an alternative, too", async () => {
      const args = nested(MAX_DEPTH - 5);
      const start = delta("tool_call_start", { toolCallId: "c", toolName: "f", choice: 1 });
      await run.append([startDelta, textDelta("x"), start, ...call(args).slice(1), doneDelta]);
      const { messages } = await run.commit();
      const alternatives = [{ message: { parts: [storedCall(args)] } }];
      expect(messages[0]?.metadata["response"]).toMatchObject({ alternatives });
      expect(await ledger.transcript(threadId)).toStrictEqual(messages);
    });

    test("are stored as text by fail", async () => {
      await run.append([startDelta, ...call(nested(MAX_DEPTH))]);
      const { messages } = await run.fail("broken");
      expect(messages[0]?.parts[0]).toMatchObject(storedCall(nested(MAX_DEPTH)));
      expect((await ledger.tree(threadId)).messages).toStrictEqual(messages);
    });

    test("are stored as text by recover", async () => {
      await run.append([startDelta, ...call(nested(MAX_DEPTH))]);
      clock.pass(2 * LEASE);
      const recovered = (await ledger.recover()).find(({ runId }) => runId === run.id);
      expect(recovered?.messages[0]?.parts[0]).toMatchObject(storedCall(nested(MAX_DEPTH)));
      expect((await ledger.tree(threadId)).messages).toStrictEqual(recovered?.messages);
      expect(problems).toStrictEqual([]);
    });
  });

  test.each([MAX_DEPTH - 11, MAX_DEPTH - 3, MAX_DEPTH + 50])(
    "a part that is nested too deeply is rejected: %i levels",
    async (depth) => {
      const input: unknown = JSON.parse(nested(depth));
      const part = whole({ type: "tool-call", toolCallId: "c", toolName: "f", input });
      await expect(run.append([startDelta, part])).rejects.toMatchObject({ code: "invalid-input", path: "/deltas/1" });
      const raw = { ...startDelta, providerRaw: input };
      await expect(run.append([raw])).rejects.toMatchObject({ code: "invalid-input", path: "/deltas/0" });
      await run.append(createAnswer("without"));
      expect(readTexts((await run.commit()).messages)).toStrictEqual(["without"]);
    },
  );

  test("B94: a caller's changes of an accepted delta are not stored", async () => {
    const input = { a: 1 };
    const seal = { dialect: "anthropic" as const, kind: "signature", value: "s" };
    const extra = { "openai-chat": { x: [1] } };
    const started = { modelId: "m-1", requestId: "r-1", contractVersion: 1 };
    const ended = { finishReason: "stop" as string };
    await run.append([
      delta("start", started),
      delta("text", { textDelta: "x", extra }),
      whole({ type: "tool-call", toolCallId: "c", toolName: "f", input }),
      delta("seal", { seal }),
      delta("done", ended as never),
    ]);
    input.a = 2;
    seal.value = "changed";
    extra["openai-chat"].x.push(2);
    started.modelId = "changed";
    ended.finishReason = "changed";
    const { messages } = await run.commit();
    const [text, made] = messages[0]?.parts ?? [];
    expect(text).toMatchObject({ text: "x", extra: { "openai-chat": { x: [1] } } });
    expect(made).toMatchObject({ input: { a: 1 }, seals: [{ value: "s" }] });
    expect(messages[0]?.metadata).toMatchObject({ model: "m-1", finishReason: { unified: "stop" } });
  });

  test("no delta is accepted after an invalid one was pushed, not even in the same tick", async () => {
    run.push([startDelta]);
    run.push([textDelta("1")]);
    run.push([delta("tool_call_end", { toolCallId: "none" })]);
    run.push([textDelta("3")]);
    run.push([doneDelta]);
    await expect(run.commit()).rejects.toMatchObject({ code: "invalid-input" });
    expect((await ledger.run(run.id)).lastSeq).toBe(1);
    expect(readTexts((await run.cancel()).messages)).toStrictEqual(["1"]);
  });

  describe("B95: deltas with an unknown write outcome", () => {
    const stamped = (runId: string, from: number, deltas: readonly Delta[]): MessageDelta[] =>
      deltas.map((each, index) => ({ ...each, runId, seq: from + index, timestamp: "2031-01-01T00:00:00.000Z" }));

    test.each([true, false])("can be appended again and count once: written is %s", async (written) => {
      const { own, broken } = faulty();
      const theirs = await own.beginRun({ threadId });
      await theirs.append(stamped(theirs.id, 0, [startDelta, textDelta("a")]));
      const batch = stamped(theirs.id, 2, [textDelta("b"), textDelta("c")]);
      broken.failNext(unknown(), { written, times: 2 });
      await expect(theirs.append(batch)).rejects.toMatchObject({ outcome: "unknown" });
      expect((await ledger.run(theirs.id)).lastSeq).toBe(written ? 3 : 1);
      await theirs.append([...batch, ...stamped(theirs.id, 4, [doneDelta])]);
      expect(readTexts((await theirs.commit()).messages)).toStrictEqual(["abc"]);
    });

    test("are rejected with other content, as are earlier deltas", async () => {
      const { own, broken } = faulty();
      const theirs = await own.beginRun({ threadId });
      const first = stamped(theirs.id, 0, [startDelta, textDelta("a")]);
      await theirs.append(first);
      broken.failNext(unknown(), { written: true, times: 2 });
      await expect(theirs.append(stamped(theirs.id, 2, [textDelta("b")]))).rejects.toMatchObject({
        outcome: "unknown",
      });
      const other = theirs.append(stamped(theirs.id, 2, [textDelta("B")]));
      await expect(other).rejects.toMatchObject({ code: "invalid-input" });
      await expect(theirs.append(first)).rejects.toMatchObject({ code: "invalid-input" });
      await theirs.cancel();
    });
  });

  describe("B90: recovery", () => {
    const lost = async (count: number): Promise<string[]> => {
      // Runs that other tests left live are excluded.
      clock.pass(2 * LEASE);
      await ledger.recover().catch(() => []);
      const ids: string[] = [];
      for (let at = 0; at < count; at++) {
        const each = await ledger.beginRun({ threadId });
        await each.append([startDelta, textDelta("x")]);
        ids.push(each.id);
      }
      clock.pass(2 * LEASE);
      return ids;
    };

    test("recovers the other runs if one cannot be recovered, and reports it", async () => {
      const ids = await lost(3);
      const { own, broken } = faulty();
      problems.length = 0;
      broken.failNext(new LedgerError("busy", "not now"));
      const recovered = (await own.recover()).map(({ runId }) => runId);
      expect(recovered).toHaveLength(2);
      const left = ids.filter((id) => !recovered.includes(id));
      expect(problems).toMatchObject([{ threadId, messageId: left[0], reason: expect.stringContaining("not now") }]);
      expect((await ledger.recover()).map(({ runId }) => runId)).toStrictEqual(left);
    });

    test("fails if no run can be recovered", async () => {
      await lost(2);
      const { own, broken } = faulty();
      broken.failNext(new LedgerError("busy", "not now"), { times: 2 });
      await expect(own.recover()).rejects.toMatchObject({ code: "busy" });
      expect(await ledger.recover()).toHaveLength(2);
    });
  });

  test.each(["{", '{"run":{"state":"committed"},"outcome":{"messageIds":7}}', '{"run":{}}'])(
    "B91: the result of a run is an error if its record is damaged: %s",
    async (body) => {
      const input = { threadId, idempotencyKey: "k" };
      const own = await ledger.beginRun(input);
      await own.append(createAnswer("x"));
      await own.commit();
      const key = { tenant: ledger.tenant, threadId };
      await opened.store.write(function* damage(tx) {
        const row = yield* wait(tx.run(key.tenant, own.id));
        const rows = yield* wait(tx.log(key, { runId: own.id, limit: 100 }));
        const last = rows.at(-1);
        if (row === undefined || last === undefined) throw new Error("There is no run.");
        yield* wait(tx.deleteRuns(key, [own.id]));
        yield* wait(tx.insertRun(row));
        yield* wait(tx.insertLog([{ ...last, body }]));
      });
      const again = await ledger.beginRun(input);
      await expect(again.commit()).rejects.toMatchObject({ name: "LedgerError", code: "corrupt" });
    },
  );
});
