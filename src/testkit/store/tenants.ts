// Every row is seen by its own tenant alone. Two tenants have the same household, id for id; whatever one of them does,
// the other's stays as it was.
import { changes, everythingNow, HELD, household } from "./fixture.ts";
import { blobRow, endedRun, idOf, keyRow, messageRow, refRow, runRow } from "./rows.ts";
import type { Claim, Stage } from "./stage.ts";
import { demandSame } from "./stage.ts";

/** Names that a careless comparison takes for the same. */
function neighbours(tenant: string): string[] {
  return [`${tenant}x`, tenant.toUpperCase(), `${tenant} `, `${tenant}%`, ""];
}

async function readsOwnRowsOnly(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  const empty = await everythingNow(store, tenant);
  await stage.write(...household(tenant));
  for (const name of [...neighbours(tenant), "nobody"]) {
    await demandSame(everythingNow(store, name), empty, `What tenant "${name}" sees of "${tenant}".`);
  }
}

async function sharesNoIds(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  await stage.write(...household(tenant));
  const own = await everythingNow(store, tenant);
  const twin = `${tenant}-twin`;
  await stage.write(...household(twin));
  const twins = JSON.stringify(await everythingNow(store, twin), bytesAsText);
  await demandSame(everythingNow(store, tenant), own, "The household of a tenant whose twin moved in.");
  const translated = JSON.stringify(own, bytesAsText).replaceAll(`"${tenant}"`, `"${twin}"`);
  await demandSame(JSON.parse(twins), JSON.parse(translated), "The twin's household is the same.");
}

function bytesAsText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? [...value].join(" ") : value;
}

async function leavesOthersAlone(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  const twin = `${tenant}-twin`;
  await stage.write(...household(tenant), ...household(twin));
  const before = await everythingNow(store, twin);
  for (const [method, step] of Object.entries(changes(tenant))) {
    await stage.write(step);
    await demandSame(everythingNow(store, twin), before, `${method} of one tenant changed another's rows.`);
  }
}

async function locksOwnThreads(stage: Stage): Promise<void> {
  await stage.write(...household(stage.tenant));
  const locked = await stage.write((tx) => tx.lockThread({ tenant: "nobody", threadId: "thread" }));
  await demandSame(locked, undefined, "lockThread gives no thread of another tenant.");
}

async function listsRunsOfAll(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const tenants = [tenant, `${tenant}-twin`];
  for (const each of tenants) {
    const key = { tenant: each, threadId: "thread" };
    await stage.write(
      (tx) => tx.insertRun(runRow(key, "run", { leaseUntil: 1 })),
      (tx) => tx.insertRun(endedRun(key, "run-ended", 2)),
    );
  }
  const owners = (rows: readonly { tenant: string }[]): string[] =>
    rows
      .map((row) => row.tenant)
      .filter((name) => name.startsWith(tenant))
      .toSorted();
  const all = 1_000_000;
  await demandSame(owners(await reads.expiredRuns(10, all)), tenants, "Expired runs of every tenant.");
  await demandSame(owners(await reads.expiredRuns(10, all, tenant)), [tenant], "Expired runs of one.");
  await demandSame(owners(await reads.compactableRuns(10, all)), tenants, "Compactable runs of every tenant.");
  await demandSame(owners(await reads.compactableRuns(10, all, tenant)), [tenant], "Compactable runs of one.");
}

/** A message holds the blob of its own tenant, not one of the same content. */
async function holdsOwnBlobs(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const twin = { ...key, tenant: `${tenant}-twin` };
  await stage.write(
    (tx) => tx.insertBlob(blobRow(tenant, HELD)),
    (tx) => tx.insertBlob(blobRow(twin.tenant, HELD)),
    (tx) => tx.insertMessages([messageRow(twin, 1)]),
    (tx) => tx.insertBlobRefs([refRow(twin, 1, HELD)]),
    (tx) => tx.insertKey(keyRow(twin, "key")),
    (tx) => tx.deleteLooseBlobs(tenant, 9_999),
    (tx) => tx.deleteLooseBlobs(twin.tenant, 9_999),
  );
  await demandSame(reads.blob(tenant, HELD), undefined, "No message of this tenant held it.");
  await demandSame(reads.blob(twin.tenant, HELD), blobRow(twin.tenant, HELD), "A message of this tenant holds it.");
  await demandSame((await reads.message(twin, idOf(1)))?.tenant, twin.tenant, "The message is there.");
}

export const TENANT_CLAIMS: readonly Claim[] = [
  ["no read shows a row of another tenant", readsOwnRowsOnly],
  ["two tenants may have rows of the same ids", sharesNoIds],
  ["no write touches a row of another tenant", leavesOthersAlone],
  ["lockThread locks no thread of another tenant", locksOwnThreads],
  ["expired and compactable runs are those of one tenant, or of every one", listsRunsOfAll],
  ["a blob is held by messages of its own tenant alone", holdsOwnBlobs],
];
