// Faults of stores in thread kinds, aliases of runs, journal entries and work requests, which the store suite must detect.
import type { WorkRow } from "../../src/ledger/store/rows.ts";
import { mapAwaitable } from "../../src/ledger/store/steps.ts";
import { withSteps, withReads, type StoreFaultRow } from "./store-faults.ts";

export const WORK_FAULTS: readonly StoreFaultRow[] = [
  [
    "keeps an alias in small letters",
    /aliases and work come back/,
    withSteps({ putAlias: (good) => (row) => good({ ...row, runId: row.runId.toLowerCase() }) }),
  ],
  [
    "keeps 32 bits of a lease",
    /aliases and work come back/,
    withSteps({ addWork: (good) => (row) => good({ ...row, leaseUntil: row.leaseUntil | 0 }) }),
  ],
  [
    "does not look at the kind",
    /listed by kind/,
    withReads({
      threads:
        (good) =>
        (tenant, { kind: _kind, ...page }) =>
          good(tenant, page),
    }),
  ],
  [
    "takes no kind for any",
    /listed by kind/,
    withReads({
      threads:
        (good) =>
        (tenant, { kind, ...page }) =>
          good(tenant, kind === null || kind === undefined ? page : { ...page, kind }),
    }),
  ],
  [
    "takes entries for those of all runs",
    /of one or of none/,
    withReads({
      log:
        (good) =>
        (key, { runId, ...range }) =>
          good(key, runId === undefined || runId === "" ? range : { ...range, runId }),
    }),
  ],
  [
    "keeps the first row of a name",
    /putAlias: the last/,
    withSteps({
      putAlias: (good, tx) => (row) => (tx.alias(row.tenant, row.name) === undefined ? good(row) : undefined),
    }),
  ],
  [
    "lists names as they came",
    /putAlias: the last/,
    withReads({ aliases: (good) => (key) => mapAwaitable(good(key), (rows) => rows.toReversed()) }),
  ],
  [
    "gives a name to whoever claims it last",
    /claimAlias: the first/,
    withSteps({ claimAlias: (_, tx) => (row) => mapAwaitable(tx.putAlias(row), () => row) }),
  ],
  [
    "says that a name is whose it is not",
    /claimAlias: the first/,
    withSteps({ claimAlias: (good) => (row) => mapAwaitable(good(row), () => row) }),
  ],
  [
    "does not say that a name was there",
    /deleteAlias takes/,
    withSteps({ deleteAlias: (good) => (tenant, name) => mapAwaitable(good(tenant, name), () => true) }),
  ],
  [
    "leaves the names of deleted runs",
    /deleteAlias takes/,
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
    "writes work anew each time that it is wanted",
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
    "lets everybody change work",
    /updateWork changes/,
    withSteps({
      updateWork: (good, tx) => (key, _, changes) =>
        good(key, (tx.work(key) as WorkRow | undefined)?.leaseId ?? null, changes),
    }),
  ],
  [
    "ends work although more was wanted",
    /deleteWork takes/,
    withSteps({
      deleteWork: (good, tx) => (key, leaseId) => good(key, leaseId, (tx.work(key) as WorkRow | undefined)?.wants ?? 0),
    }),
  ],
  [
    "ends work of any lease",
    /deleteWork takes/,
    withSteps({
      deleteWork: (good, tx) => (key, _, wants) =>
        good(key, (tx.work(key) as WorkRow | undefined)?.leaseId ?? "", wants),
    }),
  ],
  [
    "gives work that somebody holds",
    /openWork gives/,
    withReads({ openWork: (good) => (now, limit, tenant) => good(now + 1, limit, tenant) }),
  ],
  [
    "gives the latest wish first",
    /openWork gives/,
    withReads({
      openWork: (good) => (now, limit, tenant) => mapAwaitable(good(now, limit, tenant), (rows) => rows.toReversed()),
    }),
  ],
  [
    "gives work of every tenant to each",
    /openWork gives/,
    withReads({ openWork: (good) => (now, limit) => good(now, limit) }),
  ],
  [
    "leaves the work of a deleted thread",
    /go with their thread/,
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
    "takes entries for deltas",
    /go with their thread/,
    withSteps({
      deleteDeltas: (good, tx) => (key, runId, within) => {
        if (runId === "") void tx.deleteRuns(key, [""]);
        return good(key, runId, within);
      },
    }),
  ],
];
