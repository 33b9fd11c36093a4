// Tests runs on every store: their messages, the messages they replace, and the turns of interrupted ones.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { Ledger, RunsPage } from "../../../src/ledger/types.ts";
import { assistant, toolResult, user, type Message } from "../../../src/model/index.ts";
import { call, delta, result } from "../../support/deltas.ts";
import {
  commitAnswer,
  createAnswer,
  startDelta,
  usageDelta,
  doneDelta,
  readIds,
  textDelta,
  readTexts,
} from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

async function codeOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => "no error",
    (error: unknown) => (error instanceof LedgerError ? [error.code, error.path] : error),
  );
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open({ flushMs: 0 });
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  const append = async (...messages: Message[]): Promise<string[]> => readIds(await ledger.append(threadId, messages));
  const transcript = async (branch?: string): Promise<string[]> =>
    readTexts(await ledger.transcript(threadId, branch === undefined ? {} : { branch }));
  const stateOf = async (runId: string): Promise<string> => (await ledger.run(runId)).state;

  test("the last runs of a thread are listed, and separately the live ones", async () => {
    const ids: string[] = [];
    for (const text of ["a", "b", "c"]) ids.push((await commitAnswer(ledger, { threadId }, text)).id);
    const live = await ledger.beginRun({ threadId });
    const { id: elsewhere } = await ledger.createThread();
    const other = await ledger.beginRun({ threadId: elsewhere });
    const state = async (page?: RunsPage): Promise<string[]> => (await ledger.runs(threadId, page)).map(({ id }) => id);
    expect(await state()).toStrictEqual([...ids, live.id]);
    expect(await state({ last: 2 })).toStrictEqual([ids[2], live.id]);
    expect(await state({ live: true })).toStrictEqual([live.id]);
    await expect(ledger.beginRun({ threadId, exclusive: true })).rejects.toMatchObject({
      code: "conflict",
      path: "exclusive",
    });
    await live.cancel();
    expect(await state({ live: true })).toStrictEqual([]);
    // A run of another thread is no obstacle.
    await (await ledger.beginRun({ threadId, exclusive: true })).cancel();
    await other.cancel();
    expect(await codeOf(ledger.runs(threadId, { last: 0 }))).toStrictEqual(["invalid-input", "last"]);
  });

  describe("a commit", () => {
    test("writes the assembled messages with the metadata of each answer", async () => {
      const [question] = await append(user("2 + 2?"));
      const run = await ledger.beginRun({ threadId, metadata: { provider: "acme" } });
      await run.append([
        startDelta,
        delta("thinking", { textDelta: "hm" }),
        textDelta("fo"),
        textDelta("ur"),
        usageDelta(7, 2),
        doneDelta,
      ]);
      const { messages, supersededRunIds } = await run.commit();
      const usage = { inputTokens: 7, outputTokens: 2, totalTokens: 9 };
      expect(supersededRunIds).toStrictEqual([]);
      expect(messages).toMatchObject([
        {
          role: "assistant",
          parentMessageId: question,
          parts: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "four" },
          ],
          metadata: { runId: run.id, model: "m-1", provider: "acme", finishReason: { unified: "stop" }, usage },
        },
      ]);
      expect(await ledger.run(run.id)).toMatchObject({ state: "committed", usage, metadata: { provider: "acme" } });
      expect((await ledger.transcript(threadId)).slice(1)).toStrictEqual(messages);
      expect(run.info).toStrictEqual(await ledger.run(run.id));
    });

    test("stores the other fields of an answer: its id, time, residue and alternatives", async () => {
      const run = await ledger.beginRun({ threadId });
      const extra = { acme: { tier: "gold" } };
      await run.append([
        delta("start", { modelId: "m-1", requestId: "r-1", createdAt: "2031-01-01T00:00:00.000Z", extra }),
        textDelta("one"),
        delta("text", { textDelta: "another", choice: 1 }),
        delta("done", { finishReason: "stop", alternatives: [{ finishReason: "length" }] }),
      ]);
      const { messages } = await run.commit();
      expect(messages[0]?.metadata["response"]).toMatchObject({
        id: "r-1",
        createdAt: "2031-01-01T00:00:00.000Z",
        extra,
        alternatives: [
          { message: { parts: [{ type: "text", text: "another" }] }, finishReason: { unified: "length" } },
        ],
      });
    });

    test("writes a run of several answers in order, and adds up their usage", async () => {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, ...call("c1", '{"n":1}'), usageDelta(10, 5), doneDelta, result("c1", "one")]);
      await run.append([startDelta, textDelta("it is one"), usageDelta(20, 3), doneDelta]);
      const { messages } = await run.commit();
      expect(messages.map(({ role }) => role)).toStrictEqual(["assistant", "tool", "assistant"]);
      expect(messages.map(({ parentMessageId }) => parentMessageId)).toStrictEqual([
        null,
        ...readIds(messages).slice(0, 2),
      ]);
      expect(messages.map(({ metadata }) => metadata.runId)).toStrictEqual([run.id, run.id, run.id]);
      expect((await ledger.run(run.id)).usage).toStrictEqual({ inputTokens: 30, outputTokens: 8, totalTokens: 38 });
    });

    test("does not overwrite a message's own metadata", async () => {
      const run = await ledger.beginRun({ threadId, metadata: { provider: "acme" } });
      const message = { metadata: { provider: "other", note: "mine" } };
      await run.append([startDelta, textDelta("x"), delta("done", { finishReason: "stop", message })]);
      const { messages } = await run.commit();
      expect(messages[0]?.metadata).toMatchObject({ provider: "other", note: "mine", model: "m-1" });
    });

    test("accepts messages instead of the stream, regardless of the streamed deltas", async () => {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta("never mind"), delta("error", { errorCode: "overloaded" })]);
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      const committedMessages = { ...assistant("answer"), metadata: { usage } };
      const { messages } = await run.commit([committedMessages, user("question")], { metadata: { note: 1 } });
      expect(readTexts(messages)).toStrictEqual(["answer", "question"]);
      expect(await ledger.run(run.id)).toMatchObject({ state: "committed", usage, metadata: { note: 1 } });
    });

    test.each([
      ["has not begun", [], /Append the rest/],
      ["has not ended", [startDelta], /Append the rest/],
      ["ended in an error", [startDelta, delta("error", { errorCode: "overloaded" })], /fail\(\)/],
    ])("of a stream that %s is a conflict, and the run stays live", async (_, deltas, advice) => {
      const run = await ledger.beginRun({ threadId });
      await run.append(deltas);
      await expect(run.commit()).rejects.toMatchObject({ code: "conflict", message: expect.stringMatching(advice) });
      expect(await stateOf(run.id)).toBe(deltas.length === 0 ? "created" : "streaming");
      expect(await run.cancel()).toStrictEqual({ messages: [] });
    });

    test("is a conflict if the leaf moved, and may be repeated", async () => {
      const [first] = await append(user("a"));
      const run = await ledger.beginRun({ threadId, expectedLeaf: first ?? null });
      await run.append(createAnswer("b"));
      const [second] = await append(user("meanwhile"));
      expect(await codeOf(run.commit(undefined, { expectedLeaf: first ?? null }))).toStrictEqual([
        "conflict",
        "expectedLeaf",
      ]);
      await run.commit(undefined, { expectedLeaf: second ?? null });
      expect(await transcript()).toStrictEqual(["a", "meanwhile", "b"]);
    });

    test("that is called twice concurrently takes place once", async () => {
      const run = await ledger.beginRun({ threadId });
      const written = run.append(createAnswer("once"));
      const [one, two] = await Promise.all([run.commit(), run.commit(), written]);
      expect(two).toStrictEqual(one);
      expect(await transcript()).toStrictEqual(["once"]);
      expect(await codeOf(run.append(createAnswer("more")))).toStrictEqual(["illegal-transition", ""]);
    });
  });

  describe("beginRun", () => {
    test("B95: the same key and request attaches to the run, another request is a conflict", async () => {
      const input = { threadId, idempotencyKey: "key", metadata: { a: 1 } };
      const run = await ledger.beginRun(input);
      const [again, elsewhere] = [await ledger.beginRun(input), await (await opened.another()).beginRun(input)];
      expect([run.attached, again.attached, elsewhere.attached]).toStrictEqual([false, true, true]);
      expect([again.id, elsewhere.id]).toStrictEqual([run.id, run.id]);
      expect(await codeOf(ledger.beginRun({ ...input, mode: "branch" }))).toStrictEqual(["conflict", "idempotencyKey"]);
      expect(await codeOf(again.append(createAnswer("x")))).toStrictEqual(["fenced", ""]);
      expect(await codeOf(again.commit())).toStrictEqual(["fenced", ""]);
      await run.append(createAnswer("mine"));
      const committed = await run.commit();
      expect(await again.commit()).toStrictEqual(committed);
      expect(again.info.state).toBe("committed");
      expect(await codeOf(again.cancel())).toStrictEqual(["conflict", ""]);
      expect(await ledger.runs(threadId)).toHaveLength(1);
    });

    test("B95: of concurrent callers with one key, one starts the run", async () => {
      const other = await opened.another();
      const begun = await Promise.all(
        [ledger, other, ledger, other].map((each) => each.beginRun({ threadId, idempotencyKey: "race" })),
      );
      expect(begun.filter(({ attached }) => !attached)).toHaveLength(1);
      expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
      await other.close();
    });

    test("a key that was used to append is a conflict", async () => {
      await ledger.append(threadId, [user("x")], { idempotencyKey: "taken" });
      expect(await codeOf(ledger.beginRun({ threadId, idempotencyKey: "taken" }))).toStrictEqual([
        "conflict",
        "idempotencyKey",
      ]);
    });

    test.each([
      ["an unknown thread", { threadId: "none" }, ["unknown-thread", "threadId"]],
      ["no thread", {}, ["invalid-input", "threadId"]],
      ["an unknown mode", { mode: "other" }, ["invalid-input", "mode"]],
      ["a fork point that is not an id", { forkFromMessageId: 7 }, ["invalid-input", "forkFromMessageId"]],
      ["an empty key", { idempotencyKey: "" }, ["invalid-input", "idempotencyKey"]],
      ["metadata that is not an object", { metadata: "x" }, ["invalid-input", "metadata"]],
      ["an outdated expected leaf", { expectedLeaf: "01HZZZZZZZZZZZZZZZZZZZZZZZ" }, ["conflict", "expectedLeaf"]],
    ])("with %s is rejected", async (_, input, expected) => {
      const whole = Object.keys(input).length === 0 ? {} : { threadId, ...input };
      expect(await codeOf(ledger.beginRun(whole as never))).toStrictEqual(expected);
    });

    test("creates a run that others can see", async () => {
      const run = await ledger.beginRun({ threadId, mode: "branch", idempotencyKey: "k", metadata: { model: "x" } });
      const info = await ledger.run(run.id);
      expect(info).toStrictEqual({
        id: run.id,
        threadId,
        state: "created",
        mode: "branch",
        idempotencyKey: "k",
        createdAt: info.createdAt,
        epoch: 1,
        lastSeq: -1,
        metadata: { model: "x" },
      });
      expect(await ledger.runs(threadId)).toStrictEqual([info]);
      await expect(ledger.forTenant("other").run(run.id)).rejects.toMatchObject({ code: "unknown-run" });
    });
  });

  describe("a run that does not commit", () => {
    test("B90: stores its partial turn, marked interrupted, beside the active path and outside of the context", async () => {
      await append(user("q"));
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, ...call("c1", "{}"), doneDelta, result("c1", "found")]);
      await run.append([
        startDelta,
        textDelta("so it "),
        delta("tool_call_start", { toolCallId: "c2", toolName: "t" }),
      ]);
      const { messages } = await run.fail({ kind: "network", message: "gone", status: 502 });
      expect(messages.map(({ role }) => role)).toStrictEqual(["assistant", "tool", "assistant"]);
      expect(messages.map(({ metadata }) => metadata.interrupted)).toStrictEqual([true, true, true]);
      expect(messages[2]?.parts).toMatchObject([
        { type: "text", text: "so it " },
        { type: "tool-call", toolCallId: "c2", invalid: true },
      ]);
      expect(messages[0]?.metadata).toMatchObject({ model: "m-1", finishReason: { unified: "stop" } });
      expect(await transcript()).toStrictEqual(["q"]);
      expect(await transcript(messages[2]?.id)).toHaveLength(4);
      expect(readTexts(await ledger.context(threadId, { branch: messages[2]?.id ?? "" }))).toStrictEqual(["q"]);
      expect(await ledger.run(run.id)).toMatchObject({
        state: "failed",
        error: { kind: "network", message: "gone", status: 502 },
      });
    });

    test("B26: after an abort a new assistant turn begins", async () => {
      await append(user("q"));
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta("I was say")]);
      await run.cancel();
      const next = await commitAnswer(ledger, { threadId }, "a fresh start");
      expect(await transcript()).toStrictEqual(["q", "a fresh start"]);
      expect(readTexts(next.messages)).toStrictEqual(["a fresh start"]);
      expect(await ledger.run(run.id)).not.toHaveProperty("error");
    });

    test("B67: stores the usage of complete and of partial answers", async () => {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, ...call("c1", "{}"), usageDelta(10, 1), doneDelta, result("c1")]);
      await run.append([startDelta, usageDelta(30, 4), textDelta("x")]);
      await run.cancel();
      const usage = { inputTokens: 40, outputTokens: 5, totalTokens: 45 };
      expect(await ledger.run(run.id)).toMatchObject({ state: "cancelled", usage });
    });

    test.each([
      ["no delta", []],
      ["a beginning", [startDelta]],
      ["a start and its usage", [startDelta, usageDelta(3, 0)]],
    ])("leaves no message if %s had arrived", async (_, deltas) => {
      const run = await ledger.beginRun({ threadId });
      await run.append(deltas);
      expect(await run.cancel()).toStrictEqual({ messages: [] });
      expect((await ledger.tree(threadId)).messages).toStrictEqual([]);
    });

    test("stores its partial turn at its fork point, and the leaf stays", async () => {
      const [question] = await append(user("q"));
      await commitAnswer(ledger, { threadId }, "a");
      const run = await ledger.beginRun({ threadId, forkFromMessageId: question ?? null });
      await run.append([startDelta, textDelta("half")]);
      const { messages } = await run.fail(new TypeError("no such thing"));
      expect(messages[0]?.parentMessageId).toBe(question);
      expect(await transcript()).toStrictEqual(["q", "a"]);
      expect((await ledger.run(run.id)).error).toStrictEqual({
        kind: "unknown",
        message: "no such thing",
        raw: { name: "TypeError" },
      });
    });

    test.each([
      ["undefined", undefined, "undefined", undefined],
      ["a number", 7, "7", undefined],
      ["an object without a message", { code: "E1" }, '{"code":"E1"}', { code: "E1" }],
      ["a message that is not a text", { message: 7 }, '{"message":7}', { message: 7 }],
      ["a value without a JSON form", { big: 1n }, "{ big: 1n }", undefined],
      ["more than fits", { text: "x".repeat(9_999) }, "x…", { text: "x".repeat(9_999) }],
    ])("ends with any thrown value: %s", async (_, thrown, described, raw) => {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta("half")]);
      expect(readTexts((await run.fail(thrown)).messages)).toStrictEqual(["half"]);
      const { error } = await ledger.run(run.id);
      expect(error).toStrictEqual({ kind: "unknown", message: error?.message, ...(raw === undefined ? {} : { raw }) });
      expect(error?.message.endsWith(described)).toBe(true);
      expect(error?.message.length).toBeLessThan(600);
    });

    test("in an empty thread leaves the active path empty", async () => {
      const run = await ledger.beginRun({ threadId });
      await run.append([startDelta, textDelta("half")]);
      await run.cancel();
      expect(await transcript()).toStrictEqual([]);
      expect((await ledger.thread(threadId)).activeLeafId).toBeNull();
      await commitAnswer(ledger, { threadId }, "whole");
      expect(await transcript()).toStrictEqual(["whole"]);
    });
  });

  test("a tool result that was given is stored with the run", async () => {
    const run = await ledger.beginRun({ threadId });
    const toolCall = { type: "tool-call", toolCallId: "c", toolName: "t", input: {} } as const;
    const { messages } = await run.commit([assistant([toolCall]), toolResult(toolCall, "out")]);
    expect(messages.map(({ metadata }) => metadata.runId)).toStrictEqual([run.id, run.id]);
  });
});
