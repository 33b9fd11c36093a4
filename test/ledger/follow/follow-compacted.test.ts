// Tests following compacted history: gaps are reported before the first event, few rows are read, run metadata is
// stored once, and compaction keeps up.
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createLedger } from "../../../src/ledger/open.ts";
import type { LogRow } from "../../../src/ledger/store/rows.ts";
import type { LedgerReads, LedgerStore } from "../../../src/ledger/store/contract.ts";
import type { Ledger, LedgerEvent } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import {
  commitAnswer,
  createAnswer,
  startDelta,
  doneDelta,
  readEventsUpToNow,
  FakeClock,
  splitList,
  textDelta,
  describeEvent,
  takeEvents,
} from "../support/runs.ts";
import { collect } from "../support/scope.ts";
import { STORES, createView, type OpenLedger } from "../support/stores.ts";

const RETENTION = 60_000;

/** A store that records the rows of each read. */
function watched(store: LedgerStore): { store: LedgerStore; rows: Map<string, unknown[]> } {
  const rows = new Map<string, unknown[]>();
  const note = (name: string, given: unknown): unknown => {
    rows.set(name, [...(rows.get(name) ?? []), ...(Array.isArray(given) ? (given as unknown[]) : [given])]);
    return given;
  };
  const reads = new Proxy<LedgerReads>(store.reads, {
    get: (target, name: keyof LedgerReads) => {
      // Every member of the reads is a method.
      const read = target[name].bind(target) as (...values: unknown[]) => unknown;
      return async (...values: unknown[]) => note(name, await read(...values));
    },
  });
  return { store: { ...createView(store), reads }, rows };
}

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  const options = { clock: clock.now, leaseMs: 10 * RETENTION, flushMs: 0, deltaRetentionMs: RETENTION };
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open(options);
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    clock.pass(2 * RETENTION);
    await ledger.compact();
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  const logOf = async (): Promise<LogRow[]> =>
    opened.store.reads.log({ tenant: ledger.tenant, threadId }, { limit: 1000 });
  const deltaRows = async (): Promise<number> => (await logOf()).filter(({ kind }) => kind === "delta").length;

  test("B96: a gap is reported before the first event, however many deltas of another run follow", async () => {
    const [one, two] = [
      await ledger.beginRun({ threadId, mode: "branch" }),
      await ledger.beginRun({ threadId, mode: "branch" }),
    ];
    await one.append([startDelta, textDelta("1a")]);
    await two.append([startDelta]);
    const events = await readEventsUpToNow(ledger, threadId);
    const after = events.at(-1)?.cursor ?? "";
    await one.append([textDelta("lost"), doneDelta]);
    // More than one read returns.
    for (let row = 0; row < 100; row++) await two.append([textDelta(`${row} `)]);
    await one.commit();
    clock.pass(RETENTION + 1);
    expect(await ledger.compact()).toBe(1);
    await expect(ledger.follow({ threadId, after }).next()).rejects.toMatchObject({
      code: "cursor-gone",
      path: "after",
    });
    await expect(ledger.follow({ threadId, runId: one.id, after }).next()).rejects.toMatchObject({
      code: "cursor-gone",
    });
    const skipping = ledger.follow({ threadId, runId: one.id, after, gaps: "skip" });
    expect((await collect(skipping)).map(describeEvent)).toStrictEqual(["message 1alost", "run committed"]);
    // Its own message, the deltas of the other run, and this run's messages.
    const rest = (await takeEvents(ledger.follow({ threadId, after, gaps: "skip" }), 103)).map(describeEvent);
    expect([rest[0], rest[1], rest.at(-2), rest.at(-1)]).toStrictEqual(
      splitList("message mark, delta 0 , message 1alost, run committed"),
    );
    expect(() => ledger.follow({ threadId, gaps: "some" as "skip" })).toThrow('"gaps"');
    const ofTwo = ledger.follow({ threadId, runId: two.id, after });
    expect((await ofTwo.next()).value).toMatchObject({ type: "delta", runId: two.id });
    await ofTwo.return?.();
    await two.cancel();
  });

  test("an old run is followed without reading later rows", async () => {
    await ledger.append(threadId, [user("before")]);
    const { id: runId } = await commitAnswer(ledger, { threadId }, "a", "b");
    const alone = { threadId, runId };
    const expected = (await collect(ledger.follow(alone))).map(describeEvent);
    for (let at = 0; at < 30; at++) {
      await ledger.append(threadId, [user("later")]);
      await commitAnswer(ledger, { threadId }, "later");
    }
    const seen = watched(opened.store);
    const events = await collect(createLedger(seen.store, options).follow(alone));
    expect(events.map(describeEvent)).toStrictEqual(expected);
    expect(expected.at(-1)).toBe("run committed");
    expect(seen.rows.get("messages") ?? []).toStrictEqual([]);
    expect(seen.rows.get("message")).toHaveLength(1);
    expect(seen.rows.get("headers")?.length).toBeLessThan(3);
    expect(seen.rows.get("log")?.length).toBe(4);
  });

  describe("the metadata of a run", () => {
    const runMetadata = "stored once ".repeat(100);

    test("B97: is stored once, and returned with each change of its state", async () => {
      const metadata = { value: runMetadata };
      const { id } = await commitAnswer(ledger, { threadId, metadata }, "x");
      await commitAnswer(ledger, { threadId, forkFromMessageId: null }, "y");
      expect((await logOf()).filter(({ body }) => body.includes(runMetadata))).toStrictEqual([]);
      const states = (await readEventsUpToNow(ledger, threadId)).filter(
        (event): event is LedgerEvent & { type: "run" } => event.type === "run",
      );
      const own = states.filter(({ runId }) => runId === id).map(({ run }) => [run.state, run.metadata]);
      expect(own).toStrictEqual(["created", "streaming", "committed", "superseded"].map((state) => [state, metadata]));
      expect(states.filter(({ runId, run }) => runId !== id && "metadata" in run)).toStrictEqual([]);
    });

    test("is exported and imported unchanged", async () => {
      const run = await ledger.beginRun({ threadId, metadata: { value: runMetadata } });
      await run.append(createAnswer("x"));
      await run.commit(undefined, { metadata: { more: 1 } });
      const lines = await collect(ledger.export(threadId));
      expect(lines.join("").split(runMetadata)).toHaveLength(2);
      const copy = ledger.forTenant(`copy-${threadId}`);
      await copy.import(lines);
      expect(await collect(copy.export(threadId))).toStrictEqual(lines);
      const events = await readEventsUpToNow(copy, threadId);
      const states = events.flatMap((event) => (event.type === "run" ? [event.run.metadata] : []));
      expect(states).toStrictEqual([1, 2, 3].map(() => ({ value: runMetadata, more: 1 })));
    });
  });

  test("background compaction continues until no run is left", async () => {
    const before = await opened.another(options);
    for (let at = 0; at < 40; at++) await commitAnswer(before, { threadId }, "old");
    await before.close();
    clock.pass(RETENTION + 1);
    expect(await deltaRows()).toBe(40);
    const own = createLedger(createView(opened.store), options);
    await commitAnswer(own, { threadId }, "new");
    await expect.poll(deltaRows).toBe(1);
    await own.close();
  });

  test("deltas without retention are deleted at the end of their run", async () => {
    const own = createLedger(createView(opened.store), { ...options, deltaRetentionMs: 0 });
    const { id } = await commitAnswer(own, { threadId }, "x");
    const failed = await own.beginRun({ threadId });
    await failed.append([startDelta, textDelta("y")]);
    expect(await deltaRows()).toBe(1);
    await failed.fail("broken");
    expect(await deltaRows()).toBe(0);
    expect((await readEventsUpToNow(own, threadId)).filter((event) => event.type === "delta")).toStrictEqual([]);
    expect(await opened.store.reads.run(ledger.tenant, id)).toMatchObject({ compacted: true });
    expect(await own.compact()).toBe(0);
    await own.close();
  });

  test("a waiting reader is notified at once that the ledger was closed", async () => {
    const own = createLedger(createView(opened.store), options);
    const events = own.follow({ threadId, after: "now" });
    // Polling is disabled here.
    const sleep = globalThis.setTimeout;
    const sleeping = vi.spyOn(globalThis, "setTimeout");
    sleeping.mockImplementation(((wake: () => void, ms: number) => sleep(wake, ms === 1000 ? 3_600_000 : ms)) as never);
    const next = events.next();
    const error = next.then(
      () => "event",
      (error: unknown) => error,
    );
    while (!sleeping.mock.calls.some(([, ms]) => ms === 1000)) await setImmediate();
    sleeping.mockRestore();
    await own.close();
    expect(await error).toMatchObject({ code: "closed" });
  });
});
