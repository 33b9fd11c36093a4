// Tests aliases that only one run at a time may have, on every store.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger, Run } from "../../../src/ledger/types.ts";
import { assistant, user } from "../../../src/model/index.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  let claim: string;
  let claims = 0;
  beforeAll(async () => {
    opened = await store.open({});
    ({ ledger } = opened);
  });
  beforeEach(() => {
    claim = `claim-${++claims}`;
  });
  afterAll(() => opened.close());

  const begin = (by: Ledger): Promise<Run> =>
    by.beginRun({ threadId: by.newId(), thread: {}, input: { messages: [user("a")] }, claim });
  const refused = { code: "conflict", path: "claim" };

  test("is a conflict while another run has it, and after that run was committed; nothing is written then", async () => {
    const first = await begin(ledger);
    const threads = (await ledger.threads()).length;
    await expect(begin(ledger)).rejects.toMatchObject(refused);
    await first.commit([assistant("b")]);
    await expect(begin(ledger)).rejects.toMatchObject(refused);
    expect((await ledger.runByAlias(claim))?.id).toBe(first.id);
    expect(await ledger.threads()).toHaveLength(threads);
  });

  test("is free for another run if the first one failed or was cancelled", async () => {
    await (await begin(ledger)).fail("It broke.");
    const second = await begin(ledger);
    await second.cancel();
    const third = await begin(ledger);
    expect((await ledger.runByAlias(claim))?.id).toBe(third.id);
    await third.cancel();
  });

  test("belongs to one of many runs that start concurrently, in as many threads and two processes", async () => {
    const elsewhere = await opened.another();
    const all = Array.from({ length: 8 }, (_, at) => begin(at % 2 === 0 ? ledger : elsewhere));
    const ends = await Promise.allSettled(all);
    const won = ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
    const lost = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
    expect(won).toHaveLength(1);
    expect(lost).toStrictEqual(Array.from({ length: 7 }, () => expect.objectContaining(refused)));
    await won[0]?.cancel();
  });
});
