// Following what is long past: gaps are told before anything is given, little is read, what a caller says of a run is
// kept once, and compaction keeps up.
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createLedger } from "../../src/ledger/open.ts";
import type { LogRow } from "../../src/ledger/rows.ts";
import type { LedgerReads, LedgerStore } from "../../src/ledger/store.ts";
import type { Ledger, LedgerEvent } from "../../src/ledger/types.ts";
import { user } from "../../src/model/index.ts";
import {
  answered,
  answerOf,
  begin,
  done,
  eventsUpToNow,
  FakeClock,
  listed,
  piece,
  sayEvent,
  take,
} from "./support/runs.ts";
import { gathered } from "./support/scope.ts";
import { STORES, viewOf, type OpenLedger } from "./support/stores.ts";

const RETENTION = 60_000;

/** A store that remembers how many rows each of its reads gave. */
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
  return { store: { ...viewOf(store), reads }, rows };
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

  test("B96: a gap is told before anything is given, however much another run has streamed since", async () => {
    const [one, two] = [
      await ledger.beginRun({ threadId, mode: "branch" }),
      await ledger.beginRun({ threadId, mode: "branch" }),
    ];
    await one.append([begin, piece("1a")]);
    await two.append([begin]);
    const events = await eventsUpToNow(ledger, threadId);
    const after = events.at(-1)?.cursor ?? "";
    await one.append([piece("lost"), done]);
    // More than is read at a time.
    for (let row = 0; row < 100; row++) await two.append([piece(`${row} `)]);
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
    expect((await gathered(skipping)).map(sayEvent)).toStrictEqual(["message 1alost", "run committed"]);
    // Its own message, the deltas of the other run, and what this one came to.
    const rest = (await take(ledger.follow({ threadId, after, gaps: "skip" }), 103)).map(sayEvent);
    expect([rest[0], rest[1], rest.at(-2), rest.at(-1)]).toStrictEqual(
      listed("message mark, delta 0 , message 1alost, run committed"),
    );
    expect(() => ledger.follow({ threadId, gaps: "some" as "skip" })).toThrow('"gaps"');
    const ofTwo = ledger.follow({ threadId, runId: two.id, after });
    expect((await ofTwo.next()).value).toMatchObject({ type: "delta", runId: two.id });
    await ofTwo.return?.();
    await two.cancel();
  });

  test("an old run is followed without reading what came after it", async () => {
    await ledger.append(threadId, [user("before")]);
    const { id: runId } = await answered(ledger, { threadId }, "a", "b");
    const alone = { threadId, runId };
    const expected = (await gathered(ledger.follow(alone))).map(sayEvent);
    for (let at = 0; at < 30; at++) {
      await ledger.append(threadId, [user("later")]);
      await answered(ledger, { threadId }, "later");
    }
    const seen = watched(opened.store);
    const events = await gathered(createLedger(seen.store, options).follow(alone));
    expect(events.map(sayEvent)).toStrictEqual(expected);
    expect(expected.at(-1)).toBe("run committed");
    expect(seen.rows.get("messages") ?? []).toStrictEqual([]);
    expect(seen.rows.get("message")).toHaveLength(1);
    expect(seen.rows.get("headers")?.length).toBeLessThan(3);
    expect(seen.rows.get("log")?.length).toBe(4);
  });

  describe("what a caller says of a run", () => {
    const said = "said once ".repeat(100);

    test("B97: is stored once, and given with each change of its state", async () => {
      const metadata = { said };
      const { id } = await answered(ledger, { threadId, metadata }, "x");
      await answered(ledger, { threadId, forkFromMessageId: null }, "y");
      expect((await logOf()).filter(({ body }) => body.includes(said))).toStrictEqual([]);
      const states = (await eventsUpToNow(ledger, threadId)).filter(
        (event): event is LedgerEvent & { type: "run" } => event.type === "run",
      );
      const own = states.filter(({ runId }) => runId === id).map(({ run }) => [run.state, run.metadata]);
      expect(own).toStrictEqual(["created", "streaming", "committed", "superseded"].map((state) => [state, metadata]));
      expect(states.filter(({ runId, run }) => runId !== id && "metadata" in run)).toStrictEqual([]);
    });

    test("is exported and imported as it is", async () => {
      const run = await ledger.beginRun({ threadId, metadata: { said } });
      await run.append(answerOf("x"));
      await run.commit(undefined, { metadata: { more: 1 } });
      const lines = await gathered(ledger.export(threadId));
      expect(lines.join("").split(said)).toHaveLength(2);
      const copy = ledger.forTenant(`copy-${threadId}`);
      await copy.import(lines);
      expect(await gathered(copy.export(threadId))).toStrictEqual(lines);
      const events = await eventsUpToNow(copy, threadId);
      const states = events.flatMap((event) => (event.type === "run" ? [event.run.metadata] : []));
      expect(states).toStrictEqual([1, 2, 3].map(() => ({ said, more: 1 })));
    });
  });

  test("compaction along the way goes on until nothing is left that it could take", async () => {
    const before = await opened.another(options);
    for (let at = 0; at < 40; at++) await answered(before, { threadId }, "old");
    await before.close();
    clock.pass(RETENTION + 1);
    expect(await deltaRows()).toBe(40);
    const own = createLedger(viewOf(opened.store), options);
    await answered(own, { threadId }, "new");
    await vi.waitFor(async () => expect(await deltaRows()).toBe(1));
    await own.close();
  });

  test("deltas that are not to be kept go with the end of their run", async () => {
    const own = createLedger(viewOf(opened.store), { ...options, deltaRetentionMs: 0 });
    const { id } = await answered(own, { threadId }, "x");
    const failed = await own.beginRun({ threadId });
    await failed.append([begin, piece("y")]);
    expect(await deltaRows()).toBe(1);
    await failed.fail("broken");
    expect(await deltaRows()).toBe(0);
    expect((await eventsUpToNow(own, threadId)).filter((event) => event.type === "delta")).toStrictEqual([]);
    expect(await opened.store.reads.run(ledger.tenant, id)).toMatchObject({ compacted: true });
    expect(await own.compact()).toBe(0);
    await own.close();
  });

  test("who waits for more hears at once that the ledger was closed", async () => {
    const own = createLedger(viewOf(opened.store), options);
    const events = own.follow({ threadId, after: "now" });
    // It would look for itself after a while; here it never does.
    const sleep = globalThis.setTimeout;
    const sleeping = vi.spyOn(globalThis, "setTimeout");
    sleeping.mockImplementation(((wake: () => void, ms: number) => sleep(wake, ms === 1000 ? 3_600_000 : ms)) as never);
    const next = events.next();
    const heard = next.then(
      () => "event",
      (error: unknown) => error,
    );
    while (!sleeping.mock.calls.some(([, ms]) => ms === 1000)) await setImmediate();
    sleeping.mockRestore();
    await own.close();
    expect(await heard).toMatchObject({ code: "closed" });
  });
});
