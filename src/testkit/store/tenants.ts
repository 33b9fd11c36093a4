// Checks that a tenant can read and change only its own rows. Two tenants have the same fixture with the same ids;
// writes of one tenant must not affect the other tenant.
import { createChanges, readStore, REFERENCED_HASH, createFixture } from "./fixture.ts";
import { blobRow, endedRun, toTestId, keyRow, messageRow, refRow, runRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame } from "./store-test-context.ts";

/**
 * Returns names that a wrong comparison (without case, with trimming, with LIKE) treats as equal to the tenant's name.
 */
function createSimilarNames(tenant: string): string[] {
  return [`${tenant}x`, tenant.toUpperCase(), `${tenant} `, `${tenant}%`, ""];
}

async function readsOwnRowsOnly(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  const empty = await readStore(store, tenant);
  await context.write(...createFixture(tenant));
  for (const name of [...createSimilarNames(tenant), "nobody"]) {
    await assertSame(readStore(store, name), empty, `Tenant "${name}" must not read rows of tenant "${tenant}".`);
  }
}

async function sharesNoIds(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  const own = await readStore(store, tenant);
  const twin = `${tenant}-twin`;
  await context.write(...createFixture(twin));
  const twins = JSON.stringify(await readStore(store, twin), bytesAsText);
  await assertSame(
    readStore(store, tenant),
    own,
    "The rows of a tenant must not change when another tenant writes rows with the same ids.",
  );
  const translated = JSON.stringify(own, bytesAsText).replaceAll(`"${tenant}"`, `"${twin}"`);
  await assertSame(
    JSON.parse(twins),
    JSON.parse(translated),
    "The second tenant must read its own rows with the same ids.",
  );
}

function bytesAsText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? [...value].join(" ") : value;
}

async function leavesOthersAlone(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  const twin = `${tenant}-twin`;
  await context.write(...createFixture(tenant), ...createFixture(twin));
  const before = await readStore(store, twin);
  for (const [method, step] of Object.entries(createChanges(tenant))) {
    await context.write(step);
    await assertSame(readStore(store, twin), before, `${method} of one tenant changed rows of another tenant.`);
  }
}

async function locksOwnThreads(context: StoreTestContext): Promise<void> {
  await context.write(...createFixture(context.tenant));
  const locked = await context.write((tx) => tx.lockThread({ tenant: "nobody", threadId: "thread" }));
  await assertSame(locked, undefined, "lockThread must not return a thread of another tenant.");
}

async function listsRunsOfAll(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const tenants = [tenant, `${tenant}-twin`];
  for (const each of tenants) {
    const key = { tenant: each, threadId: "thread" };
    await context.write(
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
  await assertSame(
    owners(await reads.expiredRuns(10, all)),
    tenants,
    "expiredRuns without a tenant must list the runs of every tenant.",
  );
  await assertSame(
    owners(await reads.expiredRuns(10, all, tenant)),
    [tenant],
    "expiredRuns with a tenant must list only the runs of that tenant.",
  );
  await assertSame(
    owners(await reads.compactableRuns(10, all)),
    tenants,
    "compactableRuns without a tenant must list the runs of every tenant.",
  );
  await assertSame(
    owners(await reads.compactableRuns(10, all, tenant)),
    [tenant],
    "compactableRuns with a tenant must list only the runs of that tenant.",
  );
}

/** Requires that a message references the blob of its own tenant, not the equal blob of another tenant. */
async function separatesBlobReferences(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const twin = { ...key, tenant: `${tenant}-twin` };
  await context.write(
    (tx) => tx.insertBlob(blobRow(tenant, REFERENCED_HASH)),
    (tx) => tx.insertBlob(blobRow(twin.tenant, REFERENCED_HASH)),
    (tx) => tx.insertMessages([messageRow(twin, 1)]),
    (tx) => tx.insertBlobRefs([refRow(twin, 1, REFERENCED_HASH)]),
    (tx) => tx.insertKey(keyRow(twin, "key")),
    (tx) => tx.deleteUnreferencedBlobs(tenant, 9_999),
    (tx) => tx.deleteUnreferencedBlobs(twin.tenant, 9_999),
  );
  await assertSame(
    reads.blob(tenant, REFERENCED_HASH),
    undefined,
    "A blob that no message of its own tenant references must be deleted.",
  );
  await assertSame(
    reads.blob(twin.tenant, REFERENCED_HASH),
    blobRow(twin.tenant, REFERENCED_HASH),
    "A blob that a message of its own tenant references must not be deleted.",
  );
  await assertSame(
    (await reads.message(twin, toTestId(1)))?.tenant,
    twin.tenant,
    "The message that references the blob must be stored.",
  );
}

export const TENANT_CLAIMS: readonly StoreRequirement[] = [
  ["no read returns a row of another tenant", readsOwnRowsOnly],
  ["two tenants may have rows with the same ids", sharesNoIds],
  ["no write changes a row of another tenant", leavesOthersAlone],
  ["lockThread locks no thread of another tenant", locksOwnThreads],
  ["expired and compactable runs are listed for one tenant or for all tenants", listsRunsOfAll],
  ["only messages of the same tenant reference a blob", separatesBlobReferences],
];
