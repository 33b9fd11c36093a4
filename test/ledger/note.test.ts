// A live run and its successors on every store: facts that whoever takes it over must know, letting go of it, and being
// the only one at work.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/types.ts";
import { begin, done, piece } from "./support/runs.ts";
import { STORES, type OpenLedger } from "./support/stores.ts";

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let threadId: string;
  beforeAll(async () => {
    opened = await store.open({ flushMs: 5 });
    ({ ledger } = opened);
  });
  beforeEach(async () => {
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  test("merges key by key, and another process sees the facts with every delta before them", async () => {
    const run = await ledger.beginRun({ threadId, metadata: { model: "m-1", started: ["a"] } });
    run.push([begin, piece("hello")]);
    await run.note({ started: ["a", "b"] });
    await run.note({ approved: true });
    const elsewhere = await opened.another();
    const seen = await elsewhere.run(run.id);
    expect(seen).toMatchObject({ lastSeq: 1, metadata: { model: "m-1", started: ["a", "b"], approved: true } });
    expect(run.info).toStrictEqual(seen);
  });

  test("deltas that are written at the same time do not take the facts back", async () => {
    const run = await ledger.beginRun({ threadId });
    const writes = [run.append([begin]), run.note({ one: 1 }), run.append([piece("a")]), run.note({ two: 2 })];
    await Promise.all([...writes, run.append([piece("b"), done])]);
    expect(run.info.metadata).toStrictEqual({ one: 1, two: 2 });
    await run.commit(undefined, { metadata: { three: 3 } });
    const { state, metadata } = await ledger.run(run.id);
    expect({ state, metadata }).toStrictEqual({ state: "committed", metadata: { one: 1, two: 2, three: 3 } });
  });

  test("leaves the state as it is, and stays with the run when it is taken over", async () => {
    const run = await ledger.beginRun({ threadId });
    await run.note({ started: [] });
    expect(await ledger.run(run.id)).toMatchObject({ state: "created", metadata: { started: [] } });
    const heir = await ledger.resumeRun(run.id, { force: true });
    expect(heir.info.metadata).toStrictEqual({ started: [] });
    await expect(run.note({ late: true })).rejects.toMatchObject({ code: "fenced" });
    await heir.cancel();
    await expect(heir.note({ late: true })).rejects.toMatchObject({ code: "illegal-transition" });
    expect((await ledger.run(run.id)).metadata).toStrictEqual({ started: [] });
  });

  test("refuses what is no JSON object, and a run that belongs to another writer", async () => {
    const run = await ledger.beginRun({ threadId, idempotencyKey: "k" });
    await expect(run.note({ at: 1n })).rejects.toMatchObject({ code: "invalid-input", path: "/facts/at" });
    await expect(run.note([] as never)).rejects.toMatchObject({ code: "invalid-input" });
    const again = await ledger.beginRun({ threadId, idempotencyKey: "k" });
    await expect(again.note({ mine: true })).rejects.toMatchObject({ code: "fenced" });
  });

  test("a run that is let go of can be taken over at once, with what it had been given", async () => {
    const run = await ledger.beginRun({ threadId });
    run.push([begin, piece("hello")]);
    await expect(ledger.resumeRun(run.id)).rejects.toMatchObject({ code: "conflict" });
    await run.release();
    await run.release();
    await expect(run.append([done])).rejects.toMatchObject({ code: "fenced" });
    const heir = await ledger.resumeRun(run.id);
    expect(heir.info.lastSeq).toBe(1);
    await heir.append([done]);
    await heir.commit();
    await heir.release();
    expect((await ledger.run(run.id)).state).toBe("committed");
  });

  test("a run that must be alone is not begun while another of its thread has a live writer", async () => {
    const { id: elsewhere } = await ledger.createThread();
    await ledger.beginRun({ threadId: elsewhere });
    const first = await ledger.beginRun({ threadId, alone: true });
    const refused = { code: "conflict", path: "alone" };
    await expect(ledger.beginRun({ threadId, alone: true })).rejects.toMatchObject(refused);
    await expect((await opened.another()).beginRun({ threadId, alone: true })).rejects.toMatchObject(refused);
    // Others may work beside it, and then it is they that are in the way.
    const beside = await ledger.beginRun({ threadId });
    await first.cancel();
    await expect(ledger.beginRun({ threadId, alone: true })).rejects.toMatchObject(refused);
    await beside.release();
    const second = await ledger.beginRun({ threadId, alone: true });
    await second.cancel();
    await expect(ledger.beginRun({ threadId, alone: "yes" as never })).rejects.toMatchObject({ code: "invalid-input" });
  });
});
