// Checks the order, bounds and limits of the lists of a store, compared with a filter over an array of the rows.
import type { MessageHeader, MessageRow } from "../../ledger/store/rows.ts";
import type { ThreadKey } from "../../ledger/store/contract.ts";
import type { IdRange } from "../../ledger/store/queries.ts";
import { assertHolds } from "../conformance-case.ts";
import {
  endedRun,
  toTestHash,
  toTestId,
  logRow,
  messageRow,
  quarantineRow,
  refRow,
  runRow,
  threadRow,
} from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertSame } from "./store-test-context.ts";

/** Ids in the order of their UTF-8 bytes: capitals before small letters, characters of four bytes after three. */
const IN_ORDER = [" ", "0", "A", "Z", "a", "a ", "ab", "b", "~", "é", "κ", "\uFF5E", "\u{10000}", "\u{1F3DB}"];

const POSITIONS = [undefined, toTestId(4), toTestId(5), toTestId(20), toTestId(99)];

function createRanges(): IdRange[] {
  const all: IdRange[] = [];
  for (const after of POSITIONS) {
    for (const upTo of POSITIONS) {
      for (const limit of [1, 3, 100]) {
        const bounds = { ...(after === undefined ? {} : { after }), ...(upTo === undefined ? {} : { upTo }) };
        all.push({ ...bounds, limit, ...(limit === 3 ? { order: "asc" } : {}) }, { ...bounds, limit, order: "desc" });
      }
    }
  }
  return all;
}

/** Returns the rows that a store must return for the range, selected with an array filter. */
function selectRange<Row extends { id: string }>(rows: readonly Row[], range: IdRange): Row[] {
  const { after = "", upTo = "~", order = "asc", limit } = range;
  const within = rows.filter(({ id }) => id > after && id <= upTo);
  return (order === "asc" ? within : within.toReversed()).slice(0, limit);
}

function toHeader({ body: _body, ...header }: MessageRow): MessageHeader {
  return header;
}

function toIds(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Even numbers from 2 to 20. The ids of the rows have gaps, so that a bound of a range can be between two rows. */
const EVEN = Array.from({ length: 10 }, (_, at) => 2 * at + 2);

async function readsRanges(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const messages = EVEN.map((number) => messageRow(key, number));
  const foreign = EVEN.map((number) => messageRow(other, number + 1));
  // The rows are written in another order than the order of their ids.
  await context.write((tx) => tx.insertMessages([...messages.toReversed(), ...foreign]));
  for (const range of createRanges()) {
    const should = selectRange(messages, range);
    await assertSame(
      reads.messages(key, range),
      should,
      `messages must return the rows of the range ${JSON.stringify(range)}.`,
    );
    const headers = should.map(toHeader);
    await assertSame(
      reads.headers(key, range),
      headers,
      `headers must return the rows of the range ${JSON.stringify(range)}.`,
    );
  }
}

async function readsLogRanges(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const whose = ["run-a", "", "run-b"];
  const rows = EVEN.map((number) => logRow(key, number, { runId: whose[number % 3] ?? "" }));
  await context.write(
    (tx) => tx.insertLog(rows.toReversed()),
    (tx) => tx.insertLog([logRow(other, 7, { runId: "run-a" })]),
  );
  for (const range of createRanges()) {
    await assertSame(
      reads.log(key, range),
      selectRange(rows, range),
      `log must return the rows of the range ${JSON.stringify(range)}.`,
    );
    for (const runId of ["run-a", ""]) {
      const own = rows.filter((row) => row.runId === runId);
      const named = { ...range, runId };
      await assertSame(
        reads.log(key, named),
        selectRange(own, range),
        `log must return the rows of the range ${JSON.stringify(named)}.`,
      );
    }
  }
}

async function ordersByBytes(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const shuffled = IN_ORDER.toSorted((left, right) => left.length - right.length || (left > right ? -1 : 1));
  for (const id of shuffled) {
    await context.write(
      (tx) => tx.insertThread(threadRow({ tenant, threadId: id })),
      (tx) => tx.insertMessages([messageRow(key, 0, { id })]),
      (tx) => tx.insertLog([logRow(key, 0, { id })]),
      (tx) => tx.insertRun(runRow(key, id)),
    );
  }
  await assertSame(
    toIds(await reads.messages(key, { limit: 100 })),
    IN_ORDER,
    "messages must sort the rows by the bytes of their ids.",
  );
  await assertSame(
    toIds(await reads.log(key, { limit: 100 })),
    IN_ORDER,
    "log must sort the rows by the bytes of their ids.",
  );
  await assertSame(
    toIds(await reads.runs(key)),
    IN_ORDER,
    "runs must sort the rows by the bytes of their ids, the oldest first.",
  );
  await assertSame(
    toIds(await reads.threads(tenant, { limit: 100 })),
    IN_ORDER.toReversed(),
    "threads must sort the rows by the bytes of their ids, the newest first.",
  );
  for (const [at, id] of IN_ORDER.entries()) {
    const after = await reads.messages(key, { after: id, limit: 1 });
    await assertSame(
      toIds(after),
      IN_ORDER.slice(at + 1, at + 2),
      `messages must return the message after the id "${id}".`,
    );
    await assertSame((await reads.message(key, id))?.id, id, `message must find the message with the id "${id}".`);
  }
}

async function pagesThreads(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const rows = EVEN.map((number) => threadRow({ tenant, threadId: toTestId(number) }));
  for (const row of rows) await context.write((tx) => tx.insertThread(row));
  const newest = rows.toReversed();
  await assertSame(
    reads.threads(tenant, { limit: 100 }),
    newest,
    "threads must list all threads, the newest id first.",
  );
  await assertSame(
    reads.threads(tenant, { limit: 3 }),
    newest.slice(0, 3),
    "threads with limit 3 must return the three newest threads.",
  );
  await assertSame(
    reads.threads(tenant, { limit: 2, before: toTestId(7) }),
    newest.slice(7, 9),
    "threads must accept an id between the ids of two threads as `before`.",
  );
  await assertSame(
    reads.threads(tenant, { limit: 100, before: toTestId(6) }),
    newest.slice(8),
    "threads must not return the thread with the id `before`.",
  );
  await assertSame(
    reads.threads(tenant, { limit: 100, before: toTestId(2) }),
    [],
    "threads must return an empty list before the oldest thread.",
  );
}

async function listsKinds(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const kinds = ["task", null, "Task"];
  const rows = EVEN.map((number) =>
    threadRow({ tenant, threadId: toTestId(number) }, { kind: kinds[number % 3] ?? null }),
  );
  for (const row of rows) await context.write((tx) => tx.insertThread(row));
  for (const kind of [...kinds, "none", ""]) {
    const newest = rows.toReversed().filter((row) => row.kind === kind);
    const all = reads.threads(tenant, { limit: 100, kind });
    await assertSame(all, newest, `threads must list all threads of kind ${JSON.stringify(kind)}.`);
    const some = reads.threads(tenant, { limit: 2, kind, before: toTestId(16) });
    const below = newest.filter(({ id }) => id < toTestId(16)).slice(0, 2);
    await assertSame(some, below, `threads must list two threads of kind ${JSON.stringify(kind)} before an id.`);
  }
}

async function ordersOtherRows(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const runs = EVEN.map((number) => runRow(key, toTestId(number)));
  const refs = [10, 2, 9].flatMap((number) => ["bb", "aa"].map((hash) => refRow(key, number, toTestHash(hash))));
  await context.write(
    ...runs.toReversed().map(
      (row): TransactionStep =>
        (tx) =>
          tx.insertRun(row),
    ),
    (tx) => tx.insertBlobRefs(refs),
  );
  await assertSame(reads.runs(key), runs, "runs must list the runs of the thread, the oldest first.");
  const inOrder = [2, 9, 10].flatMap((number) => ["aa", "bb"].map((hash) => refRow(key, number, toTestHash(hash))));
  await assertSame(reads.blobRefs(key), inOrder, "blobRefs must list the blob references by message id, then by hash.");
  for (const number of EVEN) await context.write((tx) => tx.quarantine(quarantineRow(key, number)));
  assertHolds((await reads.quarantined(tenant, 4)).length === 4, "quarantined with limit 4 must return four records.");
  assertHolds((await reads.quarantined(tenant, 100)).length === 10, "quarantined must return all ten records.");
}

async function findsDigests(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const rows = EVEN.map((number) => {
    const role = number === 8 ? "user" : "assistant";
    return messageRow(number % 4 === 0 ? key : other, number, { role, digest: `digest-${number}` });
  });
  const twin = messageRow(key, 50, { role: "assistant", digest: "digest-2" });
  await context.write((tx) => tx.insertMessages([...rows, twin]));
  const listByDigests = async (digests: readonly string[], limit = 100): Promise<string[]> =>
    (await reads.findDigests(tenant, digests, limit)).map(({ id }) => id);
  await assertSame(
    listByDigests(["digest-2"]),
    [toTestId(50), toTestId(2)],
    "findDigests must find both messages with the digest, in any thread, the newest first.",
  );
  await assertSame(listByDigests(["digest-8"]), [], "findDigests must not find a user message.");
  await assertSame(
    listByDigests(["digest-6", "digest-20", "digest-6", "none"]),
    [toTestId(20), toTestId(6)],
    "findDigests must return each message once.",
  );
  await assertSame(listByDigests([]), [], "findDigests without a digest must return an empty list.");
  const many = Array.from({ length: 2_000 }, (_, at) => `digest-${at}`);
  await assertSame(
    listByDigests(many, 3),
    [toTestId(50), toTestId(20), toTestId(18)],
    "findDigests with limit 3 must return the three newest messages.",
  );
  await assertSame(
    reads.findDigests(tenant, ["digest-2"], 1),
    [toHeader(twin)],
    "findDigests must return messages without their bodies.",
  );
}

async function findsDigestsOfScope(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const third = { tenant, threadId: "thread-of-none" };
  const scoped = [threadRow({ ...key, threadId: "thread-of-ann" }, { scope: "ann" })];
  scoped.push(threadRow({ ...other, threadId: "thread-of-bob" }, { scope: "bob" }), threadRow(third));
  for (const row of scoped) await context.write((tx) => tx.insertThread(row));
  const [ann, bob, none] = scoped.map(({ id }) => ({ tenant, threadId: id })) as [ThreadKey, ThreadKey, ThreadKey];
  const placed: [number, ThreadKey][] = [
    [1, ann],
    [2, bob],
    [3, ann],
    [4, none],
    [5, bob],
  ];
  const rows = placed.map(([number, place]) => messageRow(place, number, { role: "assistant", digest: "digest-s" }));
  const another = messageRow(ann, 6, { role: "assistant", digest: "digest-other" });
  await context.write((tx) => tx.insertMessages([...rows, another]));
  const listByScope = async (scope?: string, limit = 100): Promise<string[]> =>
    (await reads.findDigests(tenant, ["digest-s"], limit, scope)).map(({ id }) => id);
  await assertSame(
    listByScope("ann"),
    [toTestId(3), toTestId(1)],
    "findDigests with a scope must return messages in threads of that scope, the newest first.",
  );
  await assertSame(
    listByScope("ann", 1),
    [toTestId(3)],
    "findDigests with limit 1 must return the newest message of the scope, not of all scopes.",
  );
  await assertSame(listByScope("cid"), [], "findDigests with a scope that no thread has must return an empty list.");
  await assertSame(
    listByScope(""),
    [],
    "findDigests with an empty scope must not find messages in threads without a scope.",
  );
  await assertSame(
    listByScope(),
    [5, 4, 3, 2, 1].map(toTestId),
    "findDigests without a scope must find messages in all threads of the tenant.",
  );
}

async function findsExpired(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const rows = [
    runRow(key, "created", { leaseUntil: 99 }),
    runRow(key, "streaming", { state: "streaming", leaseUntil: 98 }),
    runRow(key, "just", { leaseUntil: 100 }),
    runRow(key, "alive", { state: "streaming", leaseUntil: 101 }),
    ...(["committed", "failed", "cancelled", "superseded"] as const).map((state) =>
      endedRun(key, state, 5, { state, leaseUntil: 1 }),
    ),
  ];
  for (const row of rows) await context.write((tx) => tx.insertRun(row));
  const listPage = async (limit: number): Promise<string[]> =>
    (await reads.expiredRuns(100, limit, tenant)).map(({ id }) => id).toSorted();
  await assertSame(
    listPage(100),
    ["created", "streaming"],
    "expiredRuns must list the runs that have not ended and whose lease has expired.",
  );
  assertHolds((await listPage(1)).length === 1, "expiredRuns with limit 1 must return one run.");
  const first = (await reads.expiredRuns(100, 100, tenant)).find(({ id }) => id === "created");
  await assertSame(first, rows[0], "expiredRuns must return complete rows.");
}

async function findsCompactable(context: StoreTestContext): Promise<void> {
  const { key, tenant, reads } = context;
  const states = ["committed", "failed", "cancelled", "superseded"] as const;
  const rows = [
    ...states.map((state, at) => endedRun(key, state, 90 + at, { state })),
    endedRun(key, "just", 100),
    endedRun(key, "later", 101),
    endedRun(key, "compacted", 1, { compacted: true }),
    runRow(key, "alive", { state: "streaming", firstDeltaId: toTestId(1), lastDeltaId: toTestId(1), lastSeq: 0 }),
  ];
  for (const row of rows) await context.write((tx) => tx.insertRun(row));
  const listPage = async (limit: number): Promise<string[]> =>
    (await reads.compactableRuns(100, limit, tenant)).map(({ id }) => id).toSorted();
  await assertSame(
    listPage(100),
    states.toSorted(),
    "compactableRuns must list the runs that ended before the given time and were not compacted.",
  );
  assertHolds((await listPage(2)).length === 2, "compactableRuns with limit 2 must return two runs.");
  const first = (await reads.compactableRuns(100, 100, tenant)).find(({ id }) => id === "failed");
  await assertSame(first, rows[1], "compactableRuns must return complete rows.");
}

async function findsCompacted(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const deltas = { firstDeltaId: toTestId(3), lastDeltaId: toTestId(5) };
  const row = endedRun(key, "compacted", 1, { ...deltas, compacted: true });
  const rows = [
    row,
    endedRun(key, "logged", 1, { firstDeltaId: toTestId(1), lastDeltaId: toTestId(9) }),
    endedRun(key, "empty", 1, { firstDeltaId: null, lastDeltaId: null, compacted: true }),
    endedRun(other, "elsewhere", 1, { firstDeltaId: toTestId(1), lastDeltaId: toTestId(9), compacted: true }),
  ];
  for (const each of rows) await context.write((tx) => tx.insertRun(each));
  const listRange = async (after: number, upTo: number) =>
    reads.compactedRun(key, { after: toTestId(after), upTo: toTestId(upTo) });
  await assertSame(listRange(3, 3), row, "compactedRun must find the run for a range at its first delta.");
  await assertSame(listRange(4, 4), row, "compactedRun must find the run for a range before its last delta.");
  await assertSame(listRange(4, 5), row, "compactedRun must find the run for a range that ends with its last delta.");
  await assertSame(
    listRange(2, 2),
    undefined,
    "compactedRun must not find the run for a range before its first delta.",
  );
  await assertSame(listRange(5, 5), undefined, "compactedRun must not find the run for a range after its last delta.");
}

export const ORDER_CLAIMS: readonly StoreRequirement[] = [
  ["messages and headers are read in ranges: after, upTo, order, limit", readsRanges],
  ["the log is read in ranges: of all runs, of one run, or of no run", readsLogRanges],
  ["ids are compared as bytes", ordersByBytes],
  ["threads are listed in pages, the newest id first", pagesThreads],
  ["threads are listed by kind if a kind is given", listsKinds],
  ["runs and blob references are listed in order, and quarantined records up to the limit", ordersOtherRows],
  ["findDigests returns the assistant messages with a digest, newest first", findsDigests],
  ["findDigests returns only the messages of a scope if a scope is given", findsDigestsOfScope],
  ["expiredRuns returns runs that have not ended and whose lease has expired", findsExpired],
  ["compactableRuns returns runs that have ended and still have deltas", findsCompactable],
  ["compactedRun returns a run of the thread whose deltas near a cursor were deleted", findsCompacted],
];
