// Faults of stores in stored values and in reads, which the store suite must detect.
import type { LogRow, MessageRow, RunRow } from "../../src/ledger/store/rows.ts";
import { type Awaitable, mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerReads } from "../../src/ledger/store/contract.ts";
import type { IdRange } from "../../src/ledger/store/queries.ts";
import { withSteps, withReads, type StoreFault, type StoreFaultRow } from "./store-faults.ts";

function each<Row>(rows: Awaitable<Row[]>, change: (row: Row) => Row): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.map(change));
}
function only<Row>(rows: Awaitable<Row[]>, isWanted: (row: Row) => boolean): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.filter(isWanted));
}
function inAnotherOrder<Row>(rows: Awaitable<Row[]>, compare: (left: Row, right: Row) => number): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.toSorted(compare));
}

/** Changes the bodies of rows before they are written. */
function bodies(change: (body: string) => string): StoreFault {
  return withSteps({
    insertMessages: (good) => (rows) => good(rows.map((row) => ({ ...row, body: change(row.body) }))),
    insertLog: (good) => (rows) => good(rows.map((row) => ({ ...row, body: change(row.body) }))),
    quarantine: (good) => (row) => good({ ...row, body: change(row.body) }),
    insertKey: (good) => (row) => good({ ...row, result: change(row.result) }),
    insertThread: (good) => (row) => good({ ...row, title: row.title === null ? null : change(row.title) }),
    insertRun: (good) => (row) => good({ ...row, usage: row.usage === null ? null : change(row.usage) }),
  });
}
function runs(change: (row: RunRow) => RunRow): StoreFault {
  return withSteps({ insertRun: (good) => (row) => good(change(row)) });
}
function chunks(change: (bytes: Uint8Array) => Uint8Array): StoreFault {
  return withSteps({ insertChunk: (good) => (row) => good({ ...row, bytes: change(row.bytes) }) });
}
function asJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

const EXACT = /messages come back|threads come back|log rows come|keys come|quarantined records come|runs come/;

const VALUE_FAULTS: readonly StoreFaultRow[] = [
  ["re-encodes JSON", EXACT, bodies(asJson)],
  ["trims texts", EXACT, bodies((body) => body.trim())],
  ["cuts long texts", EXACT, bodies((body) => body.slice(0, 65_535))],
  ["composes characters", EXACT, bodies((body) => body.normalize("NFC"))],
  [
    "supports only characters of up to three bytes",
    EXACT,
    bodies((body) => body.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "?")),
  ],
  ["drops escaped zeros", EXACT, bodies((body) => body.replaceAll(String.raw`\u0000`, ""))],
  ["rejects text that is no JSON", /messages come back/, bodies((body) => JSON.stringify(JSON.parse(body)))],
  [
    "stores an empty title as null",
    /threads come back/,
    withReads({
      thread: (good) => (key) => mapAwaitable(good(key), (row) => row && { ...row, title: row.title || null }),
    }),
  ],
  ["stores 32 bits of a number", /runs come back/, runs((row) => ({ ...row, leaseUntil: row.leaseUntil | 0 }))],
  ["stores numbers as 32-bit floats", /runs come back/, runs((row) => ({ ...row, epoch: Math.fround(row.epoch) }))],
  // The type does not allow this value, but a database driver can return it.
  [
    "returns numbers as texts",
    /runs come back/,
    withReads({
      run: (good) => (tenant, id) =>
        mapAwaitable(good(tenant, id), (row) => row && { ...row, lastSeq: String(row.lastSeq) as never }),
    }),
  ],
  [
    "returns booleans as numbers",
    /runs come back/,
    withReads({
      run: (good) => (tenant, id) =>
        mapAwaitable(good(tenant, id), (row) => row && { ...row, forks: Number(row.forks) as never }),
    }),
  ],
  [
    "omits null fields",
    /threads come back/,
    withReads({
      threads: (good) => (tenant, page) =>
        each(
          good(tenant, page),
          (row) => JSON.parse(JSON.stringify({ ...row, title: row.title ?? undefined })) as never,
        ),
    }),
  ],
  [
    "stores bytes as text",
    /blobs and chunks/,
    chunks((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
  ],
  ["stores the whole buffer of a view", /blobs and chunks/, chunks((bytes) => new Uint8Array(bytes.buffer.slice(0)))],
  [
    "stores no chunk for empty bytes",
    /blobs and chunks/,
    withReads({
      chunk: (good) => (tenant, blobId, at) =>
        mapAwaitable(good(tenant, blobId, at), (row) => (row?.bytes.length === 0 ? undefined : row)),
    }),
  ],
  ["returns its own row object", /rows that were passed/, withReads({ message: remembering })],
  [
    "stores the caller's row object",
    /rows that were passed/,
    (good) => {
      const given = new Map<string, MessageRow>();
      const keeping = withSteps({
        insertMessages: (insert) => (rows) => {
          for (const row of rows) given.set(row.id, row);
          return insert(rows);
        },
      })(good);
      return { ...keeping, reads: withReads({ message: () => (_, id) => given.get(id) })(good).reads };
    },
  ],
  [
    "stores the caller's bytes object",
    /rows that were passed/,
    (good) => {
      const given: Uint8Array[] = [];
      const keeping = withSteps({ insertChunk: (insert) => (row) => (given.push(row.bytes), insert(row)) })(good);
      const giving = withReads({
        chunk: (read) => (tenant, id, at) =>
          mapAwaitable(read(tenant, id, at), (row) => row && { ...row, bytes: given[0] ?? row.bytes }),
      })(good);
      return { ...keeping, reads: giving.reads };
    },
  ],
];

/** Returns the same object for equal arguments; tenants differ between cases. */
function remembering(good: LedgerReads["message"]): LedgerReads["message"] {
  return (key, id) => {
    const name = JSON.stringify([key, id]);
    const row = KNOWN.get(name) ?? good(key, id);
    KNOWN.set(name, row);
    return row;
  };
}
const KNOWN = new Map<string, Awaitable<MessageRow | undefined>>();

function ranges(change: (range: IdRange) => IdRange): StoreFault {
  return withReads({
    messages: (good) => (key, range) => good(key, change(range)),
    headers: (good) => (key, range) => good(key, change(range)),
    log: (good) => (key, range) => good(key, { ...range, ...change(range) }),
  });
}
const RANGES = /ranges/;
const within = (after: string | undefined) => (row: { id: string }) => after === undefined || row.id >= after;

const RANGE_FAULTS: readonly StoreFaultRow[] = [
  ["forgets the limit", RANGES, ranges((range) => ({ ...range, limit: 1_000 }))],
  ["forgets the order", RANGES, ranges(({ order: _order, ...range }) => range)],
  ["ignores the start of a range", RANGES, ranges(({ after: _after, ...range }) => range)],
  ["ignores the end of a range", RANGES, ranges(({ upTo: _upTo, ...range }) => range)],
  [
    "includes the exclusive start of a range",
    RANGES,
    withReads({
      messages:
        (good) =>
        (key, { after, ...rest }) =>
          only(good(key, rest), within(after)),
      log:
        (good) =>
        (key, { after, ...rest }) =>
          only(good(key, rest), within(after)),
    }),
  ],
  [
    "excludes the inclusive end of a range",
    RANGES,
    withReads({
      headers: (good) => (key, range) => only(good(key, range), ({ id }) => id !== range.upTo),
      log: (good) => (key, range) => only(good(key, range), ({ id }) => id !== range.upTo),
    }),
  ],
  [
    "limits a range before it reverses it",
    RANGES,
    withReads({
      messages:
        (good) =>
        (key, { order, ...rest }) =>
          mapAwaitable(good(key, rest), (rows) => (order === "desc" ? rows.toReversed() : rows)),
      log:
        (good) =>
        (key, { order, ...rest }) =>
          mapAwaitable(good(key, rest), (rows) => (order === "desc" ? rows.toReversed() : rows)),
    }),
  ],
  ["returns headers with bodies", RANGES, withReads({ headers: (_, all) => (key, range) => all.messages(key, range) })],
  [
    "returns the log of all runs",
    RANGES,
    withReads({
      log:
        (good) =>
        (key, { runId: _runId, ...range }) =>
          good(key, range),
    }),
  ],
  [
    "searches a run's log in the first rows only",
    RANGES,
    withReads({
      log:
        (good) =>
        (key, { runId, ...range }) =>
          only(good(key, range), (row: LogRow) => runId === undefined || row.runId === runId),
    }),
  ],
];

const byId = (compare: (left: string, right: string) => number) => (left: { id: string }, right: { id: string }) =>
  compare(left.id, right.id);
const plainly = (left: string, right: string): number => (left < right ? -1 : 1);
const asNames = (left: string, right: string): number => left.localeCompare(right);

const ORDER_FAULTS: readonly StoreFaultRow[] = [
  [
    "orders ids by locale",
    /compared as bytes/,
    withReads({ messages: (good) => (key, range) => inAnotherOrder(good(key, range), byId(asNames)) }),
  ],
  [
    "orders ids by UTF-16 units",
    /compared as bytes/,
    withReads({ log: (good) => (key, range) => inAnotherOrder(good(key, range), byId(plainly)) }),
  ],
  [
    "compares ids without regard to case",
    /compared as bytes/,
    withSteps({ insertThread: (good) => (row) => good({ ...row, id: row.id.toLowerCase() }) }),
  ],
  ["trims ids", /compared as bytes/, withReads({ message: (good) => (key, id) => good(key, id.trimEnd()) })],
  [
    "returns threads oldest first",
    /in pages/,
    withReads({ threads: (good) => (tenant, page) => inAnotherOrder(good(tenant, page), byId(plainly)) }),
  ],
  [
    "starts a page with the last thread of the previous one",
    /in pages/,
    withReads({
      threads:
        (good) =>
        (tenant, { before, limit }) =>
          good(tenant, { before: `${before ?? "~"}0`, limit }),
    }),
  ],
  [
    "ignores the page size of threads",
    /in pages/,
    withReads({ threads: (good) => (tenant, page) => good(tenant, { ...page, limit: 99 }) }),
  ],
  [
    "returns runs newest first",
    /runs and blob references/,
    withReads({ runs: (good) => (key) => mapAwaitable(good(key), (rows) => rows.toReversed()) }),
  ],
  [
    "returns blob references ordered by hash",
    /runs and blob references/,
    withReads({
      blobRefs: (good) => (key) => inAnotherOrder(good(key), (left, right) => plainly(left.hash, right.hash)),
    }),
  ],
  [
    "returns every quarantined record",
    /runs and blob references/,
    withReads({ quarantined: (good) => (tenant) => good(tenant, 99) }),
  ],
  [
    "finds users' messages by digest",
    /findDigests/,
    withSteps({
      insertMessages: (good) => (rows) => good(rows.map((row) => (row.digest ? { ...row, role: "assistant" } : row))),
    }),
  ],
  [
    "finds the oldest by digest",
    /findDigests/,
    withReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        inAnotherOrder(good(tenant, digests, limit, scope), byId(plainly)),
    }),
  ],
  [
    "returns a message once for each requested digest",
    /findDigests/,
    withReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        mapAwaitable(good(tenant, digests, limit, scope), (rows) =>
          rows.flatMap((row) => digests.filter((digest) => digest === row.digest).map(() => row)).slice(0, limit),
        ),
    }),
  ],
  [
    "supports at most a thousand digests",
    /findDigests/,
    withReads({
      findDigests:
        (good) =>
        (tenant, digests, ...rest) =>
          good(tenant, digests.slice(-1_000), ...rest),
    }),
  ],
  [
    "finds the first digest only",
    /findDigests/,
    withReads({
      findDigests:
        (good) =>
        (tenant, digests, ...rest) =>
          good(tenant, digests.slice(0, 1), ...rest),
    }),
  ],
  [
    "finds the digests of every scope",
    /findDigests returns only/,
    withReads({ findDigests: (good) => (tenant, digests, limit) => good(tenant, digests, limit) }),
  ],
  [
    "limits to the newest before it filters by scope",
    /findDigests returns only/,
    withReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        only(good(tenant, digests, limit), ({ threadId }) => scope === undefined || threadId === `thread-of-${scope}`),
    }),
  ],
  [
    "treats a run as expired in its lease's last millisecond",
    /expiredRuns returns/,
    withReads({ expiredRuns: (good) => (now, limit, tenant) => good(now + 1, limit, tenant) }),
  ],
  [
    "ignores streaming runs",
    /expiredRuns returns/,
    withReads({
      expiredRuns: (good) => (now, limit, tenant) => only(good(now, limit, tenant), ({ state }) => state === "created"),
    }),
  ],
  [
    "treats ended runs as expired",
    /expiredRuns returns/,
    withReads({
      expiredRuns: (good, all) => (now, limit, tenant) =>
        mapAwaitable(good(now, limit, tenant), (rows) => [
          ...rows,
          ...rows.slice(0, 1).flatMap((row) => (all.runs(row) as RunRow[]).filter((run) => run.finishedAt !== null)),
        ]),
    }),
  ],
  [
    "ignores the limit of expired runs",
    /expiredRuns returns/,
    withReads({ expiredRuns: (good) => (now, _, tenant) => good(now, 99, tenant) }),
  ],
  [
    "compacts in the last millisecond of the retention",
    /compactableRuns returns/,
    withReads({ compactableRuns: (good) => (before, limit, tenant) => good(before + 1, limit, tenant) }),
  ],
  [
    "compacts committed runs only",
    /compactableRuns returns/,
    withReads({
      compactableRuns: (good) => (before, limit, tenant) =>
        only(good(before, limit, tenant), ({ state }) => state === "committed"),
    }),
  ],
  ["compacts runs twice", /compactableRuns returns/, runs((row) => ({ ...row, compacted: false }))],
  [
    "ignores the limit of compactable runs",
    /compactableRuns returns/,
    withReads({ compactableRuns: (good) => (before, _, tenant) => good(before, 99, tenant) }),
  ],
  ["forgets compacted runs", /compactedRun returns/, withReads({ compactedRun: () => () => undefined })],
  [
    "returns a compacted run before its first delta",
    /compactedRun returns/,
    withReads({
      compactedRun:
        (good) =>
        (key, { after }) =>
          good(key, { after, upTo: "~" }),
    }),
  ],
];

export const READ_FAULTS = [...VALUE_FAULTS, ...RANGE_FAULTS, ...ORDER_FAULTS];
