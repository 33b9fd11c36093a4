// Tests the journal on every store: entries in the thread's order, with messages and work requests in one write.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLedger } from "../../../src/ledger/open.ts";
import { wait } from "../../../src/ledger/store/steps.ts";
import type { Ledger, LogOptions } from "../../../src/ledger/types.ts";
import { type JsonObject, parseJson, stringifyJson, user } from "../../../src/model/index.ts";
import {
  commitAnswer,
  readEventsUpToNow,
  FakeClock,
  FaultyStore,
  splitList,
  describeEvent,
  takeEvents,
  readTexts,
} from "../support/runs.ts";
import { collect } from "../support/scope.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

const RETENTION = 60_000;

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open({ clock: clock.now, flushMs: 0, deltaRetentionMs: RETENTION });
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    clock.pass(2 * RETENTION);
    ({ id: threadId } = await ledger.createThread({ kind: "task" }));
  });
  afterAll(() => opened.close());

  test("entries are among messages and runs in order, and are followed live from another process", async () => {
    const elsewhere = await opened.another();
    const events = elsewhere.follow({ threadId });
    await ledger.log(threadId, [{ at: "begin" }, { at: "more" }]);
    await ledger.append(threadId, [user("hello")]);
    expect((await takeEvents(events, 3)).map(describeEvent)).toStrictEqual([
      'entry {"at":"begin"}',
      'entry {"at":"more"}',
      "message hello",
    ]);
    const live = takeEvents(events, 4);
    await commitAnswer(ledger, { threadId });
    await ledger.log(threadId, [{ at: "end" }]);
    await live;
    await events.return?.();
    const all = await readEventsUpToNow(ledger, threadId);
    const texts = "message hello, run created, run streaming, delta start, delta done, message , run committed";
    const entries = ["begin", "more", "end"].map((at) => `entry ${JSON.stringify({ at })}`);
    expect(all.map(describeEvent)).toStrictEqual([...entries.slice(0, 2), ...splitList(texts), ...entries.slice(2)]);
  });

  test("entries have the cursors of their events, and following resumes after each", async () => {
    const { cursors } = await ledger.log(threadId, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    const events = await readEventsUpToNow(ledger, threadId);
    expect(events.map(({ cursor }) => cursor)).toStrictEqual(cursors);
    const rest = await readEventsUpToNow(ledger, threadId, cursors[1]);
    expect(rest.filter(({ type }) => type === "entry").map(describeEvent)).toStrictEqual(['entry {"n":3}']);
  });

  test("entries can be read alone, page by page", async () => {
    const entries = Array.from({ length: 7 }, (_, n) => ({ n }));
    for (const entry of entries) {
      await ledger.append(threadId, [user("between")]);
      await ledger.log(threadId, [entry]);
    }
    const read: JsonObject[] = [];
    for (let after: string | undefined; ;) {
      const page = await ledger.entries(threadId, { after, limit: 3 });
      for (const { entry, cursor } of page) {
        if (entry !== undefined) read.push(entry);
        after = cursor;
      }
      if (page.length < 3) break;
    }
    expect(read).toStrictEqual(entries);
    expect((await ledger.entries(threadId)).map(({ entry }) => entry)).toStrictEqual(entries);
    await expect(ledger.entries("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
    await expect(ledger.entries(threadId, { after: "x" })).rejects.toMatchObject({ code: "cursor-invalid" });
  });

  test("entries are read back exactly, with all digits", async () => {
    // Written by hand, because it has more digits than a number.
    const entry = parseJson('{"id":12345678901234567890,"deep":{"list":[1,null,"κοινή \\u0000"]}}') as JsonObject;
    await ledger.log(threadId, [entry]);
    const [back] = await ledger.entries(threadId);
    expect(stringifyJson(back?.entry)).toBe(stringifyJson(entry));
  });

  test("entries outlive compaction and the purge of replaced messages", async () => {
    await ledger.append(threadId, [user("q")]);
    const fork = { threadId, forkFromMessageId: (await ledger.thread(threadId)).activeLeafId };
    await commitAnswer(ledger, fork, "a");
    await ledger.log(threadId, [{ kept: true }]);
    await commitAnswer(ledger, fork, "b");
    clock.pass(2 * RETENTION);
    await ledger.compact();
    await ledger.purge({ threadId, what: "replaced" });
    expect((await ledger.entries(threadId)).map(({ entry }) => entry)).toStrictEqual([{ kept: true }]);
    expect(await ledger.verify(threadId)).toStrictEqual([]);
  });

  test("entries are exported and imported byte for byte", async () => {
    await ledger.append(threadId, [user("q")]);
    await ledger.log(threadId, [{ n: 1 }, { n: 2 }]);
    const lines = await collect(ledger.export(threadId));
    expect(lines.filter((line) => line.includes('"kind":"entry"'))).toHaveLength(2);
    const guest = ledger.forTenant("guest");
    await guest.import(lines);
    expect(await collect(guest.export(threadId))).toStrictEqual(lines);
    expect(await guest.thread(threadId)).toMatchObject({ kind: "task" });
    expect(await guest.import(lines)).toMatchObject({ threads: 0 });
    const other = lines.map((line) => line.replace('{"n":2}', '{"n":3}'));
    await expect(guest.import(other)).rejects.toMatchObject({ code: "conflict" });
    const short = lines.filter((line) => !line.includes('{"n":2}'));
    await expect(ledger.forTenant("third").import(short)).rejects.toMatchObject({ code: "invalid-input" });
  });

  describe("in one write", () => {
    test("with messages, which come after the entries", async () => {
      const faulty = new FaultyStore(opened.store);
      const own = createLedger(faulty, { clock: clock.now, indexMs: false });
      await ledger.append(threadId, [user("a")]);
      const first = (await ledger.thread(threadId)).activeLeafId;
      await ledger.append(threadId, [user("b")]);
      const append = { messages: [user("c")], parentMessageId: first };
      const { cursors, messages } = await own.log(threadId, [{ unqueued: "c" }], { append, requestWork: true });
      expect(faulty.writes).toBe(1);
      expect(readTexts(messages)).toStrictEqual(["c"]);
      expect((cursors[0] ?? "") < (messages[0]?.id ?? "")).toBe(true);
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["a", "c"]);
      const work = await ledger.claimWork({ holder: "h", threadId });
      expect(await work?.complete()).toBe(true);
    });

    const REFUSED: readonly [what: string, options: LogOptions, code: string][] = [
      ["another leaf", { append: { messages: [user("x")], expectedLeaf: null } }, "conflict"],
      ["an unknown parent", { append: { messages: [user("x")], parentMessageId: "nowhere" } }, "unknown-message"],
      ["another last entry", { expectedEntry: null }, "conflict"],
      ["work that was never claimed", { workLease: {} as never }, "fenced"],
    ];
    test.each(REFUSED)("or not at all: %s", async (_, options, code) => {
      await ledger.append(threadId, [user("a")]);
      await ledger.log(threadId, [{ n: 1 }]);
      await expect(ledger.log(threadId, [{ n: 2 }], { requestWork: true, ...options })).rejects.toMatchObject({ code });
      expect((await ledger.entries(threadId)).map(({ entry }) => entry)).toStrictEqual([{ n: 1 }]);
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["a"]);
      expect(await ledger.claimWork({ holder: "h", threadId })).toBeUndefined();
    });

    test("B94: of several writers that expect the same last entry, one succeeds", async () => {
      const { cursors } = await ledger.log(threadId, [{ n: 0 }]);
      const expectedEntry = cursors[0] ?? null;
      const ledgers = [ledger, await opened.another(), ledger];
      const tries = await Promise.allSettled(
        ledgers.map((each, at) => each.log(threadId, [{ at }], { expectedEntry })),
      );
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await ledger.entries(threadId)).toHaveLength(2);
      const { cursors: last } = await ledger.log(threadId, [{ n: 2 }]);
      await ledger.append(threadId, [user("no entry")]);
      await ledger.log(threadId, [{ n: 3 }], { expectedEntry: last[0] ?? null });
    });

    test("B95: once for each idempotency key", async () => {
      const options = { idempotencyKey: "k", append: { messages: [user("once")] } };
      const first = await ledger.log(threadId, [{ n: 1 }], options);
      expect(await (await opened.another()).log(threadId, [{ n: 1 }], options)).toStrictEqual(first);
      await expect(ledger.log(threadId, [{ n: 2 }], options)).rejects.toMatchObject({ code: "conflict" });
      expect(await ledger.entries(threadId)).toHaveLength(1);
      expect(readTexts(await ledger.transcript(threadId))).toStrictEqual(["once"]);
    });
  });

  const MISTAKES: readonly [what: string, entries: unknown, options: object, path: string][] = [
    ["no list", {}, {}, "entries"],
    ["no entries", [], {}, "entries"],
    ["an entry that is a list", [[]], {}, "entries/0"],
    ["an entry without a JSON form", [{}, { at: 1n }], {}, "/entries/1/at"],
    ["invalid messages", [{}], { append: { messages: [{}] } }, "/append/messages/0"],
    ["an undefined expectation", [{}], { expectedEntry: undefined }, "expectedEntry"],
    ["an empty key", [{}], { idempotencyKey: "" }, "idempotencyKey"],
  ];
  test.each(MISTAKES)("%s is rejected", async (_, entries, options, path) => {
    const logged = ledger.log(threadId, entries as JsonObject[], options);
    await expect(logged).rejects.toMatchObject({ code: "invalid-input", path });
    await expect(ledger.log("nowhere", [{}])).rejects.toMatchObject({ code: "unknown-thread" });
  });

  test("B91: a damaged entry is reported, and all others are read", async () => {
    const problems: string[] = [];
    const own = createLedger(opened.store, { clock: clock.now, onProblem: ({ reason }) => problems.push(reason) });
    const { cursors } = await own.log(threadId, [{ n: 1 }]);
    const [row] = await opened.store.reads.log({ tenant: own.tenant, threadId }, { limit: 1 });
    const torn = { ...(row as NonNullable<typeof row>), id: `${cursors[0]?.slice(0, -4)}ZZZZ`, body: '{"n":' };
    await opened.store.write((tx) => wait(tx.insertLog([torn])));
    await own.log(threadId, [{ n: 3 }]);
    const entries = await own.entries(threadId);
    expect(entries.map(({ entry }) => entry)).toStrictEqual([{ n: 1 }, undefined, { n: 3 }]);
    expect(entries[1]?.cursor).toBe(torn.id);
    expect((await readEventsUpToNow(own, threadId)).map(describeEvent)).toStrictEqual([
      'entry {"n":1}',
      'entry {"n":3}',
    ]);
    expect(problems).toHaveLength(2);
    expect(await own.verify(threadId)).toMatchObject([{ messageId: torn.id }]);
  });
});
