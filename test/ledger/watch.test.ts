// Watching the threads of a tenant: what happens is told once in a while, whoever does it, and to nobody else.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLedger } from "../../src/ledger/open.ts";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import type { Ledger, ThreadChange } from "../../src/ledger/types.ts";
import { assistant, user } from "../../src/model/index.ts";
import { begin, done, FaultyStore, piece } from "./support/runs.ts";
import { STORES, type OpenLedger } from "./support/stores.ts";

/** The next changes, up to the one that is wanted. */
async function until(changes: AsyncIterator<ThreadChange>, wanted: string): Promise<string[]> {
  const heard: string[] = [];
  while (!heard.includes(wanted)) {
    const { done: isOver, value } = await changes.next();
    if (isOver === true) break;
    heard.push(`${value.change} ${value.threadId}`);
  }
  return heard;
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let count = 0;
  const fresh = (): string => `tenant-${count++}`;
  beforeAll(async () => {
    opened = await store.open({ flushMs: 0 });
  });
  afterAll(() => opened.close());

  test("everything that happens to threads is told, also what another process does; nothing of other tenants", async () => {
    const tenant = fresh();
    const own = opened.ledger.forTenant(tenant);
    const other = (await opened.another()).forTenant(tenant);
    await own.createThread({ id: "before" });
    const leaving = new AbortController();
    const watching = await Promise.all([own, other].map((ledger) => ledger.watch({ signal: leaving.signal })));
    await opened.ledger.forTenant(fresh()).createThread({ id: "foreign" });
    await happenings(own);
    for (const changes of watching) {
      const heard = await until(changes, "deleted t");
      // What happened before may be told late, and what was taken back before it was read is not told.
      const told = new Set(heard.filter((change) => !change.startsWith("created")));
      expect(told).toStrictEqual(new Set(["activity t", "selected t", "updated t", "deleted t"]));
    }
    leaving.abort();
    for (const changes of watching) expect(await changes.next()).toStrictEqual({ done: true, value: undefined });
  });

  async function happenings(ledger: Ledger): Promise<void> {
    await ledger.createThread({ id: "t" });
    const [first] = await ledger.append("t", [user("One."), assistant("Two.")]);
    await ledger.select("t", first?.id ?? "");
    await ledger.updateThread("t", { title: "Corinth" });
    await ledger.purge({ what: "thread", threadId: "t" });
  }

  test("a run is told of when it begins and when it ends, and not for every word of it", async () => {
    const ledger = opened.ledger.forTenant(fresh());
    await ledger.createThread({ id: "t" });
    const changes = await ledger.watch();
    const run = await ledger.beginRun({ threadId: "t" });
    expect(await until(changes, "activity t")).toStrictEqual(["activity t"]);
    await run.append([begin]);
    // The run's change to streaming waits for its time, and nothing more comes of the words.
    expect(await until(changes, "activity t")).toStrictEqual(["activity t"]);
    for (let word = 0; word < 5; word++) await run.append([piece("word ")]);
    const next = changes.next();
    await run.append([done]);
    expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 400, "nothing"))])).toBe("nothing");
    await run.commit();
    expect(await next).toMatchObject({ value: { threadId: "t", change: "activity" } });
    await changes.return?.();
  });
});

describe("a reader", () => {
  test("is told a change of a thread at once, and the same again only after a while", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ledger = createLedger(memoryStore(), { indexMs: false });
      await ledger.createThread({ id: "t" });
      const changes = await ledger.watch();
      const heard: string[] = [];
      const reading = (async () => {
        for await (const { threadId, change } of changes) heard.push(`${change} ${threadId}`);
      })();
      await ledger.append("t", [user("1")]);
      for (const word of "23456") await ledger.append("t", [user(word)]);
      await ledger.updateThread("t", { title: "T" });
      expect(heard).toStrictEqual(["activity t"]);
      await vi.advanceTimersByTimeAsync(249);
      expect(heard).toStrictEqual(["activity t"]);
      await vi.advanceTimersByTimeAsync(1);
      expect(heard).toStrictEqual(["activity t", "activity t", "updated t"]);
      await vi.advanceTimersByTimeAsync(250);
      await ledger.append("t", [user("7")]);
      await vi.advanceTimersByTimeAsync(0);
      expect(heard).toHaveLength(4);
      await changes.return?.();
      await reading;
      await ledger.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("who does not read is kept as much as there are threads, and is left behind after 10,000", async () => {
    const inner = memoryStore();
    const tells: ((changes: readonly ThreadChange[]) => void)[] = [];
    const store = new FaultyStore(inner);
    store.watchThreads = async (_, tell) => (tells.push(tell), () => undefined);
    const ledger = createLedger(store);
    const slow = await ledger.watch();
    const happen = (number: number): void => tells[0]?.([{ threadId: `t${number}`, change: "activity" }]);
    for (let round = 0; round < 3; round++) for (let number = 0; number < 10_000; number++) happen(number);
    expect(await slow.next()).toMatchObject({ value: { threadId: "t0" } });
    for (let number = 0; number < 10_001; number++) happen(number);
    await expect(slow.next()).rejects.toMatchObject({ code: "busy" });
    expect(await slow.next().catch(() => "again")).toBe("again");
    await ledger.close();
  });

  test("the last word is what is so: a thread that was deleted and made again is there", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ledger = createLedger(memoryStore(), { indexMs: false });
      const changes = await ledger.watch();
      await ledger.createThread({ id: "t" });
      await ledger.purge({ what: "thread", threadId: "t" });
      await ledger.createThread({ id: "t" });
      await ledger.createThread({ id: "u" });
      // A reader that comes to it only now.
      await vi.advanceTimersByTimeAsync(250);
      expect(await until(changes, "created u")).toStrictEqual(["created t", "created u"]);
      await ledger.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("whoever asks for two at once is given both", async () => {
    const ledger = createLedger(memoryStore(), { indexMs: false });
    const changes = await ledger.watch();
    const both = Promise.all([changes.next(), changes.next()]);
    await ledger.createThread({ id: "t" });
    await ledger.createThread({ id: "u" });
    expect((await both).map(({ value }) => value?.threadId)).toStrictEqual(["t", "u"]);
    const ends = Promise.all([changes.next(), changes.next()]);
    await changes.return?.();
    expect((await ends).map(({ done: isOver }) => isOver)).toStrictEqual([true, true]);
    await ledger.close();
  });

  test("the end of the ledger is told", async () => {
    const ledger = createLedger(memoryStore());
    const changes = await ledger.watch();
    const next = changes.next();
    await ledger.close();
    await expect(next).rejects.toMatchObject({ code: "closed" });
  });

  test("a signal that is aborted already ends it", async () => {
    const ledger = createLedger(memoryStore());
    const changes = await ledger.watch({ signal: AbortSignal.abort() });
    expect(await changes.next()).toStrictEqual({ done: true, value: undefined });
    await ledger.close();
  });
});
