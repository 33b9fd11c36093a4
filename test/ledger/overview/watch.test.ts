// Tests watching the threads of a tenant: changes by any process are reported once per interval, and only to this
// tenant.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLedger } from "../../../src/ledger/open.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import type { Ledger, ThreadChange } from "../../../src/ledger/types.ts";
import { assistant, user } from "../../../src/model/index.ts";
import { startDelta, doneDelta, FaultyStore, textDelta } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

/** Reads changes up to the given one. */
async function until(changes: AsyncIterator<ThreadChange>, expected: string): Promise<string[]> {
  const received: string[] = [];
  while (!received.includes(expected)) {
    const { done: isOver, value } = await changes.next();
    if (isOver === true) break;
    received.push(`${value.change} ${value.threadId}`);
  }
  return received;
}

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let count = 0;
  const fresh = (): string => `tenant-${count++}`;
  beforeAll(async () => {
    opened = await store.open({ flushMs: 0 });
  });
  afterAll(() => opened.close());

  test("reports all changes of threads, also by another process, and none of other tenants", async () => {
    const tenant = fresh();
    const own = opened.ledger.forTenant(tenant);
    const other = (await opened.another()).forTenant(tenant);
    await own.createThread({ id: "before" });
    const leaving = new AbortController();
    const watching = await Promise.all([own, other].map((ledger) => ledger.watch({ signal: leaving.signal })));
    await opened.ledger.forTenant(fresh()).createThread({ id: "foreign" });
    await happenings(own);
    for (const changes of watching) {
      const received = await until(changes, "deleted t");
      // Earlier changes may be reported late; a change that was cancelled before it was read is not reported.
      const expectedChanges = new Set(received.filter((change) => !change.startsWith("created")));
      expect(expectedChanges).toStrictEqual(new Set(["activity t", "selected t", "updated t", "deleted t"]));
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

  test("reports the beginning and end of a run, but not its deltas", async () => {
    const ledger = opened.ledger.forTenant(fresh());
    await ledger.createThread({ id: "t" });
    const changes = await ledger.watch();
    const run = await ledger.beginRun({ threadId: "t" });
    expect(await until(changes, "activity t")).toStrictEqual(["activity t"]);
    await run.append([startDelta]);
    // The run's change to streaming waits for the interval; deltas cause no change.
    expect(await until(changes, "activity t")).toStrictEqual(["activity t"]);
    for (let content = 0; content < 5; content++) await run.append([textDelta("word ")]);
    await run.append([doneDelta]);
    // Changes are reported in their order: no delta was one before this.
    await ledger.updateThread("t", { title: "Corinth" });
    expect(await until(changes, "updated t")).toStrictEqual(["updated t"]);
    await run.commit();
    expect(await until(changes, "activity t")).toStrictEqual(["activity t"]);
    await changes.return?.();
  });
});

describe("a reader", () => {
  test("receives a change of a thread at once, and the same change again only after the interval", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ledger = createLedger(memoryStore(), { indexMs: false });
      await ledger.createThread({ id: "t" });
      const changes = await ledger.watch();
      const received: string[] = [];
      const reading = (async () => {
        for await (const { threadId, change } of changes) received.push(`${change} ${threadId}`);
      })();
      await ledger.append("t", [user("1")]);
      for (const content of "23456") await ledger.append("t", [user(content)]);
      await ledger.updateThread("t", { title: "T" });
      expect(received).toStrictEqual(["activity t"]);
      await vi.advanceTimersByTimeAsync(249);
      expect(received).toStrictEqual(["activity t"]);
      await vi.advanceTimersByTimeAsync(1);
      expect(received).toStrictEqual(["activity t", "activity t", "updated t"]);
      await vi.advanceTimersByTimeAsync(250);
      await ledger.append("t", [user("7")]);
      await vi.advanceTimersByTimeAsync(0);
      expect(received).toHaveLength(4);
      await changes.return?.();
      await reading;
      await ledger.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("that does not read has one pending change per thread, and fails after 10,000", async () => {
    const inner = memoryStore();
    const callbacks: ((changes: readonly ThreadChange[]) => void)[] = [];
    const store = new FaultyStore(inner);
    store.watchThreads = async (_, notify) => (callbacks.push(notify), () => undefined);
    const ledger = createLedger(store);
    const slow = await ledger.watch();
    const happen = (number: number): void => callbacks[0]?.([{ threadId: `t${number}`, change: "activity" }]);
    for (let round = 0; round < 3; round++) for (let number = 0; number < 10_000; number++) happen(number);
    expect(await slow.next()).toMatchObject({ value: { threadId: "t0" } });
    for (let number = 0; number < 10_001; number++) happen(number);
    await expect(slow.next()).rejects.toMatchObject({ code: "busy" });
    expect(await slow.next().catch(() => "again")).toBe("again");
    await ledger.close();
  });

  test("receives the last change last: a thread that was deleted and created again exists", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ledger = createLedger(memoryStore(), { indexMs: false });
      const changes = await ledger.watch();
      await ledger.createThread({ id: "t" });
      await ledger.purge({ what: "thread", threadId: "t" });
      await ledger.createThread({ id: "t" });
      await ledger.createThread({ id: "u" });
      // A reader that starts to read only now.
      await vi.advanceTimersByTimeAsync(250);
      expect(await until(changes, "created u")).toStrictEqual(["created t", "created u"]);
      await ledger.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test("can request two changes at once", async () => {
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

  test("receives an error when the ledger closes", async () => {
    const ledger = createLedger(memoryStore());
    const changes = await ledger.watch();
    const next = changes.next();
    await ledger.close();
    await expect(next).rejects.toMatchObject({ code: "closed" });
  });

  test("an aborted signal ends it", async () => {
    const ledger = createLedger(memoryStore());
    const changes = await ledger.watch({ signal: AbortSignal.abort() });
    expect(await changes.next()).toStrictEqual({ done: true, value: undefined });
    await ledger.close();
  });
});
