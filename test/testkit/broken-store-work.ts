// Faults of stores in thread kinds, aliases of runs, journal entries and work requests, which the store suite must detect.
import type { WorkRow } from "../../src/ledger/store/rows.ts";
import { mapAwaitable } from "../../src/ledger/store/steps.ts";
import { withSteps, withReads, type StoreFaultRow } from "./store-faults.ts";

export const WORK_FAULTS: readonly StoreFaultRow[] = [
  [
    "stores an alias in lower case",
    /aliases and work come back/,
    withSteps({ putAlias: (good) => (row) => good({ ...row, runId: row.runId.toLowerCase() }) }),
  ],
  [
    "stores 32 bits of a lease",
    /aliases and work come back/,
    withSteps({ addWork: (good) => (row) => good({ ...row, leaseUntil: row.leaseUntil | 0 }) }),
  ],
  [
    "ignores the kind",
    /listed by kind/,
    withReads({
      threads:
        (good) =>
        (tenant, { kind: _kind, ...page }) =>
          good(tenant, page),
    }),
  ],
  [
    "treats a missing kind as any kind",
    /listed by kind/,
    withReads({
      threads:
        (good) =>
        (tenant, { kind, ...page }) =>
          good(tenant, kind === null || kind === undefined ? page : { ...page, kind }),
    }),
  ],
  [
    "returns entries of all runs",
    /or of no run/,
    withReads({
      log:
        (good) =>
        (key, { runId, ...range }) =>
          good(key, runId === undefined || runId === "" ? range : { ...range, runId }),
    }),
  ],
  [
    "stores the first row of an alias",
    /putAlias: the last/,
    withSteps({
      putAlias: (good, tx) => (row) => (tx.alias(row.tenant, row.name) === undefined ? good(row) : undefined),
    }),
  ],
  [
    "lists aliases unsorted",
    /putAlias: the last/,
    withReads({ aliases: (good) => (key) => mapAwaitable(good(key), (rows) => rows.toReversed()) }),
  ],
  [
    "assigns a claimed alias to the last claimant",
    /claimAlias: the first/,
    withSteps({ claimAlias: (_, tx) => (row) => mapAwaitable(tx.putAlias(row), () => row) }),
  ],
  [
    "reports the wrong owner of an alias",
    /claimAlias: the first/,
    withSteps({ claimAlias: (good) => (row) => mapAwaitable(good(row), () => row) }),
  ],
  [
    "does not report an existing alias",
    /deleteAlias deletes/,
    withSteps({ deleteAlias: (good) => (tenant, name) => mapAwaitable(good(tenant, name), () => true) }),
  ],
  [
    "leaves the aliases of deleted runs",
    /deleteAlias deletes/,
    withSteps({
      deleteRuns: (good, tx) => (key, ids) => {
        const rows = tx.aliases(key) as never[];
        const deleted = good(key, ids);
        for (const row of rows) void tx.putAlias(row);
        return deleted;
      },
    }),
  ],
  [
    "overwrites work with each request",
    /addWork inserts/,
    withSteps({
      addWork: (good, tx) => (row) =>
        mapAwaitable(good(row), () => {
          const known = tx.work(row) as WorkRow;
          void tx.updateWork(row, known.leaseId, { wantedAt: row.wantedAt });
        }),
    }),
  ],
  [
    "takes work from its holder",
    /updateWork changes/,
    withSteps({
      updateWork: (good, tx) => (key, leaseId, changes) => {
        const known = tx.work(key) as WorkRow | undefined;
        return good(key, leaseId === null ? (known?.leaseId ?? null) : leaseId, changes);
      },
    }),
  ],
  [
    "lets any holder change work",
    /updateWork changes/,
    withSteps({
      updateWork: (good, tx) => (key, _, changes) =>
        good(key, (tx.work(key) as WorkRow | undefined)?.leaseId ?? null, changes),
    }),
  ],
  [
    "completes work although it was requested again",
    /deleteWork deletes/,
    withSteps({
      deleteWork: (good, tx) => (key, leaseId) => good(key, leaseId, (tx.work(key) as WorkRow | undefined)?.wants ?? 0),
    }),
  ],
  [
    "completes work with any lease",
    /deleteWork deletes/,
    withSteps({
      deleteWork: (good, tx) => (key, _, wants) =>
        good(key, (tx.work(key) as WorkRow | undefined)?.leaseId ?? "", wants),
    }),
  ],
  [
    "returns leased work",
    /openWork returns/,
    withReads({ openWork: (good) => (now, limit, tenant) => good(now + 1, limit, tenant) }),
  ],
  [
    "returns the latest request first",
    /openWork returns/,
    withReads({
      openWork: (good) => (now, limit, tenant) => mapAwaitable(good(now, limit, tenant), (rows) => rows.toReversed()),
    }),
  ],
  [
    "returns work of every tenant",
    /openWork returns/,
    withReads({ openWork: (good) => (now, limit) => good(now, limit) }),
  ],
  [
    "leaves the work of a deleted thread",
    /deletes aliases, journal entries/,
    withSteps({
      deleteThread: (good, tx) => (key) => {
        const row = tx.work(key) as WorkRow | undefined;
        const deleted = good(key);
        if (row !== undefined) void tx.addWork(row);
        return deleted;
      },
    }),
  ],
  [
    "treats entries as deltas",
    /deletes aliases, journal entries/,
    withSteps({
      deleteDeltas: (good, tx) => (key, runId, within) => {
        if (runId === "") void tx.deleteRuns(key, [""]);
        return good(key, runId, within);
      },
    }),
  ],
];
