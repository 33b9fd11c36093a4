// A small household of a tenant, with rows of every kind, and everything that can be read of it. What a store does is
// seen by looking at all of it before and after.
import { LedgerError } from "../../ledger/errors.ts";
import { got, runLater, type Steps } from "../../ledger/steps.ts";
import type { LedgerReads, LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store.ts";
import {
  aliasRow,
  blobRow,
  chunkRow,
  endedRun,
  hashOf,
  idOf,
  keyRow,
  logRow,
  messageRow,
  quarantineRow,
  refRow,
  runRow,
  threadRow,
  workRow,
} from "./rows.ts";
import type { Step } from "./stage.ts";

export const HELD = hashOf("aa");
export const LOOSE = hashOf("bb");
const LOOSE_TOO = hashOf("bc");
export const NEW = hashOf("cc");
const FAR = 1_000_000;
const HASHES = [HELD, LOOSE, LOOSE_TOO, NEW];
const RUNS = ["run", "run-ended", "run-new"];
const KEYS = ["key", "key-old", "key-new"];
const ALIASES = ["alias", "alias-ended", "alias-other", "alias-new", "alias-claimed"];
const ENDED = { runId: "run-ended" };

/** Inserts the household: a thread that has everything, and another that must be left alone. */
export function household(tenant: string): Step[] {
  const key = { tenant, threadId: "thread" };
  const other = { tenant, threadId: "thread-other" };
  const held = blobRow(tenant, HELD);
  const loose = blobRow(tenant, LOOSE);
  return [
    (tx) => tx.insertThread(threadRow(key, { title: "Delphi", kind: "oracle", pinned: true, leafId: idOf(2) })),
    (tx) => tx.insertMessages([messageRow(key, 1), messageRow(key, 2, { role: "assistant", digest: "digest-2" })]),
    (tx) => tx.insertMessages([messageRow(key, 3), messageRow(key, 4, { role: "assistant", digest: "digest-4" })]),
    (tx) => tx.insertRun(runRow(key, "run")),
    (tx) => tx.insertRun(endedRun(key, "run-ended", 2_000)),
    (tx) => tx.insertLog([logRow(key, 5, ENDED), logRow(key, 6, ENDED), logRow(key, 7, { ...ENDED, kind: "run" })]),
    (tx) => tx.insertLog([logRow(key, 8)]),
    (tx) => tx.insertKey(keyRow(key, "key", { createdAt: 5_000 })),
    (tx) => tx.insertKey(keyRow(key, "key-old")),
    (tx) => tx.putAlias(aliasRow(key, "alias")),
    (tx) => tx.putAlias(aliasRow(key, "alias-ended", "run-ended")),
    (tx) => tx.addWork(workRow(key, { holder: "somebody", leaseId: "lease", leaseUntil: 500 })),
    (tx) => tx.insertBlob(held),
    (tx) => tx.insertBlob(loose),
    (tx) => tx.insertBlob(blobRow(tenant, LOOSE_TOO)),
    (tx) => tx.insertChunk(chunkRow(tenant, held.blobId, 0)),
    (tx) => tx.insertChunk(chunkRow(tenant, held.blobId, 1)),
    (tx) => tx.insertChunk(chunkRow(tenant, loose.blobId, 0)),
    (tx) => tx.insertBlobRefs([refRow(key, 2, HELD), refRow(key, 4, HELD)]),
    (tx) => tx.quarantine(quarantineRow(key, 3)),
    (tx) => tx.insertThread(threadRow(other)),
    (tx) => tx.insertMessages([messageRow(other, 1), messageRow(other, 2, { role: "assistant", digest: "digest-o" })]),
    (tx) => tx.insertRun(runRow(other, "run-other")),
    (tx) => tx.insertLog([logRow(other, 3, { runId: "run-other" })]),
    (tx) => tx.insertKey(keyRow(other, "key", { createdAt: 5_000 })),
    (tx) => tx.putAlias(aliasRow(other, "alias-other", "run-other")),
    (tx) => tx.addWork(workRow(other, { wantedAt: 2_000 })),
    (tx) => tx.addWork(workRow({ tenant, threadId: "thread-new" }, { leaseId: "lease", wantedAt: 3_000 })),
    (tx) => tx.insertBlobRefs([refRow(other, 1, HELD)]),
    (tx) => tx.quarantine(quarantineRow(other, 1)),
  ];
}

/** One change for every method that writes. Each shows in a household, also after those before it. */
export function changes(tenant: string): Record<WritingMethod, Step> {
  const key = { tenant, threadId: "thread" };
  const held = blobRow(tenant, HELD);
  const answer = messageRow(key, 10, { role: "assistant", digest: "digest-new" });
  return {
    insertThread: (tx) => tx.insertThread(threadRow({ tenant, threadId: "thread-new" })),
    updateThread: (tx) => tx.updateThread(key, { title: "Dodona", pinned: false, leafId: null }),
    insertMessages: (tx) => tx.insertMessages([messageRow(key, 9), answer]),
    insertRun: (tx) => tx.insertRun(runRow(key, "run-new", { state: "streaming", leaseUntil: 900 })),
    updateRun: (tx) => tx.updateRun(key, "run", 1, { epoch: 2, state: "failed", finishedAt: 3_000, error: "{}" }),
    insertLog: (tx) => tx.insertLog([logRow(key, 11), logRow(key, 12, { kind: "run" })]),
    insertKey: (tx) => tx.insertKey(keyRow(key, "key-new", { createdAt: 6_000 })),
    putAlias: (tx) => tx.putAlias(aliasRow(key, "alias-new")),
    claimAlias: (tx) => tx.claimAlias(aliasRow(key, "alias-claimed")),
    deleteAlias: (tx) => tx.deleteAlias(tenant, "alias"),
    addWork: (tx) => tx.addWork(workRow({ tenant, threadId: "thread-other" })),
    updateWork: (tx) => tx.updateWork(key, "lease", { leaseId: "lease-new", leaseUntil: 700 }),
    deleteWork: (tx) => tx.deleteWork({ tenant, threadId: "thread-new" }, "lease", 1),
    insertBlob: (tx) => tx.insertBlob(blobRow(tenant, NEW, { createdAt: 6_000 })),
    refreshBlob: (tx) => tx.refreshBlob(tenant, HELD, 5_000),
    insertChunk: (tx) => tx.insertChunk(chunkRow(tenant, held.blobId, 2)),
    insertBlobRefs: (tx) => tx.insertBlobRefs([refRow(key, 1, HELD), refRow(key, 1, NEW)]),
    quarantine: (tx) => tx.quarantine(quarantineRow(key, 4)),
    deleteDeltas: (tx) => tx.deleteDeltas(key, "run-ended"),
    deleteChunks: (tx) => tx.deleteChunks(tenant, held.blobId),
    deleteMessages: (tx) => tx.deleteMessages(key, [idOf(3), idOf(4)]),
    deleteRuns: (tx) => tx.deleteRuns(key, ["run-ended"]),
    deleteKeys: (tx) => tx.deleteKeys(tenant, 5_000),
    deleteBlobs: (tx) => tx.deleteBlobs(tenant, [HELD, LOOSE], FAR),
    deleteLooseBlobs: (tx) => tx.deleteLooseBlobs(tenant, 1_001),
    deleteThread: (tx) => tx.deleteThread(key),
  };
}

/** The methods of a transaction that a read does not have; `lockThread` changes nothing. */
type WritingMethod = Exclude<keyof LedgerTransaction, keyof LedgerReads | "lockThread">;

/** What every read says of a household, by method. */
export function* everything(reads: LedgerReads, tenant: string): Steps<Record<string, unknown>> {
  const shown: Record<string, unknown> = {
    threads: yield* got(reads.threads(tenant, { limit: FAR })),
    findDigests: yield* got(reads.findDigests(tenant, ["digest-2", "digest-4", "digest-o", "digest-new"], FAR)),
    expiredRuns: byId(yield* got(reads.expiredRuns(FAR, FAR, tenant))),
    compactableRuns: byId(yield* got(reads.compactableRuns(FAR, FAR, tenant))),
    "threads of a kind": yield* got(reads.threads(tenant, { limit: FAR, kind: "oracle" })),
    titles: yield* got(reads.titles(tenant, { limit: FAR })),
    openWork: yield* got(reads.openWork(FAR, FAR, tenant)),
    quarantined: byId(yield* got(reads.quarantined(tenant, FAR))),
  };
  for (const id of [...RUNS, "run-other"]) shown[`run ${id}`] = yield* got(reads.run(tenant, id));
  for (const name of ALIASES) shown[`alias ${name}`] = yield* got(reads.alias(tenant, name));
  for (const hash of HASHES) {
    shown[`blob ${hash}`] = yield* got(reads.blob(tenant, hash));
    for (const position of [0, 1, 2]) {
      const { blobId } = blobRow(tenant, hash);
      shown[`chunk ${blobId} ${position}`] = yield* got(reads.chunk(tenant, blobId, position));
    }
  }
  for (const threadId of ["thread", "thread-other", "thread-new"]) {
    shown[`in ${threadId}`] = yield* ofThread(reads, { tenant, threadId });
  }
  return shown;
}

function* ofThread(reads: LedgerReads, key: ThreadKey): Steps<Record<string, unknown>> {
  const shown: Record<string, unknown> = {
    thread: yield* got(reads.thread(key)),
    messages: yield* got(reads.messages(key, { limit: FAR })),
    headers: yield* got(reads.headers(key, { limit: FAR, order: "down" })),
    message: yield* got(reads.message(key, idOf(4))),
    runs: yield* got(reads.runs(key)),
    runIds: yield* got(reads.runIds(key, "committed")),
    lastRuns: byId(yield* got(reads.lastRuns(key.tenant, [key.threadId], FAR))),
    usages: byId(yield* got(reads.usages(key.tenant, [{ threadId: key.threadId, before: "~" }], FAR))),
    changedRuns: byId(yield* got(reads.changedRuns(key.tenant, [{ threadId: key.threadId, after: "" }]))),
    log: yield* got(reads.log(key, { limit: FAR })),
    "log of a run": yield* got(reads.log(key, { limit: FAR, ...ENDED })),
    aliases: yield* got(reads.aliases(key)),
    work: yield* got(reads.work(key)),
    blobRefs: yield* got(reads.blobRefs(key)),
  };
  const place = { threadId: key.threadId, after: "", upTo: "~", first: true };
  const [tally] = yield* got(reads.tallies(key.tenant, [place]));
  shown["tally"] = tally?.messages === 0 ? undefined : tally;
  for (const name of KEYS) shown[`key ${name}`] = yield* got(reads.idempotencyKey(key, name));
  return shown;
}

/** Where the contract names no order, the order is not looked at. */
function byId<Row extends { threadId: string }>(rows: readonly Row[]): Row[] {
  const nameOf = (row: Row): string => JSON.stringify(row);
  return rows.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

export function everythingNow(store: LedgerStore, tenant: string): Promise<Record<string, unknown>> {
  return runLater(everything(store.reads, tenant));
}

/** What a piece of work is stopped with: no store makes this one itself. */
export class Stop extends LedgerError {
  constructor() {
    super("invalid-input", "Stopped on purpose.");
  }
}
