// Other names of runs, and work: who may have it, and what becomes of it.
import type { WorkChanges } from "../../ledger/rows.ts";
import { demand } from "../demand.ts";
import { household } from "./fixture.ts";
import { aliasRow, logRow, runRow, workRow } from "./rows.ts";
import type { Claim, Stage } from "./stage.ts";
import { demandSame } from "./stage.ts";

async function movesAliases(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const rows = ["b", "a", "c"].map((name) => aliasRow(key, name));
  for (const row of [...rows, ...rows]) await stage.write((tx) => tx.putAlias(row));
  const inOrder = rows.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  await demandSame(reads.aliases(key), inOrder, "The names of a thread's runs, each once, by name.");
  await demandSame(reads.alias(tenant, "none"), undefined, "A name that nobody has.");
  const moved = aliasRow(other, "b", "run-other");
  await stage.write((tx) => tx.putAlias(moved));
  await demandSame(reads.alias(tenant, "b"), moved, "A name belongs to the run that was given it last.");
  await demandSame(reads.aliases(key), [inOrder[0], inOrder[2]], "The other thread has it no more.");
  await demandSame(reads.aliases(other), [moved], "This one has it.");
}

async function claimsAliases(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const [first, second] = [aliasRow(key, "a"), aliasRow(other, "a", "run-other")];
  await demandSame(await stage.write((tx) => tx.claimAlias(first)), first, "A name that nobody had.");
  await demandSame(await stage.write((tx) => tx.claimAlias(second)), first, "Another one has it.");
  await demandSame(reads.alias(tenant, "a"), first, "It stays theirs.");
  await demandSame(await stage.write((tx) => tx.claimAlias(first)), first, "One's own.");
}

async function dropsAliases(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const rows = [aliasRow(key, "a"), aliasRow(key, "b", "run-b"), aliasRow(key, "c", "run-b"), aliasRow(other, "d")];
  await stage.write(
    (tx) => tx.insertRun(runRow(key, "run-b")),
    (tx) => tx.putAlias(aliasRow(other, "other", "run-b")),
  );
  for (const row of rows) await stage.write((tx) => tx.putAlias(row));
  await demandSame(await stage.write((tx) => tx.deleteAlias(tenant, "a")), true, "It was there.");
  await demandSame(await stage.write((tx) => tx.deleteAlias(tenant, "a")), false, "It is not there any more.");
  await demandSame(reads.alias(tenant, "a"), undefined, "A name that was deleted.");
  await demandSame(reads.aliases(key), rows.slice(1, 3), "The others stay.");
  await stage.write((tx) => tx.deleteRuns(key, ["run-b"]));
  await demandSame(reads.aliases(key), [], "Names go with their runs.");
  const left = [rows[3], aliasRow(other, "other", "run-b")];
  await demandSame(reads.aliases(other), left, "Not those of runs in another thread.");
}

async function takesWhatIsWanted(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const row = workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 });
  await stage.write((tx) => tx.addWork(row));
  await demandSame(reads.work(key), row, "Work that is wanted.");
  await stage.write((tx) => tx.addWork(workRow(key, { wantedAt: 9_000, wants: 1 })));
  await demandSame(reads.work(key), { ...row, wants: 2 }, "Wanted again, only that is counted.");
  await demandSame(reads.work(other), undefined, "Of another thread nothing is wanted.");
}

const WORK_CHANGES: readonly WorkChanges[] = [
  { leaseUntil: 2 ** 50 },
  { holder: "another" },
  { wants: 7 },
  { wantedAt: 2 ** 49 },
  {},
];

async function changesHeldWork(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const row = workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 });
  const stay = workRow(other, { leaseId: "lease" });
  await stage.write(
    (tx) => tx.addWork(row),
    (tx) => tx.addWork(stay),
  );
  for (const change of WORK_CHANGES) {
    for (const wrong of ["lease-old", null]) {
      const isDone = await stage.write((tx) => tx.updateWork(key, wrong, { ...change, wants: 99 }));
      await demandSame(isDone, false, `A lease that is ${wrong} changes nothing.`);
      await demandSame(reads.work(key), row, `A lease that is ${wrong} changed something.`);
    }
    Object.assign(row, change);
    const isDone = await stage.write((tx) => tx.updateWork(key, "lease", change));
    await demandSame(isDone, true, `updateWork ${JSON.stringify(change)} with the right lease.`);
    await demandSame(reads.work(key), row, `updateWork ${JSON.stringify(change)}.`);
  }
  const free = { holder: null, leaseId: null, leaseUntil: 0 };
  await demandSame(await stage.write((tx) => tx.updateWork(key, "lease", free)), true, "Let go.");
  await demandSame(await stage.write((tx) => tx.updateWork(key, "lease", { wants: 1 })), false, "Not held any more.");
  const taken = { holder: "third", leaseId: "lease-3", leaseUntil: 900 };
  await demandSame(await stage.write((tx) => tx.updateWork(key, null, taken)), true, "Taken while nobody had it.");
  await demandSame(await stage.write((tx) => tx.updateWork(key, null, taken)), false, "Taken by two.");
  await demandSame(reads.work(key), { ...row, ...taken }, "Work after all that.");
  await demandSame(reads.work(other), stay, "Work on another thread.");
  const none = { ...key, threadId: "none" };
  await demandSame(await stage.write((tx) => tx.updateWork(none, null, taken)), false, "Work that nobody wants.");
  await demandSame(reads.work(none), undefined, "It is not made.");
}

async function endsWork(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const row = workRow(key, { leaseId: "lease", wants: 3 });
  const stay = workRow(other, { leaseId: "lease", wants: 3 });
  await stage.write(
    (tx) => tx.addWork(row),
    (tx) => tx.addWork(stay),
  );
  await demandSame(await stage.write((tx) => tx.deleteWork(key, "lease", 2)), false, "More was wanted.");
  await demandSame(await stage.write((tx) => tx.deleteWork(key, "lease-old", 3)), false, "Another lease.");
  await demandSame(reads.work(key), row, "Neither deletes it.");
  await demandSame(await stage.write((tx) => tx.deleteWork(key, "lease", 3)), true, "The right lease and number.");
  await demandSame(await stage.write((tx) => tx.deleteWork(key, "lease", 3)), false, "Again, there is nothing.");
  await demandSame(reads.work(key), undefined, "It is gone.");
  await demandSame(reads.work(other), stay, "Work on another thread stays.");
}

async function listsOpenWork(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const twin = `${tenant}-twin`;
  const wanted: [tenant: string, threadId: string, wantedAt: number, leaseUntil: number][] = [
    [tenant, "third", 30, 0],
    [tenant, "first", 10, 99],
    [tenant, "just", 5, 100],
    [tenant, "held", 1, 101],
    [twin, "second", 20, 0],
  ];
  for (const [owner, threadId, wantedAt, leaseUntil] of wanted) {
    await stage.write((tx) => tx.addWork(workRow({ tenant: owner, threadId }, { wantedAt, leaseUntil })));
  }
  const found = async (limit: number, owner?: string): Promise<string[]> =>
    (await reads.openWork(100, limit, owner)).filter((row) => row.tenant.startsWith(tenant)).map((row) => row.threadId);
  await demandSame(found(100, tenant), ["first", "third"], "Work that nobody holds, what was wanted first first.");
  await demandSame(found(1, tenant), ["first"], "One was asked for.");
  await demandSame(found(100, twin), ["second"], "Of another tenant.");
  await demandSame(found(1_000_000), ["first", "second", "third"], "Of every tenant.");
  const [first] = await reads.openWork(100, 1, tenant);
  const row = workRow({ tenant, threadId: "first" }, { wantedAt: 10, leaseUntil: 99 });
  await demandSame(first, row, "The whole row.");
}

async function goesWithThreads(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const entry = logRow(key, 20, { runId: "", kind: "entry" });
  await stage.write(...household(tenant), (tx) => tx.insertLog([entry]));
  await stage.write((tx) => tx.deleteDeltas(key, ""));
  await stage.write((tx) => tx.deleteRuns(key, ["run", "run-ended"]));
  await demandSame(reads.log(key, { limit: 9, runId: "" }), [entry], "An entry is no delta, and of no run.");
  await stage.write((tx) => tx.deleteThread(key));
  for (const name of ["alias", "alias-ended"]) {
    await demandSame(reads.alias(tenant, name), undefined, "A name of a run of the thread.");
  }
  await demandSame(reads.work(key), undefined, "Work on the thread.");
  await demandSame(reads.log(key, { limit: 9, runId: "" }), [], "Entries of the thread.");
  demand((await reads.alias(tenant, "alias-other")) !== undefined, "Names of other threads' runs stay.");
  demand((await reads.work(stage.other)) !== undefined, "Work on other threads stays.");
}

export const WORK_CLAIMS: readonly Claim[] = [
  ["putAlias: the last row of a name stays, and names of a thread come in order", movesAliases],
  ["claimAlias: the first row of a name stays, and is given", claimsAliases],
  ["deleteAlias takes one name, deleteRuns those of its runs", dropsAliases],
  ["addWork inserts work, or counts that it was wanted again", takesWhatIsWanted],
  ["updateWork changes what is named where the lease is right, else nothing", changesHeldWork],
  ["deleteWork takes work where lease and number are right, else nothing", endsWork],
  ["openWork gives work whose lease is over, of one tenant or of every one", listsOpenWork],
  ["names, entries and work go with their thread, and entries with nothing less", goesWithThreads],
];
