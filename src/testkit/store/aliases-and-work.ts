// Store requirements: aliases of runs, and work requests with their leases.
import type { WorkChanges } from "../../ledger/store/rows.ts";
import { assertHolds } from "../conformance-case.ts";
import { createFixture } from "./fixture.ts";
import { aliasRow, logRow, runRow, workRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame } from "./store-test-context.ts";

async function movesAliases(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const rows = ["b", "a", "c"].map((name) => aliasRow(key, name));
  for (const row of [...rows, ...rows]) await context.write((tx) => tx.putAlias(row));
  const inOrder = rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  await assertSame(reads.aliases(key), inOrder, "The names of a thread's runs, each once, by name.");
  await assertSame(reads.alias(tenant, "none"), undefined, "A name that nobody has.");
  const moved = aliasRow(other, "b", "run-other");
  await context.write((tx) => tx.putAlias(moved));
  await assertSame(reads.alias(tenant, "b"), moved, "A name belongs to the run that was given it last.");
  await assertSame(reads.aliases(key), [inOrder[0], inOrder[2]], "The other thread has it no more.");
  await assertSame(reads.aliases(other), [moved], "This one has it.");
}

async function claimsAliases(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const [first, second] = [aliasRow(key, "a"), aliasRow(other, "a", "run-other")];
  await assertSame(await context.write((tx) => tx.claimAlias(first)), first, "A name that nobody had.");
  await assertSame(await context.write((tx) => tx.claimAlias(second)), first, "Another one has it.");
  await assertSame(reads.alias(tenant, "a"), first, "It stays theirs.");
  await assertSame(await context.write((tx) => tx.claimAlias(first)), first, "One's own.");
}

async function dropsAliases(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const rows = [aliasRow(key, "a"), aliasRow(key, "b", "run-b"), aliasRow(key, "c", "run-b"), aliasRow(other, "d")];
  await context.write(
    (tx) => tx.insertRun(runRow(key, "run-b")),
    (tx) => tx.putAlias(aliasRow(other, "other", "run-b")),
  );
  for (const row of rows) await context.write((tx) => tx.putAlias(row));
  await assertSame(await context.write((tx) => tx.deleteAlias(tenant, "a")), true, "It was there.");
  await assertSame(await context.write((tx) => tx.deleteAlias(tenant, "a")), false, "It is not there any more.");
  await assertSame(reads.alias(tenant, "a"), undefined, "A name that was deleted.");
  await assertSame(reads.aliases(key), rows.slice(1, 3), "The others stay.");
  await context.write((tx) => tx.deleteRuns(key, ["run-b"]));
  await assertSame(reads.aliases(key), [], "Names go with their runs.");
  const left = [rows[3], aliasRow(other, "other", "run-b")];
  await assertSame(reads.aliases(other), left, "Not those of runs in another thread.");
}

async function countsWorkRequests(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const row = workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 });
  await context.write((tx) => tx.addWork(row));
  await assertSame(reads.work(key), row, "Work that is wanted.");
  await context.write((tx) => tx.addWork(workRow(key, { wantedAt: 9_000, wants: 1 })));
  await assertSame(reads.work(key), { ...row, wants: 2 }, "Wanted again, only that is counted.");
  await assertSame(reads.work(other), undefined, "Of another thread nothing is wanted.");
}

const WORK_CHANGES: readonly WorkChanges[] = [
  { leaseUntil: 2 ** 50 },
  { holder: "another" },
  { wants: 7 },
  { wantedAt: 2 ** 49 },
  {},
];

async function changesLeasedWork(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const row = workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 });
  const stay = workRow(other, { leaseId: "lease" });
  await context.write(
    (tx) => tx.addWork(row),
    (tx) => tx.addWork(stay),
  );
  for (const change of WORK_CHANGES) {
    for (const wrong of ["lease-old", null]) {
      const isDone = await context.write((tx) => tx.updateWork(key, wrong, { ...change, wants: 99 }));
      await assertSame(isDone, false, `A lease that is ${wrong} changes nothing.`);
      await assertSame(reads.work(key), row, `A lease that is ${wrong} changed something.`);
    }
    Object.assign(row, change);
    const isDone = await context.write((tx) => tx.updateWork(key, "lease", change));
    await assertSame(isDone, true, `updateWork ${JSON.stringify(change)} with the right lease.`);
    await assertSame(reads.work(key), row, `updateWork ${JSON.stringify(change)}.`);
  }
  const free = { holder: null, leaseId: null, leaseUntil: 0 };
  await assertSame(await context.write((tx) => tx.updateWork(key, "lease", free)), true, "Let go.");
  await assertSame(await context.write((tx) => tx.updateWork(key, "lease", { wants: 1 })), false, "Not held any more.");
  const taken = { holder: "third", leaseId: "lease-3", leaseUntil: 900 };
  await assertSame(await context.write((tx) => tx.updateWork(key, null, taken)), true, "Taken while nobody had it.");
  await assertSame(await context.write((tx) => tx.updateWork(key, null, taken)), false, "Taken by two.");
  await assertSame(reads.work(key), { ...row, ...taken }, "Work after all that.");
  await assertSame(reads.work(other), stay, "Work on another thread.");
  const none = { ...key, threadId: "none" };
  await assertSame(await context.write((tx) => tx.updateWork(none, null, taken)), false, "Work that nobody wants.");
  await assertSame(reads.work(none), undefined, "It is not made.");
}

async function endsWork(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const row = workRow(key, { leaseId: "lease", wants: 3 });
  const stay = workRow(other, { leaseId: "lease", wants: 3 });
  await context.write(
    (tx) => tx.addWork(row),
    (tx) => tx.addWork(stay),
  );
  await assertSame(await context.write((tx) => tx.deleteWork(key, "lease", 2)), false, "More was wanted.");
  await assertSame(await context.write((tx) => tx.deleteWork(key, "lease-old", 3)), false, "Another lease.");
  await assertSame(reads.work(key), row, "Neither deletes it.");
  await assertSame(await context.write((tx) => tx.deleteWork(key, "lease", 3)), true, "The right lease and number.");
  await assertSame(await context.write((tx) => tx.deleteWork(key, "lease", 3)), false, "Again, there is nothing.");
  await assertSame(reads.work(key), undefined, "It is gone.");
  await assertSame(reads.work(other), stay, "Work on another thread stays.");
}

async function listsOpenWork(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const twin = `${tenant}-twin`;
  const requests: [tenant: string, threadId: string, wantedAt: number, leaseUntil: number][] = [
    [tenant, "third", 30, 0],
    [tenant, "first", 10, 99],
    [tenant, "just", 5, 100],
    [tenant, "held", 1, 101],
    [twin, "second", 20, 0],
  ];
  for (const [owner, threadId, wantedAt, leaseUntil] of requests) {
    await context.write((tx) => tx.addWork(workRow({ tenant: owner, threadId }, { wantedAt, leaseUntil })));
  }
  const listWork = async (limit: number, owner?: string): Promise<string[]> =>
    (await reads.openWork(100, limit, owner)).filter((row) => row.tenant.startsWith(tenant)).map((row) => row.threadId);
  await assertSame(listWork(100, tenant), ["first", "third"], "Work that nobody holds, what was requests first first.");
  await assertSame(listWork(1, tenant), ["first"], "One was asked for.");
  await assertSame(listWork(100, twin), ["second"], "Of another tenant.");
  await assertSame(listWork(1_000_000), ["first", "second", "third"], "Of every tenant.");
  const [first] = await reads.openWork(100, 1, tenant);
  const row = workRow({ tenant, threadId: "first" }, { wantedAt: 10, leaseUntil: 99 });
  await assertSame(first, row, "The whole row.");
}

async function goesWithThreads(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const entry = logRow(key, 20, { runId: "", kind: "entry" });
  await context.write(...createFixture(tenant), (tx) => tx.insertLog([entry]));
  await context.write((tx) => tx.deleteDeltas(key, ""));
  await context.write((tx) => tx.deleteRuns(key, ["run", "run-ended"]));
  await assertSame(reads.log(key, { limit: 9, runId: "" }), [entry], "An entry is no delta, and of no run.");
  await context.write((tx) => tx.deleteThread(key));
  for (const name of ["alias", "alias-ended"]) {
    await assertSame(reads.alias(tenant, name), undefined, "A name of a run of the thread.");
  }
  await assertSame(reads.work(key), undefined, "Work on the thread.");
  await assertSame(reads.log(key, { limit: 9, runId: "" }), [], "Entries of the thread.");
  assertHolds((await reads.alias(tenant, "alias-other")) !== undefined, "Names of other threads' runs stay.");
  assertHolds((await reads.work(context.other)) !== undefined, "Work on other threads stays.");
}

export const WORK_CLAIMS: readonly StoreRequirement[] = [
  ["putAlias: the last row of a name stays, and names of a thread come in order", movesAliases],
  ["claimAlias: the first row of a name stays, and is given", claimsAliases],
  ["deleteAlias takes one name, deleteRuns those of its runs", dropsAliases],
  ["addWork inserts work, or counts that it was wanted again", countsWorkRequests],
  ["updateWork changes what is named where the lease is right, else nothing", changesLeasedWork],
  ["deleteWork takes work where lease and number are right, else nothing", endsWork],
  ["openWork gives work whose lease is over, of one tenant or of every one", listsOpenWork],
  ["names, entries and work go with their thread, and entries with nothing less", goesWithThreads],
];
