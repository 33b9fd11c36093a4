// Checks how a store writes and reads aliases of runs, and work requests with their leases.
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
  await assertSame(
    reads.aliases(key),
    inOrder,
    "aliases must list each alias of the thread's runs once, sorted by name.",
  );
  await assertSame(
    reads.alias(tenant, "none"),
    undefined,
    "alias must return undefined for a name that does not exist.",
  );
  const moved = aliasRow(other, "b", "run-other");
  await context.write((tx) => tx.putAlias(moved));
  await assertSame(
    reads.alias(tenant, "b"),
    moved,
    "After putAlias with an existing name, the alias must belong to the new run.",
  );
  await assertSame(
    reads.aliases(key),
    [inOrder[0], inOrder[2]],
    "After an alias was moved, aliases of the first thread must not list it.",
  );
  await assertSame(
    reads.aliases(other),
    [moved],
    "After an alias was moved, aliases of the second thread must list it.",
  );
}

async function claimsAliases(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const [first, second] = [aliasRow(key, "a"), aliasRow(other, "a", "run-other")];
  await assertSame(
    await context.write((tx) => tx.claimAlias(first)),
    first,
    "claimAlias with a free name must return the given alias.",
  );
  await assertSame(
    await context.write((tx) => tx.claimAlias(second)),
    first,
    "claimAlias with a name of another thread must return the alias of that thread.",
  );
  await assertSame(reads.alias(tenant, "a"), first, "claimAlias must not move an existing alias to another thread.");
  await assertSame(
    await context.write((tx) => tx.claimAlias(first)),
    first,
    "claimAlias with a name that the thread already has must return that alias.",
  );
}

async function dropsAliases(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const rows = [aliasRow(key, "a"), aliasRow(key, "b", "run-b"), aliasRow(key, "c", "run-b"), aliasRow(other, "d")];
  await context.write(
    (tx) => tx.insertRun(runRow(key, "run-b")),
    (tx) => tx.putAlias(aliasRow(other, "other", "run-b")),
  );
  for (const row of rows) await context.write((tx) => tx.putAlias(row));
  await assertSame(
    await context.write((tx) => tx.deleteAlias(tenant, "a")),
    true,
    "deleteAlias of an existing alias must return true.",
  );
  await assertSame(
    await context.write((tx) => tx.deleteAlias(tenant, "a")),
    false,
    "deleteAlias of a deleted alias must return false.",
  );
  await assertSame(reads.alias(tenant, "a"), undefined, "alias must return undefined for a deleted alias.");
  await assertSame(
    reads.aliases(key),
    rows.slice(1, 3),
    "deleteAlias must not delete the other aliases of the thread.",
  );
  await context.write((tx) => tx.deleteRuns(key, ["run-b"]));
  await assertSame(reads.aliases(key), [], "deleteRuns must delete the aliases of the deleted runs.");
  const left = [rows[3], aliasRow(other, "other", "run-b")];
  await assertSame(reads.aliases(other), left, "deleteRuns must not delete aliases of runs in another thread.");
}

async function countsWorkRequests(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const row = workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 });
  await context.write((tx) => tx.addWork(row));
  await assertSame(reads.work(key), row, "work must return the row that addWork inserted.");
  await context.write((tx) => tx.addWork(workRow(key, { wantedAt: 9_000, wants: 1 })));
  await assertSame(
    reads.work(key),
    { ...row, wants: 2 },
    "A second addWork for the thread must only increase the field `wants`.",
  );
  await assertSame(reads.work(other), undefined, "work must return undefined for a thread without work.");
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
      await assertSame(isDone, false, `updateWork with the wrong lease ${wrong} must return false.`);
      await assertSame(reads.work(key), row, `updateWork with the wrong lease ${wrong} must change nothing.`);
    }
    Object.assign(row, change);
    const isDone = await context.write((tx) => tx.updateWork(key, "lease", change));
    await assertSame(isDone, true, `updateWork ${JSON.stringify(change)} with the right lease must return true.`);
    await assertSame(reads.work(key), row, `updateWork ${JSON.stringify(change)} must change exactly these fields.`);
  }
  const free = { holder: null, leaseId: null, leaseUntil: 0 };
  await assertSame(
    await context.write((tx) => tx.updateWork(key, "lease", free)),
    true,
    "updateWork that releases the lease must return true.",
  );
  await assertSame(
    await context.write((tx) => tx.updateWork(key, "lease", { wants: 1 })),
    false,
    "updateWork with a released lease must return false.",
  );
  const taken = { holder: "third", leaseId: "lease-3", leaseUntil: 900 };
  await assertSame(
    await context.write((tx) => tx.updateWork(key, null, taken)),
    true,
    "updateWork with the lease null must claim work without a lease and return true.",
  );
  await assertSame(
    await context.write((tx) => tx.updateWork(key, null, taken)),
    false,
    "updateWork with the lease null must return false for work that has a lease.",
  );
  await assertSame(
    reads.work(key),
    { ...row, ...taken },
    "work must return the row with all updates and the new lease.",
  );
  await assertSame(reads.work(other), stay, "updateWork must not change the work of another thread.");
  const none = { ...key, threadId: "none" };
  await assertSame(
    await context.write((tx) => tx.updateWork(none, null, taken)),
    false,
    "updateWork of work that does not exist must return false.",
  );
  await assertSame(reads.work(none), undefined, "updateWork must not create work that does not exist.");
}

async function endsWork(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const row = workRow(key, { leaseId: "lease", wants: 3 });
  const stay = workRow(other, { leaseId: "lease", wants: 3 });
  await context.write(
    (tx) => tx.addWork(row),
    (tx) => tx.addWork(stay),
  );
  await assertSame(
    await context.write((tx) => tx.deleteWork(key, "lease", 2)),
    false,
    "deleteWork must return false if `wants` is larger than the given number.",
  );
  await assertSame(
    await context.write((tx) => tx.deleteWork(key, "lease-old", 3)),
    false,
    "deleteWork with another lease must return false.",
  );
  await assertSame(reads.work(key), row, "deleteWork with another lease or another number must not delete the work.");
  await assertSame(
    await context.write((tx) => tx.deleteWork(key, "lease", 3)),
    true,
    "deleteWork with the right lease and number must return true.",
  );
  await assertSame(
    await context.write((tx) => tx.deleteWork(key, "lease", 3)),
    false,
    "A repeated deleteWork must return false.",
  );
  await assertSame(reads.work(key), undefined, "work must return undefined after deleteWork.");
  await assertSame(reads.work(other), stay, "deleteWork must not delete the work of another thread.");
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
  await assertSame(
    listWork(100, tenant),
    ["first", "third"],
    "openWork must list the work without a valid lease, the earliest request first.",
  );
  await assertSame(listWork(1, tenant), ["first"], "openWork with limit 1 must return only the earliest request.");
  await assertSame(listWork(100, twin), ["second"], "openWork with a tenant must list only the work of that tenant.");
  await assertSame(
    listWork(1_000_000),
    ["first", "second", "third"],
    "openWork without a tenant must list the work of every tenant.",
  );
  const [first] = await reads.openWork(100, 1, tenant);
  const row = workRow({ tenant, threadId: "first" }, { wantedAt: 10, leaseUntil: 99 });
  await assertSame(first, row, "openWork must return complete rows.");
}

async function deletesWithThread(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const entry = logRow(key, 20, { runId: "", kind: "entry" });
  await context.write(...createFixture(tenant), (tx) => tx.insertLog([entry]));
  await context.write((tx) => tx.deleteDeltas(key, ""));
  await context.write((tx) => tx.deleteRuns(key, ["run", "run-ended"]));
  await assertSame(
    reads.log(key, { limit: 9, runId: "" }),
    [entry],
    "deleteDeltas and deleteRuns must not delete journal entries.",
  );
  await context.write((tx) => tx.deleteThread(key));
  for (const name of ["alias", "alias-ended"]) {
    await assertSame(
      reads.alias(tenant, name),
      undefined,
      "deleteThread must delete the aliases of the thread's runs.",
    );
  }
  await assertSame(reads.work(key), undefined, "deleteThread must delete the work of the thread.");
  await assertSame(
    reads.log(key, { limit: 9, runId: "" }),
    [],
    "deleteThread must delete the journal entries of the thread.",
  );
  assertHolds(
    (await reads.alias(tenant, "alias-other")) !== undefined,
    "deleteThread must not delete the aliases of other threads' runs.",
  );
  assertHolds(
    (await reads.work(context.other)) !== undefined,
    "deleteThread must not delete the work of other threads.",
  );
}

export const WORK_CLAIMS: readonly StoreRequirement[] = [
  [
    "putAlias: the last row of a name replaces earlier ones; aliases lists the names of a thread in order",
    movesAliases,
  ],
  ["claimAlias: the first row of a name stays, and is returned", claimsAliases],
  ["deleteAlias deletes one name; deleteRuns deletes the names of its runs", dropsAliases],
  ["addWork inserts work, or counts a further request for existing work", countsWorkRequests],
  ["updateWork changes the given fields if the lease matches, otherwise no field", changesLeasedWork],
  ["deleteWork deletes work if the lease and the number of requests match, otherwise nothing", endsWork],
  ["openWork returns work whose lease has expired, of one tenant or of all tenants", listsOpenWork],
  [
    "deleteThread deletes aliases, journal entries and work; no other delete removes journal entries",
    deletesWithThread,
  ],
];
