// Tests whole calls in one write on every store, compared with thread, input, run and commit one by one; runs that
// create their thread and input; and aliases.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import type { Ledger, NewRecord } from "../../../src/ledger/types.ts";
import { assistant, type Message, type StoredMessage, user } from "../../../src/model/index.ts";
import {
  createAnswer,
  readEventsUpToNow,
  FaultyStore,
  readIds,
  splitList,
  describeEvent,
  readTexts,
} from "../support/runs.ts";
import { collect } from "../support/scope.ts";
import { INVALID_CALLS } from "./record.rows.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const USAGE = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
const reply = (text: string): Message => ({ ...assistant(text), metadata: { model: "m-1", usage: USAGE } });

/** A call, given the first messages of the thread. */
type Call = (begun: readonly StoredMessage[]) => Omit<NewRecord, "threadId" | "thread">;

const CALLS: readonly [what: string, call: Call][] = [
  [
    "continues a thread",
    () => ({ input: { messages: [user("more")] }, messages: [reply("yes")], metadata: { provider: "p" } }),
  ],
  [
    "has several input messages",
    () => ({ input: { messages: [user("a"), user("b")] }, messages: [reply("c"), reply("d")] }),
  ],
  [
    "branches after an edit",
    ([first]) => ({
      input: { messages: [user("edited")], parentMessageId: first?.id ?? null },
      messages: [reply("e")],
    }),
  ],
  [
    "starts again at the root",
    () => ({ input: { messages: [user("new")], parentMessageId: null }, messages: [reply("f")] }),
  ],
  ["answers the leaf", () => ({ messages: [reply("again")] })],
  ["regenerates an answer", ([question]) => ({ forkFromMessageId: question?.id ?? null, messages: [reply("better")] })],
  [
    "adds an alternative answer",
    ([question]) => ({ forkFromMessageId: question?.id ?? null, mode: "branch", messages: [reply("beside")] }),
  ],
  ["forks at the root", () => ({ forkFromMessageId: null, messages: [reply("from the root")] })],
  ["has no messages", () => ({ input: { messages: [user("hm")] }, messages: [] })],
  [
    "fails midway",
    () => ({
      input: { messages: [user("more")] },
      messages: [reply("hal")],
      error: { kind: "overloaded", message: "full" },
    }),
  ],
  ["fails at once", () => ({ input: { messages: [user("more")] }, messages: [], state: "failed", error: "no" })],
  ["is cancelled", () => ({ input: { messages: [user("more")] }, messages: [reply("ha")], state: "cancelled" })],
  ["contains its usage", () => ({ messages: [assistant("x")], usage: { ...USAGE, cacheReadTokens: 1 } })],
];

/** Returns the visible content of a thread, with names instead of ids and without times and leases. */
async function seen(ledger: Ledger, threadId: string): Promise<unknown> {
  const [tree, runs] = [await ledger.tree(threadId), await ledger.runs(threadId)];
  const all = await readEventsUpToNow(ledger, threadId);
  // The beginning of a recorded call is never visible.
  const events = all.filter((event) => event.type !== "run" || event.run.state !== "created");
  const text = JSON.stringify({
    tree,
    runs,
    lines: events.map(describeEvent),
    events: events.map(({ cursor: _cursor, ...event }) => event),
  });
  const names = new Map<string, string>();
  const nameOf = (id: string): string => names.get(id) ?? names.set(id, `id ${names.size}`).get(id) ?? "";
  return JSON.parse(
    text.replaceAll(/"(createdAt|finishedAt)":"[^"]*"/g, '"$1":""').replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, nameOf),
  );
}

/** Performs the same call step by step. */
async function stepByStep(
  ledger: Ledger,
  threadId: string,
  call: Omit<NewRecord, "threadId" | "thread">,
): Promise<void> {
  const { input, messages, mode, metadata, usage, error, state } = call;
  const [last] = input === undefined ? [] : (await ledger.append(threadId, input.messages, input)).slice(-1);
  const forkFromMessageId = last === undefined ? call.forkFromMessageId : last.id;
  const run = await ledger.beginRun({ threadId, forkFromMessageId, mode, metadata });
  if (state === "cancelled" || error !== undefined) {
    const texts = messages.flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")));
    if (texts.length > 0) await run.append(createAnswer(...texts).slice(0, -1));
    await (error === undefined ? run.cancel() : run.fail(error));
  } else {
    const [first, ...rest] = messages;
    const counted =
      usage === undefined || first === undefined ? messages : [{ ...first, metadata: { usage } }, ...rest];
    await run.commit(counted);
  }
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  let begun: StoredMessage[];
  beforeAll(async () => {
    opened = await store.open();
    ({ ledger } = opened);
  });
  const begin = async (): Promise<string> => {
    const { id } = await ledger.createThread();
    const { input, messages } = await ledger.record({
      threadId: id,
      input: { messages: [user("hello")] },
      messages: [reply("hi")],
    });
    begun = [...input, ...messages];
    return id;
  };
  beforeEach(async () => {
    threadId = await begin();
  });
  afterAll(() => opened.close());

  test.each(CALLS)("a call that %s equals its single steps", async (what, call) => {
    const recorded = await ledger.record({ threadId, ...call(begun) });
    expect(recorded).toMatchObject({ threadId, attached: false });
    const [whole, own] = [await seen(ledger, threadId), call(begun)];
    threadId = await begin();
    await stepByStep(ledger, threadId, call(begun));
    const steps = JSON.parse(JSON.stringify(await seen(ledger, threadId))) as Record<string, unknown>;
    // An interrupted stream has additional events; the rest is equal.
    if (own.state === undefined && own.error === undefined && own.usage === undefined)
      expect(whole).toStrictEqual(steps);
    const { tree } = whole as { tree: { messages: Message[]; activeLeafId: string } };
    const others = steps["tree"] as typeof tree;
    expect([what, readTexts(tree.messages), tree.activeLeafId]).toStrictEqual([
      what,
      readTexts(others.messages),
      others.activeLeafId,
    ]);
    expect(tree.messages.map(({ metadata }) => metadata?.interrupted)).toStrictEqual(
      others.messages.map(({ metadata }) => metadata?.interrupted),
    );
    const states = ({ runs }: { runs?: unknown }) =>
      (runs as { state: string; error?: unknown; usage?: unknown }[]).map(({ state, error }) => [state, error]);
    expect(states(whole as object)).toStrictEqual(states(steps));
  });

  test("returns the stored messages, and stores the usage", async () => {
    const input = { messages: [user("more")] };
    const recorded = await ledger.record({ threadId, input, messages: [reply("yes")], metadata: { losses: [1] } });
    const transcript = await ledger.transcript(threadId);
    expect([...begun, ...recorded.input, ...recorded.messages]).toStrictEqual(transcript);
    expect(recorded.run).toStrictEqual(await ledger.run(recorded.run.id));
    expect(recorded.run).toMatchObject({ state: "committed", usage: USAGE, metadata: { losses: [1] } });
    expect(recorded.run.forkFromMessageId).toBe(recorded.input.at(-1)?.id);
  });

  test("a regenerated answer supersedes the run before", async () => {
    const [run] = await ledger.runs(threadId);
    const forkFromMessageId = begun[0]?.id ?? null;
    const recorded = await ledger.record({ threadId, forkFromMessageId, messages: [reply("better")] });
    expect(recorded.supersededRunIds).toStrictEqual([run?.id]);
    expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["hello", "better"]);
  });

  test("is one write", async () => {
    const faulty = new FaultyStore(opened.store);
    const own = createLedger(faulty, { indexMs: false });
    const thread = { id: own.newId(), title: "Corinth", kind: "chat", scope: "ann" };
    const call = {
      thread,
      runId: own.newId(),
      input: { messages: [user("a")] },
      messages: [reply("b")],
      alias: "one-write",
    };
    await own.record({ ...call, idempotencyKey: "k" });
    expect(faulty.writes).toBe(1);
    expect(await ledger.thread(thread.id)).toMatchObject(thread);
  });

  test("a rejected call writes nothing", async () => {
    const before = await seen(ledger, threadId);
    const call = { threadId, input: { messages: [user("a")], parentMessageId: "nowhere" }, messages: [reply("b")] };
    await expect(ledger.record(call)).rejects.toMatchObject({ code: "unknown-message" });
    const thread = { id: ledger.newId() };
    await expect(
      ledger.record({ thread, messages: [reply("b")], forkFromMessageId: "nowhere", alias: "refused" }),
    ).rejects.toMatchObject({ code: "unknown-message", path: "forkFromMessageId" });
    await expect(ledger.thread(thread.id)).rejects.toMatchObject({ code: "unknown-thread" });
    expect(await ledger.runByAlias("refused")).toBeUndefined();
    const stale = { threadId, messages: [reply("b")], expectedLeaf: null };
    await expect(ledger.record(stale)).rejects.toMatchObject({ code: "conflict", path: "expectedLeaf" });
    const now = JSON.stringify(await seen(ledger, threadId)).replaceAll('"mark"', "");
    expect(now).toContain(JSON.stringify((before as { lines: string[] }).lines).slice(1, -1));
  });

  test("a missing thread is created once, also by concurrent runs", async () => {
    const id = ledger.newId();
    const others = [ledger, await opened.another(), ledger, await opened.another()];
    const calls = others.map((each, at) =>
      each.record({
        thread: { id, title: `by ${at}` },
        input: { messages: [user(`q${at}`)] },
        messages: [reply(`a${at}`)],
      }),
    );
    const recorded = await Promise.all(calls);
    expect(new Set(recorded.map((each) => each.threadId))).toStrictEqual(new Set([id]));
    const texts = readTexts(await ledger.transcript(id));
    expect(texts.toSorted()).toStrictEqual(["a0", "a1", "a2", "a3", "q0", "q1", "q2", "q3"]);
    for (const [at, text] of texts.entries()) if (text.startsWith("a")) expect(texts[at - 1]).toBe(`q${text.slice(1)}`);
    await expect(ledger.record({ threadId: ledger.newId(), messages: [] })).rejects.toMatchObject({
      code: "unknown-thread",
    });
  });

  test("an id from newId() that another process has used is looked up", async () => {
    const elsewhere = await opened.another();
    const [id, other, runId] = [ledger.newId(), ledger.newId(), ledger.newId()];
    for (const thread of [{ id }, { id: other }]) {
      await elsewhere.record({ thread, input: { messages: [user("q0")] }, messages: [reply("a0")] });
    }
    await ledger.record({ thread: { id }, input: { messages: [user("q1")] }, messages: [reply("a1")] });
    const run = await ledger.beginRun({ threadId: other, thread: {}, input: { messages: [user("q1")] } });
    await run.append(createAnswer("a1"));
    await run.commit();
    for (const each of [id, other]) {
      expect(readTexts(await ledger.transcript(each))).toStrictEqual(["q0", "a0", "q1", "a1"]);
    }
    await elsewhere.record({ threadId, runId, messages: [reply("theirs")] });
    const mine = ledger.record({ threadId, runId, messages: [reply("mine")] });
    await expect(mine).rejects.toMatchObject({ code: "conflict", path: "runId" });
  });

  test("a thread without an id is new", async () => {
    const one = await ledger.record({ thread: { title: "Delphi" }, messages: [reply("b")] });
    const other = await ledger.record({ thread: { title: "Delphi" }, messages: [reply("b")] });
    expect(one.threadId).not.toBe(other.threadId);
    expect(await ledger.thread(one.threadId)).toMatchObject({ title: "Delphi", activeLeafId: one.messages[0]?.id });
  });

  describe("run ids", () => {
    test("a given id is the run's id, even if others wrote since it was created", async () => {
      const runId = ledger.newId();
      await ledger.append(threadId, [user("meanwhile")]);
      const call = { threadId, runId, input: { messages: [user("more")] }, messages: [reply("yes")] };
      const recorded = await ledger.record(call);
      expect(recorded.run.id).toBe(runId);
      const events = await collect(ledger.follow({ threadId, runId }));
      expect(events.map(describeEvent)).toStrictEqual(["message yes", "run committed"]);
      const run = await ledger.beginRun({ threadId, id: ledger.newId() });
      await ledger.append(threadId, [user("later")]);
      await run.append(createAnswer("s"));
      await run.commit();
      const streamed = await collect(ledger.follow({ threadId, runId: run.id }));
      expect(streamed.map(describeEvent)).toStrictEqual(
        splitList("run created, run streaming, delta start, delta s, delta done, message s, run committed"),
      );
    });

    test("an existing id is a conflict, in any thread", async () => {
      const runId = ledger.newId();
      await ledger.record({ threadId, runId, messages: [reply("x")] });
      const { id } = await ledger.createThread();
      const again = ledger.record({ threadId: id, runId, messages: [reply("y")] });
      await expect(again).rejects.toMatchObject({ code: "conflict", path: "runId" });
      await expect(ledger.beginRun({ threadId: id, id: runId })).rejects.toMatchObject({ code: "conflict" });
    });

    test.each(["mine", "", "01ARZ3NDEKTSV4RRFFQ69G5FAU1", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"])(
      "%j is rejected as a run id",
      async (runId) => {
        await expect(ledger.record({ threadId, runId, messages: [] })).rejects.toMatchObject({ code: "invalid-input" });
      },
    );
  });

  describe("B95: idempotency keys", () => {
    test("the same key and call returns the recorded result, and writes nothing", async () => {
      const call = { threadId, input: { messages: [user("more")] }, messages: [reply("yes")], idempotencyKey: "k" };
      const first = await ledger.record(call);
      const again = await (await opened.another()).record(call);
      expect(again).toStrictEqual({ ...first, attached: true });
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["hello", "hi", "more", "yes"]);
    });

    test("another call is a conflict", async () => {
      const call = { threadId, messages: [reply("yes")], idempotencyKey: "k" };
      await ledger.record(call);
      const other = ledger.record({ ...call, messages: [reply("no")] });
      await expect(other).rejects.toMatchObject({ code: "conflict", path: "idempotencyKey" });
      await expect(ledger.beginRun({ threadId, idempotencyKey: "k" })).rejects.toMatchObject({ code: "conflict" });
    });

    test("a call with a lost acknowledgement is recorded once", async () => {
      const faulty = new FaultyStore(opened.store);
      const own = createLedger(faulty, { indexMs: false });
      const lost = new LedgerError("unavailable", "Lost.", { outcome: "unknown" });
      faulty.failNext(lost, { written: true });
      const call = { threadId, input: { messages: [user("more")] }, messages: [reply("yes")], idempotencyKey: "k" };
      await expect(own.record(call)).rejects.toBe(lost);
      expect((await own.record(call)).attached).toBe(true);
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["hello", "hi", "more", "yes"]);
    });
  });

  describe("a run that creates its thread and input", () => {
    test("starts in one write, and forks from the last input message", async () => {
      const faulty = new FaultyStore(opened.store);
      const own = createLedger(faulty, { indexMs: false, flushMs: 0 });
      const thread = { title: "Rhodes", scope: "ann" };
      const id = own.newId();
      const run = await own.beginRun({
        threadId: own.newId(),
        thread,
        id,
        input: { messages: [user("a"), user("b")] },
      });
      expect(faulty.writes).toBe(1);
      expect(run).toMatchObject({ id, attached: false });
      await run.append(createAnswer("c"));
      await run.commit();
      expect(readTexts(await ledger.transcript(run.threadId))).toStrictEqual(["a", "b", "c"]);
      const input = await ledger.transcript(run.threadId, {
        limit: 2,
        before: (await ledger.thread(run.threadId)).activeLeafId ?? "",
      });
      expect(run.info.forkFromMessageId).toBe(readIds(input).at(-1));
      expect(await ledger.thread(run.threadId)).toMatchObject(thread);
    });

    test("with a key, a second call attaches, and no message is stored twice", async () => {
      const input = { messages: [user("more")] };
      const run = await ledger.beginRun({ threadId, input, idempotencyKey: "k" });
      const again = await ledger.beginRun({ threadId, input, idempotencyKey: "k" });
      expect([again.id, again.attached]).toStrictEqual([run.id, true]);
      const other = ledger.beginRun({ threadId, input: { messages: [user("else")] }, idempotencyKey: "k" });
      await expect(other).rejects.toMatchObject({ code: "conflict" });
      await run.cancel();
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["hello", "hi", "more"]);
    });
  });

  describe("aliases", () => {
    const named = async (alias: string | string[]): Promise<string> =>
      (await ledger.record({ threadId, messages: [reply("x")], alias })).run.id;

    test("find the run that received them last", async () => {
      const one = await named(["resp_1", "resp_2"]);
      expect(await ledger.runByAlias("resp_1")).toStrictEqual(await ledger.run(one));
      const run = await ledger.beginRun({ threadId, alias: "resp_3" });
      expect((await ledger.runByAlias("resp_3"))?.state).toBe("created");
      await run.commit([reply("y")], { alias: "resp_1" });
      expect((await ledger.runByAlias("resp_1"))?.id).toBe(run.id);
      expect((await ledger.runByAlias("resp_2"))?.id).toBe(one);
      expect(await ledger.runByAlias("resp_0")).toBeUndefined();
      expect(await ledger.forTenant("other").runByAlias("resp_1")).toBeUndefined();
    });

    test("can be dropped, and the run stays", async () => {
      const id = await named("resp_drop");
      expect(await ledger.dropAlias("resp_drop")).toBe(true);
      expect(await ledger.dropAlias("resp_drop")).toBe(false);
      expect(await ledger.runByAlias("resp_drop")).toBeUndefined();
      expect((await ledger.run(id)).state).toBe("committed");
    });

    test("are exported with their run, and deleted with its thread", async () => {
      const id = await named(["resp_b", "resp_a"]);
      const lines = await collect(ledger.export(threadId));
      expect(lines.join("")).toContain('"aliases":["resp_a","resp_b"]');
      await ledger.purge({ what: "thread", threadId });
      expect(await ledger.runByAlias("resp_a")).toBeUndefined();
      await ledger.import(lines);
      expect((await ledger.runByAlias("resp_a"))?.id).toBe(id);
      expect(await collect(ledger.export(threadId))).toStrictEqual(lines);
      const there = await ledger.forTenant("guest").record({ thread: {}, messages: [reply("x")], alias: "resp_a" });
      await ledger.forTenant("guest").import(lines);
      expect((await ledger.forTenant("guest").runByAlias("resp_a"))?.id).toBe(there.run.id);
      expect((await ledger.forTenant("guest").runByAlias("resp_b"))?.id).toBe(id);
    });
  });

  test.each(INVALID_CALLS)("%s is rejected", async (_, call, path) => {
    await expect(ledger.record(call as NewRecord)).rejects.toMatchObject({ code: "invalid-input", path });
  });
});
