// Tests lists of threads: by last activity, with summaries, and searched while the user types.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ledger, ThreadList, ThreadListPage } from "../../../src/ledger/types.ts";
import { assistant, text, user } from "../../../src/model/index.ts";
import { commitAnswer, startDelta, usageDelta, doneDelta, FakeClock, textDelta } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const idsIn = ({ threads }: Pick<ThreadList, "threads">): string[] => threads.map(({ id }) => id);

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  let opened: OpenLedger;
  let count = 0;
  /** A separate tenant, so that lists contain only the test's threads. */
  const fresh = (): Ledger => opened.ledger.forTenant(`tenant-${count++}`);
  beforeAll(async () => {
    opened = await store.open({ flushMs: 0, clock: clock.now });
  });
  afterAll(() => opened.close());

  describe("by last activity", () => {
    test("a message, the beginning and end of a run, and an entry bring a thread to the front; deltas do not", async () => {
      const ledger = fresh();
      for (const id of ["a", "b", "c", "d"]) {
        clock.pass(1);
        await ledger.createThread({ id });
      }
      const order = async (): Promise<string> => idsIn(await ledger.listThreads({ order: "activity" })).join("");
      expect(await order()).toBe("dcba");
      clock.pass(1);
      await ledger.append("a", [user("Hello.")]);
      expect(await order()).toBe("adcb");
      clock.pass(1);
      const run = await ledger.beginRun({ threadId: "b" });
      expect(await order()).toBe("badc");
      clock.pass(1);
      await ledger.log("c", [{ n: 1 }]);
      expect(await order()).toBe("cbad");
      clock.pass(1);
      await run.append([startDelta]);
      const streaming = await order();
      clock.pass(1);
      await ledger.append("a", [user("More.")]);
      await run.append([textDelta("Well"), doneDelta]);
      expect([streaming, await order()]).toStrictEqual(["bcad", "abcd"]);
      clock.pass(1);
      await run.commit();
      expect(await order()).toBe("bacd");
    });

    test("pages contain each thread once, and follow each other without changes", async () => {
      const ledger = fresh();
      for (let number = 0; number < 7; number++) {
        // Some in one millisecond.
        if (number % 2 === 0) clock.pass(1);
        await ledger.createThread({ id: `t${number}`, ...(number === 3 && { kind: "task" }) });
      }
      const pages = async (options: ThreadListPage): Promise<string[]> => {
        const seen: string[] = [];
        let before: string | undefined;
        do {
          const page = await ledger.listThreads({ order: "activity", limit: 2, before, ...options });
          seen.push(...idsIn(page));
          before = page.next ?? undefined;
        } while (before !== undefined);
        return seen;
      };
      expect(await pages({})).toStrictEqual(["t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
      expect(await pages({ kind: null })).toStrictEqual(["t6", "t5", "t4", "t2", "t1", "t0"]);
      expect(await pages({ kind: "task" })).toStrictEqual(["t3"]);
    });

    test.each([
      [{ order: "activity", before: "nowhere" }, "before"],
      [{ order: "age" }, "order"],
      [{ limit: 0 }, "limit"],
      [{ kind: "" }, "kind"],
    ])("%j is rejected", async (page, path) => {
      await expect(fresh().listThreads(page as never)).rejects.toMatchObject({ code: "invalid-input", path });
    });

    test("the order by id is unchanged", async () => {
      const ledger = fresh();
      for (const id of ["a", "b", "c"]) await ledger.createThread({ id });
      await ledger.append("a", [user("Hello.")]);
      const page = await ledger.listThreads({ limit: 2 });
      expect([idsIn(page), page.next]).toStrictEqual([["c", "b"], "b"]);
      expect(await ledger.listThreads({ before: "b" })).toStrictEqual({
        threads: [await ledger.thread("a")],
        next: null,
      });
    });
  });

  describe("summaries", () => {
    test("contain the message count, usage, models and preview of a thread", async () => {
      const ledger = fresh();
      clock.pass(1000);
      const { id: threadId } = await ledger.createThread();
      await ledger.append(threadId, [{ role: "system", parts: [text("Be kind.")] }, user("How is\n the weather?")]);
      for (const model of ["one", "two", "one"]) {
        const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12, cost: 0.25, raw: { prompt: 10 } };
        await ledger.record({ threadId, messages: [assistant(model)], usage, metadata: { model } });
      }
      clock.pass(1000);
      const live = await ledger.beginRun({ threadId, metadata: { model: "three" } });
      const listed = await ledger.listThreads({ order: "activity", summary: true });
      expect(listed.threads).toStrictEqual([
        {
          ...(await ledger.thread(threadId)),
          summary: {
            updatedAt: new Date(clock.ms).toISOString(),
            messages: 5,
            models: ["three", "one", "two"],
            live: 1,
            preview: "How is the weather?",
            usage: { inputTokens: 30, outputTokens: 6, totalTokens: 36, cost: 0.75 },
          },
        },
      ]);
      await live.append([startDelta, usageDelta(5, 1)]);
      await live.cancel();
      const { summary } = (await ledger.listThreads({ summary: true })).threads[0] ?? {};
      // The usage of a cancelled run counts too (B67).
      expect(summary).toMatchObject({ live: 0, usage: { totalTokens: 42, cost: 0.75 } });
    });

    test("an empty thread has an empty summary", async () => {
      const ledger = fresh();
      const { createdAt } = await ledger.createThread({ id: "t" });
      const { threads } = await ledger.listThreads({ summary: true });
      const summary = { updatedAt: createdAt, messages: 0, models: [], live: 0, preview: "" };
      expect(threads).toMatchObject([{ id: "t", summary }]);
      expect(threads[0]?.summary).not.toHaveProperty("usage");
    });

    test("contain at most five models, those of the last runs", async () => {
      const ledger = fresh();
      const { id: threadId } = await ledger.createThread();
      for (let number = 0; number < 8; number++) {
        await ledger.record({ threadId, messages: [assistant("x")], metadata: { model: `m${number}` } });
      }
      const { threads } = await ledger.listThreads({ summary: true });
      expect(threads[0]?.summary?.models).toStrictEqual(["m7", "m6", "m5", "m4", "m3"]);
    });
  });

  describe("finding", () => {
    test("threads are found by titles and messages, also by the beginning of the last word", async () => {
      const ledger = fresh();
      await ledger.createThread({ id: "titled", title: "A voyage to CORINTH" });
      await ledger.createThread(
        { id: "mentioned" },
        { messages: [user("Where is Corinth?"), assistant("In Greece.")] },
      );
      await ledger.createThread({ id: "other", title: "Athens" }, { messages: [user("And Sparta?")] });
      const result = await ledger.searchThreads("Corin");
      expect(idsIn(result)).toStrictEqual(["titled", "mentioned"]);
      expect(result.hits).toMatchObject([{ threadId: "mentioned", snippet: "Where is Corinth?" }]);
      expect(idsIn(await ledger.searchThreads("voy corin"))).toStrictEqual(["titled"]);
      expect(idsIn(await ledger.searchThreads("where cor"))).toStrictEqual(["mentioned"]);
      expect(idsIn(await ledger.searchThreads("thens"))).toStrictEqual(["other"]);
      expect(await ledger.searchThreads("?!")).toStrictEqual({ threads: [], hits: [], more: false });
      expect(idsIn(await ledger.searchThreads("corinth", { limit: 1 }))).toStrictEqual(["titled"]);
    });

    test("a thread has at most three hits, and is listed once", async () => {
      const ledger = fresh();
      const queries = Array.from({ length: 5 }, (_, number) => user(`An owl, number ${number}.`));
      await ledger.createThread({ id: "many", title: "Owls" }, { messages: queries });
      await ledger.createThread({ id: "one" }, { messages: [user("One owl.")] });
      const result = await ledger.searchThreads("owl", { summary: true });
      expect(idsIn(result)).toStrictEqual(["many", "one"]);
      expect(result.hits.map(({ threadId }) => threadId)).toStrictEqual(["many", "many", "many", "one"]);
      expect(result.threads.map(({ summary }) => summary?.messages)).toStrictEqual([5, 1]);
    });

    test("a long thread does not hide others", async () => {
      const ledger = fresh();
      const many = Array.from({ length: 620 }, () => user("Deploy it."));
      await ledger.createThread({ id: "long" }, { messages: many });
      const other = `Please deploy the thing to the north region. ${"And wait for it. ".repeat(50)}`;
      await ledger.createThread({ id: "other" }, { messages: [user(other)] });
      const result = await ledger.searchThreads("deploy");
      expect([idsIn(result), result.hits.length, result.more]).toStrictEqual([["long", "other"], 4, false]);
    });

    test("many matching titles do not displace matching messages, and `more` is set", async () => {
      const ledger = fresh();
      for (let number = 0; number < 6; number++) await ledger.createThread({ id: `t${number}`, title: "An owl" });
      for (const id of ["s0", "s1", "s2"]) await ledger.createThread({ id }, { messages: [user("Owls, owl.")] });
      const four = await ledger.searchThreads("owl", { limit: 4 });
      expect([idsIn(four).slice(0, 2), four.more]).toStrictEqual([["t5", "t4"], true]);
      expect(idsIn(four).slice(2)).toHaveLength(2);
      expect(idsIn(four).slice(2).join("")).toMatch(/^s\ds\d$/);
      expect((await ledger.searchThreads("owl", { limit: 8 })).threads.filter(({ title }) => title)).toHaveLength(5);
      const all = await ledger.searchThreads("owl", { limit: 9 });
      expect([all.threads.length, all.more]).toStrictEqual([9, false]);
    });

    test("one letter is searched in titles only, one character of a dense script in messages too", async () => {
      const ledger = fresh();
      await ledger.createThread({ id: "titled", title: "Corinth" });
      await ledger.createThread({ id: "mentioned" }, { messages: [user("Corinth, 犬 and cat.")] });
      expect(idsIn(await ledger.searchThreads("c"))).toStrictEqual(["titled"]);
      expect(idsIn(await ledger.searchThreads("cat c"))).toStrictEqual(["mentioned"]);
      expect(idsIn(await ledger.searchThreads("犬"))).toStrictEqual(["mentioned"]);
    });

    test("with a kind, only threads of that kind are found", async () => {
      const ledger = fresh();
      await ledger.createThread({ id: "task", title: "Owl", kind: "task" });
      await ledger.createThread({ id: "plain", title: "Owl" });
      expect(idsIn(await ledger.searchThreads("owl", { kind: "task" }))).toStrictEqual(["task"]);
      expect(idsIn(await ledger.searchThreads("owl", { kind: null, limit: 1 }))).toStrictEqual(["plain"]);
    });

    test("a removed title is not found any more", async () => {
      const ledger = fresh();
      await ledger.createThread({ id: "t", title: "Ναύπλιο" });
      expect(idsIn(await ledger.searchThreads("ΝΑΥΠ"))).toStrictEqual(["t"]);
      await ledger.updateThread("t", { title: null });
      expect(idsIn(await ledger.searchThreads("ΝΑΥΠ"))).toStrictEqual([]);
    });

    test("a search matches whole words, and prefixes only with `prefix`", async () => {
      const ledger = fresh();
      const { id: threadId } = await ledger.createThread({}, { messages: [user("Where is Corinth?")] });
      expect(await ledger.search("corin")).toStrictEqual([]);
      expect(await ledger.search("corin", { prefix: true })).toMatchObject([{ threadId }]);
    });
  });

  test("a run that replaces an answer is the last activity", async () => {
    const ledger = fresh();
    const [left, right] = [await ledger.createThread(), await ledger.createThread()];
    const [question] = await ledger.append(left.id, [user("Why?")]);
    clock.pass(1);
    await ledger.append(right.id, [user("How?")]);
    clock.pass(1);
    await commitAnswer(ledger, { threadId: left.id, forkFromMessageId: question?.id ?? "" }, "Because.");
    expect(idsIn(await ledger.listThreads({ order: "activity" }))).toStrictEqual([left.id, right.id]);
  });
});
