// Tests the work queue on every store: requests, exclusive leases, renewal, claims of expired leases, and completion.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import type { Ledger, ClaimWorkOptions, WorkLease } from "../../../src/ledger/types.ts";
import { user } from "../../../src/model/index.ts";
import { FakeClock, FaultyStore } from "../support/runs.ts";
import { STORES, type OpenLedger } from "../support/stores.ts";

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
    by.forTenant(ledger.tenant).claimWork({ holder: "h", ...options });
  const taken = async (by: Ledger, options: Partial<ClaimWorkOptions> = {}): Promise<WorkLease> => {
    const work = await take(by, options);
    if (work === undefined) throw new Error("There was no work.");
    return work;
  };

  test("exists from its request until its completion", async () => {
    expect(await take(other)).toBeUndefined();
    await ledger.requestWork(threadId);
    const work = await taken(other);
    expect(work).toMatchObject({ threadId, tenant: ledger.tenant });
    expect(work.ledger.tenant).toBe(ledger.tenant);
    expect(await work.complete()).toBe(true);
    expect(await take(ledger)).toBeUndefined();
    expect(work.lost.aborted).toBe(false);
  });

  test("has one holder, even with concurrent claims", async () => {
    await ledger.requestWork(threadId);
    const tries = await Promise.all([take(ledger), take(other), take(ledger), take(other)]);
    expect(tries.filter((work) => work !== undefined)).toHaveLength(1);
    expect(await take(other, { threadId })).toBeUndefined();
  });

  test("is claimed in the order of the requests, or by its thread", async () => {
    const ids = [threadId];
    for (let count = 0; count < 3; count++) ids.push((await ledger.createThread()).id);
    for (const id of ids.toReversed()) {
      clock.pass(1);
      await ledger.requestWork(id);
    }
    expect((await taken(other, { threadId: ids[1] })).threadId).toBe(ids[1]);
    for (const id of [ids[3], ids[2], ids[0]]) expect((await taken(other)).threadId).toBe(id);
    expect(await take(other)).toBeUndefined();
  });

  test("that was requested again meanwhile is not complete, and keeps its lease", async () => {
    await ledger.requestWork(threadId);
    const work = await taken(ledger);
    await ledger.requestWork(threadId);
    await other.forTenant(ledger.tenant).requestWork(threadId);
    expect(await work.complete()).toBe(false);
    expect(await take(other)).toBeUndefined();
    expect(await work.complete()).toBe(true);
  });

  test("that was released stays requested, after the others", async () => {
    await ledger.requestWork(threadId);
    const work = await taken(ledger);
    const { id } = await ledger.createThread();
    clock.pass(1);
    await ledger.requestWork(id);
    clock.pass(1);
    await work.release();
    await work.release();
    expect(work.lost.aborted).toBe(false);
    await expect(work.complete()).rejects.toMatchObject({ code: "fenced" });
    await expect(work.renew()).rejects.toMatchObject({ code: "fenced" });
    expect([(await taken(other)).threadId, (await taken(other)).threadId]).toStrictEqual([id, threadId]);
  });

  test("of a dead holder is taken over, and the former holder is rejected", async () => {
    await ledger.requestWork(threadId);
    const former = await taken(ledger);
    clock.pass(LEASE);
    expect(await take(other)).toBeUndefined();
    clock.pass(1);
    const heir = await taken(other);
    await expect(former.renew()).rejects.toMatchObject({ code: "fenced" });
    expect(former.lost.aborted).toBe(true);
    await expect(former.complete()).rejects.toMatchObject({ code: "fenced" });
    await former.release();
    expect(await take(ledger)).toBeUndefined();
    expect(await heir.complete()).toBe(true);
  });

  test("that is requested again after its completion does not belong to the former worker", async () => {
    await ledger.requestWork(threadId);
    const former = await taken(ledger);
    clock.pass(LEASE + 1);
    expect(await (await taken(other)).complete()).toBe(true);
    await ledger.requestWork(threadId);
    const heir = await taken(other);
    await expect(former.complete()).rejects.toMatchObject({ code: "fenced" });
    expect(former.lost.aborted).toBe(true);
    expect(await heir.complete()).toBe(true);
  });

  test("stays with a holder that renews it", async () => {
    await ledger.requestWork(threadId);
    const work = await taken(ledger, { leaseMs: 500 });
    for (let count = 0; count < 4; count++) {
      clock.pass(400);
      await work.renew();
    }
    expect(await take(other)).toBeUndefined();
    clock.pass(501);
    expect((await taken(other)).threadId).toBe(threadId);
  });

  test("rejects writes of its former worker: an entry with `workLease` needs a valid lease", async () => {
    await ledger.requestWork(threadId);
    const former = await taken(ledger);
    await former.ledger.log(threadId, [{ by: "former" }], { workLease: former });
    clock.pass(LEASE + 1);
    const heir = await taken(other);
    const append = { messages: [user("late")] };
    const late = former.ledger.log(threadId, [{ by: "late" }], { workLease: former, append });
    await expect(late).rejects.toMatchObject({ code: "fenced" });
    await heir.ledger.log(threadId, [{ by: "heir" }], { workLease: heir });
    await heir.complete();
    await expect(heir.ledger.log(threadId, [{}], { workLease: heir })).rejects.toMatchObject({ code: "fenced" });
    const entries = await ledger.entries(threadId);
    expect(entries.map(({ entry }) => entry?.["by"])).toStrictEqual(["former", "heir"]);
    expect(await ledger.transcript(threadId)).toStrictEqual([]);
  });

  test("of any tenant is found with `everyTenant`", async () => {
    const guest = ledger.forTenant(`${ledger.tenant}-guest`);
    const { id } = await guest.createThread();
    await guest.requestWork(id);
    expect(await take(other)).toBeUndefined();
    const works: WorkLease[] = [];
    // Other tests may have left requests.
    for (let work = await take(other, { everyTenant: true }); work !== undefined;) {
      works.push(work);
      work = await take(other, { everyTenant: true });
    }
    const claimed = works.find(({ tenant }) => tenant === guest.tenant);
    expect(claimed?.threadId).toBe(id);
    expect((await claimed?.ledger.thread(id))?.id).toBe(id);
    await Promise.all(works.map((work) => work.release()));
  });

  test("is released when its ledger closes", async () => {
    await ledger.requestWork(threadId);
    const third = await opened.another();
    await taken(third);
    expect(await take(other)).toBeUndefined();
    await third.close();
    expect((await taken(other)).threadId).toBe(threadId);
  });

  test("prevents the deletion of its thread while it is leased, and is deleted with it afterwards", async () => {
    await ledger.requestWork(threadId);
    const work = await taken(ledger);
    await expect(ledger.purge({ what: "thread", threadId })).rejects.toMatchObject({ code: "conflict" });
    await work.release();
    await ledger.purge({ what: "thread", threadId });
    expect(await take(other)).toBeUndefined();
  });

  test.each([
    ["no holder", {}, "holder"],
    ["a lease of zero", { holder: "h", leaseMs: 0 }, "leaseMs"],
    ["an empty thread id", { holder: "h", threadId: "" }, "threadId"],
  ])("%s is rejected", async (_, options, path) => {
    await expect(ledger.claimWork(options as ClaimWorkOptions)).rejects.toMatchObject({ code: "invalid-input", path });
    await expect(ledger.requestWork("nowhere")).rejects.toMatchObject({ code: "unknown-thread" });
  });
});

test("a worker whose store does not respond in time loses its lease", async () => {
  const [memory] = STORES;
  const opened = await (memory as (typeof STORES)[number]).open();
  const faulty = new FaultyStore(opened.store);
  const clock = new FakeClock();
  const ledger = createLedger(faulty, { clock: clock.now, leaseMs: 30, indexMs: false });
  const { id } = await ledger.createThread();
  await ledger.requestWork(id);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const work = await ledger.claimWork({ holder: "h" });
    const renewLease = async (): Promise<void> => {
      clock.pass(10);
      await vi.advanceTimersByTimeAsync(10);
    };
    for (let renewals = 0; renewals < 6; renewals++) await renewLease();
    expect(work?.lost.aborted).toBe(false);
    faulty.failNext(new LedgerError("unavailable", "Gone."), { times: 1000 });
    for (let renewals = 0; renewals < 4; renewals++) await renewLease();
    expect(work?.lost.reason).toMatchObject({ code: "fenced" });
  } finally {
    vi.useRealTimers();
  }
  await opened.close();
});
