// Work on every store: wanted, held by exactly one, renewed, taken from those who are gone, and done.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import { createLedger } from "../../src/ledger/open.ts";
import type { Ledger, ClaimWorkOptions, WorkLease } from "../../src/ledger/types.ts";
import { user } from "../../src/model/index.ts";
import { FakeClock, FaultyStore } from "./support/runs.ts";
import { STORES, type OpenLedger } from "./support/stores.ts";

const LEASE = 60_000;

describe.each(STORES)("$name", (store) => {
  const clock = new FakeClock();
  let opened: OpenLedger;
  let ledger: Ledger;
  let other: Ledger;
  let threadId: string;
  let tenants = 0;
  beforeAll(async () => {
    opened = await store.open({ clock: clock.now, leaseMs: LEASE });
    other = await opened.another();
  });
  beforeEach(async () => {
    // Work is found by tenant: each test has its own.
    ledger = opened.ledger.forTenant(`tenant-${++tenants}`);
    ({ id: threadId } = await ledger.createThread());
  });
  afterAll(() => opened.close());

  const take = (by: Ledger, options: Partial<ClaimWorkOptions> = {}): Promise<WorkLease | undefined> =>
    by.forTenant(ledger.tenant).takeWork({ holder: "h", ...options });
  const taken = async (by: Ledger, options: Partial<ClaimWorkOptions> = {}): Promise<WorkLease> => {
    const work = await take(by, options);
    if (work === undefined) throw new Error("There was no work.");
    return work;
  };

  test("is there when it is wanted, and gone when it is done", async () => {
    expect(await take(other)).toBeUndefined();
    await ledger.want(threadId);
    const work = await taken(other);
    expect(work).toMatchObject({ threadId, tenant: ledger.tenant });
    expect(work.ledger.tenant).toBe(ledger.tenant);
    expect(await work.done()).toBe(true);
    expect(await take(ledger)).toBeUndefined();
    expect(work.lost.aborted).toBe(false);
  });

  test("has one holder, however many ask", async () => {
    await ledger.want(threadId);
    const tries = await Promise.all([take(ledger), take(other), take(ledger), take(other)]);
    expect(tries.filter((work) => work !== undefined)).toHaveLength(1);
    expect(await take(other, { threadId })).toBeUndefined();
  });

  test("comes in the order in which it was wanted, or by its thread", async () => {
    const ids = [threadId];
    for (let count = 0; count < 3; count++) ids.push((await ledger.createThread()).id);
    for (const id of ids.toReversed()) {
      clock.pass(1);
      await ledger.want(id);
    }
    expect((await taken(other, { threadId: ids[1] })).threadId).toBe(ids[1]);
    for (const id of [ids[3], ids[2], ids[0]]) expect((await taken(other)).threadId).toBe(id);
    expect(await take(other)).toBeUndefined();
  });

  test("that was wanted again meanwhile is not done yet, and stays with its holder", async () => {
    await ledger.want(threadId);
    const work = await taken(ledger);
    await ledger.want(threadId);
    await other.forTenant(ledger.tenant).want(threadId);
    expect(await work.done()).toBe(false);
    expect(await take(other)).toBeUndefined();
    expect(await work.done()).toBe(true);
  });

  test("that was let go is still wanted, behind the rest", async () => {
    await ledger.want(threadId);
    const work = await taken(ledger);
    const { id } = await ledger.createThread();
    clock.pass(1);
    await ledger.want(id);
    clock.pass(1);
    await work.release();
    await work.release();
    expect(work.lost.aborted).toBe(false);
    await expect(work.done()).rejects.toMatchObject({ code: "fenced" });
    await expect(work.renew()).rejects.toMatchObject({ code: "fenced" });
    expect([(await taken(other)).threadId, (await taken(other)).threadId]).toStrictEqual([id, threadId]);
  });

  test("of a holder that is gone is taken over, and the former one is fenced off", async () => {
    await ledger.want(threadId);
    const former = await taken(ledger);
    clock.pass(LEASE);
    expect(await take(other)).toBeUndefined();
    clock.pass(1);
    const heir = await taken(other);
    await expect(former.renew()).rejects.toMatchObject({ code: "fenced" });
    expect(former.lost.aborted).toBe(true);
    await expect(former.done()).rejects.toMatchObject({ code: "fenced" });
    await former.release();
    expect(await take(ledger)).toBeUndefined();
    expect(await heir.done()).toBe(true);
  });

  test("that is wanted anew after it was done is no former holder's", async () => {
    await ledger.want(threadId);
    const former = await taken(ledger);
    clock.pass(LEASE + 1);
    expect(await (await taken(other)).done()).toBe(true);
    await ledger.want(threadId);
    const heir = await taken(other);
    await expect(former.done()).rejects.toMatchObject({ code: "fenced" });
    expect(former.lost.aborted).toBe(true);
    expect(await heir.done()).toBe(true);
  });

  test("stays with a holder that renews it", async () => {
    await ledger.want(threadId);
    const work = await taken(ledger, { leaseMs: 500 });
    for (let count = 0; count < 4; count++) {
      clock.pass(400);
      await work.renew();
    }
    expect(await take(other)).toBeUndefined();
    clock.pass(501);
    expect((await taken(other)).threadId).toBe(threadId);
  });

  test("fences what its former holder writes: an entry with `holding` is the holder's", async () => {
    await ledger.want(threadId);
    const former = await taken(ledger);
    await former.ledger.log(threadId, [{ by: "former" }], { holding: former });
    clock.pass(LEASE + 1);
    const heir = await taken(other);
    const append = { messages: [user("late")] };
    const late = former.ledger.log(threadId, [{ by: "late" }], { holding: former, append });
    await expect(late).rejects.toMatchObject({ code: "fenced" });
    await heir.ledger.log(threadId, [{ by: "heir" }], { holding: heir });
    await heir.done();
    await expect(heir.ledger.log(threadId, [{}], { holding: heir })).rejects.toMatchObject({ code: "fenced" });
    const entries = await ledger.entries(threadId);
    expect(entries.map(({ entry }) => entry?.["by"])).toStrictEqual(["former", "heir"]);
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
  });

  test("of any tenant is found by who asks for all of them", async () => {
    const guest = ledger.forTenant(`${ledger.tenant}-guest`);
    const { id } = await guest.createThread();
    await guest.want(id);
    expect(await take(other)).toBeUndefined();
    const works: WorkLease[] = [];
    // Other tests may have left some.
    for (let work = await take(other, { everyTenant: true }); work !== undefined;) {
      works.push(work);
      work = await take(other, { everyTenant: true });
    }
    const found = works.find(({ tenant }) => tenant === guest.tenant);
    expect(found?.threadId).toBe(id);
    expect((await found?.ledger.thread(id))?.id).toBe(id);
    await Promise.all(works.map((work) => work.release()));
  });

  test("is let go of when its ledger closes", async () => {
    await ledger.want(threadId);
    const third = await opened.another();
    await taken(third);
    expect(await take(other)).toBeUndefined();
    await third.close();
    expect((await taken(other)).threadId).toBe(threadId);
  });

  test("keeps its thread from being deleted while somebody holds it, and goes with it afterwards", async () => {
    await ledger.want(threadId);
    const work = await taken(ledger);
    await expect(ledger.purge({ what: "thread", threadId })).rejects.toMatchObject({ code: "conflict" });
    await work.release();
    await ledger.purge({ what: "thread", threadId });
    expect(await take(other)).toBeUndefined();
  });

  test.each([
    ["no holder", {}, "holder"],
    ["a lease of nothing", { holder: "h", leaseMs: 0 }, "leaseMs"],
    ["a thread that is no name", { holder: "h", threadId: "" }, "threadId"],
  ])("%s is refused", async (_, options, path) => {
    await expect(ledger.takeWork(options as ClaimWorkOptions)).rejects.toMatchObject({ code: "invalid-input", path });
    await expect(ledger.want("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
  });
});

test("a holder whose store does not answer in time loses its work", async () => {
  const [memory] = STORES;
  const opened = await (memory as (typeof STORES)[number]).open();
  const faulty = new FaultyStore(opened.store);
  const ledger = createLedger(faulty, { leaseMs: 30, indexMs: false });
  const { id } = await ledger.createThread();
  await ledger.want(id);
  const work = await ledger.takeWork({ holder: "h" });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(work?.lost.aborted).toBe(false);
  faulty.failNext(new LedgerError("unavailable", "Gone."), { times: 1000 });
  await new Promise((resolve) => work?.lost.addEventListener("abort", resolve));
  expect(work?.lost.reason).toMatchObject({ code: "fenced" });
  await opened.close();
});
