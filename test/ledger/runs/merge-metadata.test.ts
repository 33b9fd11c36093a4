// Tests a live run and its successors on every store: metadata for a successor, release, and exclusive runs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/types.ts";
import { startDelta, doneDelta, textDelta } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

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

  test("merges key by key, and another process sees it with every earlier delta", async () => {
    const run = await ledger.beginRun({ threadId, metadata: { model: "m-1", started: ["a"] } });
    run.push([startDelta, textDelta("hello")]);
    await run.mergeMetadata({ started: ["a", "b"] });
    await run.mergeMetadata({ approved: true });
    const elsewhere = await opened.another();
    const seen = await elsewhere.run(run.id);
    expect(seen).toMatchObject({ lastSeq: 1, metadata: { model: "m-1", started: ["a", "b"], approved: true } });
    expect(run.info).toStrictEqual(seen);
  });

  test("concurrently written deltas do not revert it", async () => {
    const run = await ledger.beginRun({ threadId });
    const writes = [
      run.append([startDelta]),
      run.mergeMetadata({ one: 1 }),
      run.append([textDelta("a")]),
      run.mergeMetadata({ two: 2 }),
    ];
    await Promise.all([...writes, run.append([textDelta("b"), doneDelta])]);
    expect(run.info.metadata).toStrictEqual({ one: 1, two: 2 });
    await run.commit(undefined, { metadata: { three: 3 } });
    const { state, metadata } = await ledger.run(run.id);
    expect({ state, metadata }).toStrictEqual({ state: "committed", metadata: { one: 1, two: 2, three: 3 } });
  });

  test("does not change the state, and stays with the run after a takeover", async () => {
    const run = await ledger.beginRun({ threadId });
    await run.mergeMetadata({ started: [] });
    expect(await ledger.run(run.id)).toMatchObject({ state: "created", metadata: { started: [] } });
    const heir = await ledger.resumeRun(run.id, { force: true });
    expect(heir.info.metadata).toStrictEqual({ started: [] });
    await expect(run.mergeMetadata({ late: true })).rejects.toMatchObject({ code: "fenced" });
    await heir.cancel();
    await expect(heir.mergeMetadata({ late: true })).rejects.toMatchObject({ code: "illegal-transition" });
    expect((await ledger.run(run.id)).metadata).toStrictEqual({ started: [] });
  });

  test("rejects values that are not JSON objects, and a run of another writer", async () => {
    const run = await ledger.beginRun({ threadId, idempotencyKey: "k" });
    await expect(run.mergeMetadata({ at: 1n })).rejects.toMatchObject({ code: "invalid-input", path: "/fields/at" });
    await expect(run.mergeMetadata([] as never)).rejects.toMatchObject({ code: "invalid-input" });
    const again = await ledger.beginRun({ threadId, idempotencyKey: "k" });
    await expect(again.mergeMetadata({ mine: true })).rejects.toMatchObject({ code: "fenced" });
  });

  test("a released run can be taken over at once, with its metadata", async () => {
    const run = await ledger.beginRun({ threadId });
    run.push([startDelta, textDelta("hello")]);
    await expect(ledger.resumeRun(run.id)).rejects.toMatchObject({ code: "conflict" });
    await run.release();
    await run.release();
    await expect(run.append([doneDelta])).rejects.toMatchObject({ code: "fenced" });
    const heir = await ledger.resumeRun(run.id);
    expect(heir.info.lastSeq).toBe(1);
    await heir.append([doneDelta]);
    await heir.commit();
    await heir.release();
    expect((await ledger.run(run.id)).state).toBe("committed");
  });

  test("an exclusive run does not start while another run of its thread has a live writer", async () => {
    const { id: elsewhere } = await ledger.createThread();
    await ledger.beginRun({ threadId: elsewhere });
    const first = await ledger.beginRun({ threadId, exclusive: true });
    const refused = { code: "conflict", path: "exclusive" };
    await expect(ledger.beginRun({ threadId, exclusive: true })).rejects.toMatchObject(refused);
    await expect((await opened.another()).beginRun({ threadId, exclusive: true })).rejects.toMatchObject(refused);
    // Other runs may start beside it, and then prevent an exclusive one.
    const beside = await ledger.beginRun({ threadId });
    await first.cancel();
    await expect(ledger.beginRun({ threadId, exclusive: true })).rejects.toMatchObject(refused);
    await beside.release();
    const second = await ledger.beginRun({ threadId, exclusive: true });
    await second.cancel();
    await expect(ledger.beginRun({ threadId, exclusive: "yes" as never })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });
});
