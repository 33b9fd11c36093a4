// Store requirements: the order, bounds and limits of lists, compared with a plain filter over the rows.
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

/** In the order of their bytes: capitals before small letters, and four bytes after three. */
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

/** Selects the rows of a range with a plain filter. */
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

/** Even numbers from 2 to 20, so that bounds also fall between rows. */
const EVEN = Array.from({ length: 10 }, (_, at) => 2 * at + 2);

async function readsRanges(context: StoreTestContext): Promise<void> {
  const { key, other, reads } = context;
  const messages = EVEN.map((number) => messageRow(key, number));
  const foreign = EVEN.map((number) => messageRow(other, number + 1));
  // Written in another order than that of their ids.
  await context.write((tx) => tx.insertMessages([...messages.toReversed(), ...foreign]));
  for (const range of createRanges()) {
    const should = selectRange(messages, range);
    await assertSame(reads.messages(key, range), should, `messages ${JSON.stringify(range)}`);
    const headers = should.map(toHeader);
    await assertSame(reads.headers(key, range), headers, `headers ${JSON.stringify(range)}`);
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
    await assertSame(reads.log(key, range), selectRange(rows, range), `log ${JSON.stringify(range)}`);
    for (const runId of ["run-a", ""]) {
      const own = rows.filter((row) => row.runId === runId);
      const named = { ...range, runId };
      await assertSame(reads.log(key, named), selectRange(own, range), `log ${JSON.stringify(named)}`);
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
  await assertSame(toIds(await reads.messages(key, { limit: 100 })), IN_ORDER, "Messages.");
  await assertSame(toIds(await reads.log(key, { limit: 100 })), IN_ORDER, "Log rows.");
  await assertSame(toIds(await reads.runs(key)), IN_ORDER, "Runs, oldest first.");
  await assertSame(toIds(await reads.threads(tenant, { limit: 100 })), IN_ORDER.toReversed(), "Threads, newest first.");
  for (const [at, id] of IN_ORDER.entries()) {
    const after = await reads.messages(key, { after: id, limit: 1 });
    await assertSame(toIds(after), IN_ORDER.slice(at + 1, at + 2), `The message after "${id}".`);
    await assertSame((await reads.message(key, id))?.id, id, `The message "${id}".`);
  }
}

async function pagesThreads(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const rows = EVEN.map((number) => threadRow({ tenant, threadId: toTestId(number) }));
  for (const row of rows) await context.write((tx) => tx.insertThread(row));
  const newest = rows.toReversed();
  await assertSame(reads.threads(tenant, { limit: 100 }), newest, "All threads, newest id first.");
  await assertSame(reads.threads(tenant, { limit: 3 }), newest.slice(0, 3), "The newest three.");
  await assertSame(
    reads.threads(tenant, { limit: 2, before: toTestId(7) }),
    newest.slice(7, 9),
    "Two before one between.",
  );
  await assertSame(reads.threads(tenant, { limit: 100, before: toTestId(6) }), newest.slice(8), "Before is exclusive.");
  await assertSame(reads.threads(tenant, { limit: 100, before: toTestId(2) }), [], "Before the oldest.");
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
    await assertSame(all, newest, `All threads of kind ${JSON.stringify(kind)}.`);
    const some = reads.threads(tenant, { limit: 2, kind, before: toTestId(16) });
    const below = newest.filter(({ id }) => id < toTestId(16)).slice(0, 2);
    await assertSame(some, below, `Two of kind ${JSON.stringify(kind)} below one.`);
  }
}

async function ordersTheRest(context: StoreTestContext): Promise<void> {
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
  await assertSame(reads.runs(key), runs, "Runs, oldest first.");
  const inOrder = [2, 9, 10].flatMap((number) => ["aa", "bb"].map((hash) => refRow(key, number, toTestHash(hash))));
  await assertSame(reads.blobRefs(key), inOrder, "Blob references, by message id then hash.");
  for (const number of EVEN) await context.write((tx) => tx.quarantine(quarantineRow(key, number)));
  assertHolds((await reads.quarantined(tenant, 4)).length === 4, "Four quarantined records were asked for.");
  assertHolds((await reads.quarantined(tenant, 100)).length === 10, "There are ten quarantined records.");
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
    "Two messages of one digest, in any thread, newest first.",
  );
  await assertSame(listByDigests(["digest-8"]), [], "A user's message is not found.");
  await assertSame(
    listByDigests(["digest-6", "digest-20", "digest-6", "none"]),
    [toTestId(20), toTestId(6)],
    "Each message once.",
  );
  await assertSame(listByDigests([]), [], "No digest finds nothing.");
  const many = Array.from({ length: 2_000 }, (_, at) => `digest-${at}`);
  await assertSame(listByDigests(many, 3), [toTestId(50), toTestId(20), toTestId(18)], "The newest three of many.");
  await assertSame(reads.findDigests(tenant, ["digest-2"], 1), [toHeader(twin)], "A header without its body.");
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
  await assertSame(listByScope("ann"), [toTestId(3), toTestId(1)], "Messages in threads of the scope, newest first.");
  await assertSame(listByScope("ann", 1), [toTestId(3)], "The newest of the scope, although others are newer.");
  await assertSame(listByScope("cid"), [], "A scope that no thread has.");
  await assertSame(listByScope(""), [], "A thread without a scope is not of an empty one.");
  await assertSame(listByScope(), [5, 4, 3, 2, 1].map(toTestId), "Without a scope, all of the tenant.");
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
  await assertSame(listPage(100), ["created", "streaming"], "Runs that are not over and whose lease is.");
  assertHolds((await listPage(1)).length === 1, "One was asked for.");
  const first = (await reads.expiredRuns(100, 100, tenant)).find(({ id }) => id === "created");
  await assertSame(first, rows[0], "The whole row.");
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
  await assertSame(listPage(100), states.toSorted(), "Runs that ended before, and were not compacted.");
  assertHolds((await listPage(2)).length === 2, "Two were asked for.");
  const first = (await reads.compactableRuns(100, 100, tenant)).find(({ id }) => id === "failed");
  await assertSame(first, rows[1], "The whole row.");
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
  await assertSame(listRange(3, 3), row, "From the first delta on.");
  await assertSame(listRange(4, 4), row, "Up to the one before the last.");
  await assertSame(listRange(4, 5), row, "Within the row of the last.");
  await assertSame(listRange(2, 2), undefined, "Before the first.");
  await assertSame(listRange(5, 5), undefined, "After the last.");
}

export const ORDER_CLAIMS: readonly StoreRequirement[] = [
  ["messages and headers are given in ranges: after, up to, order, limit", readsRanges],
  ["the log is given in ranges, of all runs, of one or of none", readsLogRanges],
  ["ids are compared as bytes", ordersByBytes],
  ["threads come newest id first, in pages", pagesThreads],
  ["threads are listed by kind where one is named", listsKinds],
  ["runs, blob references and quarantined records come in their order and number", ordersTheRest],
  ["findDigests gives assistant messages of a digest, newest first", findsDigests],
  ["findDigests gives those of one scope where it is named", findsDigestsOfScope],
  ["expiredRuns gives runs that are not over and whose lease is", findsExpired],
  ["compactableRuns gives runs that are over and still have deltas", findsCompactable],
  ["compactedRun gives a run of the thread whose deltas are gone from around a place", findsCompacted],
];
