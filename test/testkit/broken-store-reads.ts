// Stores with one fault each in what they read or how they keep it: what the suite for stores must notice.
import type { LogRow, MessageRow, RunRow } from "../../src/ledger/store/rows.ts";
import { type Awaitable, mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerReads } from "../../src/ledger/store/contract.ts";
import type { IdRange } from "../../src/ledger/store/queries.ts";
import { replacesSteps, replacesReads, type StoreFault, type StoreFaultRow } from "./store-faults.ts";

function each<Row>(rows: Awaitable<Row[]>, change: (row: Row) => Row): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.map(change));
}
function only<Row>(rows: Awaitable<Row[]>, isWanted: (row: Row) => boolean): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.filter(isWanted));
}
function inAnotherOrder<Row>(rows: Awaitable<Row[]>, compare: (left: Row, right: Row) => number): Awaitable<Row[]> {
  return mapAwaitable(rows, (list) => list.toSorted(compare));
}

/** Writes other bodies than it was given. */
function bodies(change: (body: string) => string): StoreFault {
  return replacesSteps({
    insertMessages: (good) => (rows) => good(rows.map((row) => ({ ...row, body: change(row.body) }))),
    insertLog: (good) => (rows) => good(rows.map((row) => ({ ...row, body: change(row.body) }))),
    quarantine: (good) => (row) => good({ ...row, body: change(row.body) }),
    insertKey: (good) => (row) => good({ ...row, result: change(row.result) }),
    insertThread: (good) => (row) => good({ ...row, title: row.title === null ? null : change(row.title) }),
    insertRun: (good) => (row) => good({ ...row, usage: row.usage === null ? null : change(row.usage) }),
  });
}
function runs(change: (row: RunRow) => RunRow): StoreFault {
  return replacesSteps({ insertRun: (good) => (row) => good(change(row)) });
}
function chunks(change: (bytes: Uint8Array) => Uint8Array): StoreFault {
  return replacesSteps({ insertChunk: (good) => (row) => good({ ...row, bytes: change(row.bytes) }) });
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
  ["parses JSON and writes it anew", EXACT, bodies(asJson)],
  ["trims texts", EXACT, bodies((body) => body.trim())],
  ["cuts long texts", EXACT, bodies((body) => body.slice(0, 65_535))],
  ["composes characters", EXACT, bodies((body) => body.normalize("NFC"))],
  [
    "knows characters of three bytes at most",
    EXACT,
    bodies((body) => body.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "?")),
  ],
  ["drops escaped zeros", EXACT, bodies((body) => body.replaceAll(String.raw`\u0000`, ""))],
  ["refuses text that is no JSON", /messages come back/, bodies((body) => JSON.stringify(JSON.parse(body)))],
  [
    "takes an empty title for none",
    /threads come back/,
    replacesReads({
      thread: (good) => (key) => mapAwaitable(good(key), (row) => row && { ...row, title: row.title || null }),
    }),
  ],
  ["keeps 32 bits of a number", /runs come back/, runs((row) => ({ ...row, leaseUntil: row.leaseUntil | 0 }))],
  ["keeps the digits of a float", /runs come back/, runs((row) => ({ ...row, epoch: Math.fround(row.epoch) }))],
  // The type forbids it; a driver does it.
  [
    "gives numbers as texts",
    /runs come back/,
    replacesReads({
      run: (good) => (tenant, id) =>
        mapAwaitable(good(tenant, id), (row) => row && { ...row, lastSeq: String(row.lastSeq) as never }),
    }),
  ],
  [
    "gives booleans as numbers",
    /runs come back/,
    replacesReads({
      run: (good) => (tenant, id) =>
        mapAwaitable(good(tenant, id), (row) => row && { ...row, forks: Number(row.forks) as never }),
    }),
  ],
  [
    "leaves out what is null",
    /threads come back/,
    replacesReads({
      threads: (good) => (tenant, page) =>
        each(
          good(tenant, page),
          (row) => JSON.parse(JSON.stringify({ ...row, title: row.title ?? undefined })) as never,
        ),
    }),
  ],
  [
    "keeps bytes as text",
    /blobs and chunks/,
    chunks((bytes) => new TextEncoder().encode(new TextDecoder().decode(bytes))),
  ],
  ["keeps the buffer of a view", /blobs and chunks/, chunks((bytes) => new Uint8Array(bytes.buffer.slice(0)))],
  [
    "takes no bytes for no chunk",
    /blobs and chunks/,
    replacesReads({
      chunk: (good) => (tenant, blobId, at) =>
        mapAwaitable(good(tenant, blobId, at), (row) => (row?.bytes.length === 0 ? undefined : row)),
    }),
  ],
  ["gives out the row that it keeps", /rows that were handed/, replacesReads({ message: remembering })],
  [
    "keeps the row that it was given",
    /rows that were handed/,
    (good) => {
      const given = new Map<string, MessageRow>();
      const keeping = replacesSteps({
        insertMessages: (insert) => (rows) => {
          for (const row of rows) given.set(row.id, row);
          return insert(rows);
        },
      })(good);
      return { ...keeping, reads: replacesReads({ message: () => (_, id) => given.get(id) })(good).reads };
    },
  ],
  [
    "keeps the bytes that it was given",
    /rows that were handed/,
    (good) => {
      const given: Uint8Array[] = [];
      const keeping = replacesSteps({ insertChunk: (insert) => (row) => (given.push(row.bytes), insert(row)) })(good);
      const giving = replacesReads({
        chunk: (read) => (tenant, id, at) =>
          mapAwaitable(read(tenant, id, at), (row) => row && { ...row, bytes: given[0] ?? row.bytes }),
      })(good);
      return { ...keeping, reads: giving.reads };
    },
  ],
];

/** Gives the same object for the same question; tenants differ from case to case. */
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
  return replacesReads({
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
  ["forgets where to begin", RANGES, ranges(({ after: _after, ...range }) => range)],
  ["forgets where to end", RANGES, ranges(({ upTo: _upTo, ...range }) => range)],
  [
    "begins with the row that it should begin after",
    RANGES,
    replacesReads({
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
    "ends before the row that it should end with",
    RANGES,
    replacesReads({
      headers: (good) => (key, range) => only(good(key, range), ({ id }) => id !== range.upTo),
      log: (good) => (key, range) => only(good(key, range), ({ id }) => id !== range.upTo),
    }),
  ],
  [
    "cuts a range before it turns it around",
    RANGES,
    replacesReads({
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
  [
    "gives headers with bodies",
    RANGES,
    replacesReads({ headers: (_, all) => (key, range) => all.messages(key, range) }),
  ],
  [
    "gives the log of all runs",
    RANGES,
    replacesReads({
      log:
        (good) =>
        (key, { runId: _runId, ...range }) =>
          good(key, range),
    }),
  ],
  [
    "looks for a run's log within the first rows only",
    RANGES,
    replacesReads({
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
    "orders ids as names",
    /compared as bytes/,
    replacesReads({ messages: (good) => (key, range) => inAnotherOrder(good(key, range), byId(asNames)) }),
  ],
  [
    "orders ids by units of 16 bits",
    /compared as bytes/,
    replacesReads({ log: (good) => (key, range) => inAnotherOrder(good(key, range), byId(plainly)) }),
  ],
  [
    "takes capitals for small letters",
    /compared as bytes/,
    replacesSteps({ insertThread: (good) => (row) => good({ ...row, id: row.id.toLowerCase() }) }),
  ],
  ["trims ids", /compared as bytes/, replacesReads({ message: (good) => (key, id) => good(key, id.trimEnd()) })],
  [
    "gives threads oldest first",
    /in pages/,
    replacesReads({ threads: (good) => (tenant, page) => inAnotherOrder(good(tenant, page), byId(plainly)) }),
  ],
  [
    "begins a page with the thread it ended with",
    /in pages/,
    replacesReads({
      threads:
        (good) =>
        (tenant, { before, limit }) =>
          good(tenant, { before: `${before ?? "~"}0`, limit }),
    }),
  ],
  [
    "gives every thread on one page",
    /in pages/,
    replacesReads({ threads: (good) => (tenant, page) => good(tenant, { ...page, limit: 99 }) }),
  ],
  [
    "gives runs newest first",
    /runs, blob references/,
    replacesReads({ runs: (good) => (key) => mapAwaitable(good(key), (rows) => rows.toReversed()) }),
  ],
  [
    "gives blob references by hash",
    /runs, blob references/,
    replacesReads({
      blobRefs: (good) => (key) => inAnotherOrder(good(key), (left, right) => plainly(left.hash, right.hash)),
    }),
  ],
  [
    "gives every quarantined record",
    /runs, blob references/,
    replacesReads({ quarantined: (good) => (tenant) => good(tenant, 99) }),
  ],
  [
    "finds users' messages by digest",
    /findDigests/,
    replacesSteps({
      insertMessages: (good) => (rows) => good(rows.map((row) => (row.digest ? { ...row, role: "assistant" } : row))),
    }),
  ],
  [
    "finds the oldest by digest",
    /findDigests/,
    replacesReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        inAnotherOrder(good(tenant, digests, limit, scope), byId(plainly)),
    }),
  ],
  [
    "finds a message once for each time its digest is asked for",
    /findDigests/,
    replacesReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        mapAwaitable(good(tenant, digests, limit, scope), (rows) =>
          rows.flatMap((row) => digests.filter((digest) => digest === row.digest).map(() => row)).slice(0, limit),
        ),
    }),
  ],
  [
    "asks for a thousand digests at most",
    /findDigests/,
    replacesReads({
      findDigests:
        (good) =>
        (tenant, digests, ...rest) =>
          good(tenant, digests.slice(-1_000), ...rest),
    }),
  ],
  [
    "finds the first digest only",
    /findDigests/,
    replacesReads({
      findDigests:
        (good) =>
        (tenant, digests, ...rest) =>
          good(tenant, digests.slice(0, 1), ...rest),
    }),
  ],
  [
    "finds the digests of every scope",
    /findDigests gives those of one scope/,
    replacesReads({ findDigests: (good) => (tenant, digests, limit) => good(tenant, digests, limit) }),
  ],
  [
    "takes the newest before it looks at their scope",
    /findDigests gives those of one scope/,
    replacesReads({
      findDigests: (good) => (tenant, digests, limit, scope) =>
        only(good(tenant, digests, limit), ({ threadId }) => scope === undefined || threadId === `thread-of-${scope}`),
    }),
  ],
  [
    "takes a run for dead in its lease's last millisecond",
    /expiredRuns gives/,
    replacesReads({ expiredRuns: (good) => (now, limit, tenant) => good(now + 1, limit, tenant) }),
  ],
  [
    "overlooks runs that stream",
    /expiredRuns gives/,
    replacesReads({
      expiredRuns: (good) => (now, limit, tenant) => only(good(now, limit, tenant), ({ state }) => state === "created"),
    }),
  ],
  [
    "takes runs that are over for dead",
    /expiredRuns gives/,
    replacesReads({
      expiredRuns: (good, all) => (now, limit, tenant) =>
        mapAwaitable(good(now, limit, tenant), (rows) => [
          ...rows,
          ...rows.slice(0, 1).flatMap((row) => (all.runs(row) as RunRow[]).filter((run) => run.finishedAt !== null)),
        ]),
    }),
  ],
  [
    "gives every dead run",
    /expiredRuns gives/,
    replacesReads({ expiredRuns: (good) => (now, _, tenant) => good(now, 99, tenant) }),
  ],
  [
    "compacts in the last millisecond",
    /compactableRuns gives/,
    replacesReads({ compactableRuns: (good) => (before, limit, tenant) => good(before + 1, limit, tenant) }),
  ],
  [
    "compacts committed runs only",
    /compactableRuns gives/,
    replacesReads({
      compactableRuns: (good) => (before, limit, tenant) =>
        only(good(before, limit, tenant), ({ state }) => state === "committed"),
    }),
  ],
  ["compacts again what was compacted", /compactableRuns gives/, runs((row) => ({ ...row, compacted: false }))],
  [
    "compacts every run at once",
    /compactableRuns gives/,
    replacesReads({ compactableRuns: (good) => (before, _, tenant) => good(before, 99, tenant) }),
  ],
  ["forgets which runs were compacted", /compactedRun gives/, replacesReads({ compactedRun: () => () => undefined })],
  [
    "gives a compacted run before its first delta",
    /compactedRun gives/,
    replacesReads({
      compactedRun:
        (good) =>
        (key, { after }) =>
          good(key, { after, upTo: "~" }),
    }),
  ],
];

export const READ_FAULTS = [...VALUE_FAULTS, ...RANGE_FAULTS, ...ORDER_FAULTS];
