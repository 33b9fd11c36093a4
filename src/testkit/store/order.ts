// Lists: their order, where they begin and end, and how long they are. What should come out is what a plain filter over
// the rows gives.
import type { MessageHeader, MessageRow } from "../../ledger/rows.ts";
import type { IdRange, ThreadKey } from "../../ledger/store.ts";
import { demand } from "../demand.ts";
import { endedRun, hashOf, idOf, logRow, messageRow, quarantineRow, refRow, runRow, threadRow } from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandSame } from "./stage.ts";

/** In the order of their bytes: capitals before small letters, and four bytes after three. */
const IN_ORDER = [" ", "0", "A", "Z", "a", "a ", "ab", "b", "~", "é", "κ", "\uFF5E", "\u{10000}", "\u{1F3DB}"];

const POSITIONS = [undefined, idOf(4), idOf(5), idOf(20), idOf(99)];

function stretches(): IdRange[] {
  const all: IdRange[] = [];
  for (const after of POSITIONS) {
    for (const upTo of POSITIONS) {
      for (const limit of [1, 3, 100]) {
        const bounds = { ...(after === undefined ? {} : { after }), ...(upTo === undefined ? {} : { upTo }) };
        all.push({ ...bounds, limit, ...(limit === 3 ? { order: "up" } : {}) }, { ...bounds, limit, order: "down" });
      }
    }
  }
  return all;
}

/** The rows of a stretch, found in the plainest way. */
function cutOut<Row extends { id: string }>(rows: readonly Row[], stretch: IdRange): Row[] {
  const { after = "", upTo = "~", order = "up", limit } = stretch;
  const within = rows.filter(({ id }) => id > after && id <= upTo);
  return (order === "up" ? within : within.toReversed()).slice(0, limit);
}

function headerOf({ body: _body, ...header }: MessageRow): MessageHeader {
  return header;
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Even numbers from 2 to 20, so that bounds also fall between rows. */
const EVEN = Array.from({ length: 10 }, (_, at) => 2 * at + 2);

async function givesStretches(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const messages = EVEN.map((number) => messageRow(key, number));
  const foreign = EVEN.map((number) => messageRow(other, number + 1));
  // Written in another order than that of their ids.
  await stage.write((tx) => tx.insertMessages([...messages.toReversed(), ...foreign]));
  for (const stretch of stretches()) {
    const should = cutOut(messages, stretch);
    await demandSame(reads.messages(key, stretch), should, `messages ${JSON.stringify(stretch)}`);
    const headers = should.map(headerOf);
    await demandSame(reads.headers(key, stretch), headers, `headers ${JSON.stringify(stretch)}`);
  }
}

async function givesLogStretches(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const whose = ["run-a", "", "run-b"];
  const rows = EVEN.map((number) => logRow(key, number, { runId: whose[number % 3] ?? "" }));
  await stage.write(
    (tx) => tx.insertLog(rows.toReversed()),
    (tx) => tx.insertLog([logRow(other, 7, { runId: "run-a" })]),
  );
  for (const stretch of stretches()) {
    await demandSame(reads.log(key, stretch), cutOut(rows, stretch), `log ${JSON.stringify(stretch)}`);
    for (const runId of ["run-a", ""]) {
      const own = rows.filter((row) => row.runId === runId);
      const named = { ...stretch, runId };
      await demandSame(reads.log(key, named), cutOut(own, stretch), `log ${JSON.stringify(named)}`);
    }
  }
}

async function ordersByBytes(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const shuffled = IN_ORDER.toSorted((left, right) => left.length - right.length || (left > right ? -1 : 1));
  for (const id of shuffled) {
    await stage.write(
      (tx) => tx.insertThread(threadRow({ tenant, threadId: id })),
      (tx) => tx.insertMessages([messageRow(key, 0, { id })]),
      (tx) => tx.insertLog([logRow(key, 0, { id })]),
      (tx) => tx.insertRun(runRow(key, id)),
    );
  }
  await demandSame(idsOf(await reads.messages(key, { limit: 100 })), IN_ORDER, "Messages.");
  await demandSame(idsOf(await reads.log(key, { limit: 100 })), IN_ORDER, "Log rows.");
  await demandSame(idsOf(await reads.runs(key)), IN_ORDER, "Runs, oldest first.");
  await demandSame(idsOf(await reads.threads(tenant, { limit: 100 })), IN_ORDER.toReversed(), "Threads, newest first.");
  for (const [at, id] of IN_ORDER.entries()) {
    const after = await reads.messages(key, { after: id, limit: 1 });
    await demandSame(idsOf(after), IN_ORDER.slice(at + 1, at + 2), `The message after "${id}".`);
    await demandSame((await reads.message(key, id))?.id, id, `The message "${id}".`);
  }
}

async function pagesThreads(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const rows = EVEN.map((number) => threadRow({ tenant, threadId: idOf(number) }));
  for (const row of rows) await stage.write((tx) => tx.insertThread(row));
  const newest = rows.toReversed();
  await demandSame(reads.threads(tenant, { limit: 100 }), newest, "All threads, newest id first.");
  await demandSame(reads.threads(tenant, { limit: 3 }), newest.slice(0, 3), "The newest three.");
  await demandSame(reads.threads(tenant, { limit: 2, before: idOf(7) }), newest.slice(7, 9), "Two before one between.");
  await demandSame(reads.threads(tenant, { limit: 100, before: idOf(6) }), newest.slice(8), "Before is exclusive.");
  await demandSame(reads.threads(tenant, { limit: 100, before: idOf(2) }), [], "Before the oldest.");
}

async function listsKinds(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const kinds = ["task", null, "Task"];
  const rows = EVEN.map((number) => threadRow({ tenant, threadId: idOf(number) }, { kind: kinds[number % 3] ?? null }));
  for (const row of rows) await stage.write((tx) => tx.insertThread(row));
  for (const kind of [...kinds, "none", ""]) {
    const newest = rows.toReversed().filter((row) => row.kind === kind);
    const all = reads.threads(tenant, { limit: 100, kind });
    await demandSame(all, newest, `All threads of kind ${JSON.stringify(kind)}.`);
    const some = reads.threads(tenant, { limit: 2, kind, before: idOf(16) });
    const below = newest.filter(({ id }) => id < idOf(16)).slice(0, 2);
    await demandSame(some, below, `Two of kind ${JSON.stringify(kind)} below one.`);
  }
}

async function ordersTheRest(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const runs = EVEN.map((number) => runRow(key, idOf(number)));
  const refs = [10, 2, 9].flatMap((number) => ["bb", "aa"].map((hash) => refRow(key, number, hashOf(hash))));
  await stage.write(
    ...runs.toReversed().map(
      (row): Step =>
        (tx) =>
          tx.insertRun(row),
    ),
    (tx) => tx.insertBlobRefs(refs),
  );
  await demandSame(reads.runs(key), runs, "Runs, oldest first.");
  const inOrder = [2, 9, 10].flatMap((number) => ["aa", "bb"].map((hash) => refRow(key, number, hashOf(hash))));
  await demandSame(reads.blobRefs(key), inOrder, "Blob references, by message id then hash.");
  for (const number of EVEN) await stage.write((tx) => tx.quarantine(quarantineRow(key, number)));
  demand((await reads.quarantined(tenant, 4)).length === 4, "Four quarantined records were asked for.");
  demand((await reads.quarantined(tenant, 100)).length === 10, "There are ten quarantined records.");
}

async function findsDigests(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const rows = EVEN.map((number) => {
    const role = number === 8 ? "user" : "assistant";
    return messageRow(number % 4 === 0 ? key : other, number, { role, digest: `digest-${number}` });
  });
  const twin = messageRow(key, 50, { role: "assistant", digest: "digest-2" });
  await stage.write((tx) => tx.insertMessages([...rows, twin]));
  const found = async (digests: readonly string[], limit = 100): Promise<string[]> =>
    (await reads.findDigests(tenant, digests, limit)).map(({ id }) => id);
  await demandSame(
    found(["digest-2"]),
    [idOf(50), idOf(2)],
    "Two messages of one digest, in any thread, newest first.",
  );
  await demandSame(found(["digest-8"]), [], "A user's message is not found.");
  await demandSame(found(["digest-6", "digest-20", "digest-6", "none"]), [idOf(20), idOf(6)], "Each message once.");
  await demandSame(found([]), [], "No digest finds nothing.");
  const many = Array.from({ length: 2_000 }, (_, at) => `digest-${at}`);
  await demandSame(found(many, 3), [idOf(50), idOf(20), idOf(18)], "The newest three of many.");
  await demandSame(reads.findDigests(tenant, ["digest-2"], 1), [headerOf(twin)], "A header without its body.");
}

async function findsDigestsOfScope(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const third = { tenant, threadId: "thread-of-none" };
  const scoped = [threadRow({ ...key, threadId: "thread-of-ann" }, { scope: "ann" })];
  scoped.push(threadRow({ ...other, threadId: "thread-of-bob" }, { scope: "bob" }), threadRow(third));
  for (const row of scoped) await stage.write((tx) => tx.insertThread(row));
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
  await stage.write((tx) => tx.insertMessages([...rows, another]));
  const found = async (scope?: string, limit = 100): Promise<string[]> =>
    (await reads.findDigests(tenant, ["digest-s"], limit, scope)).map(({ id }) => id);
  await demandSame(found("ann"), [idOf(3), idOf(1)], "Messages in threads of the scope, newest first.");
  await demandSame(found("ann", 1), [idOf(3)], "The newest of the scope, although others are newer.");
  await demandSame(found("cid"), [], "A scope that no thread has.");
  await demandSame(found(""), [], "A thread without a scope is not of an empty one.");
  await demandSame(found(), [5, 4, 3, 2, 1].map(idOf), "Without a scope, all of the tenant.");
}

async function findsExpired(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const rows = [
    runRow(key, "created", { leaseUntil: 99 }),
    runRow(key, "streaming", { state: "streaming", leaseUntil: 98 }),
    runRow(key, "just", { leaseUntil: 100 }),
    runRow(key, "alive", { state: "streaming", leaseUntil: 101 }),
    ...(["committed", "failed", "cancelled", "superseded"] as const).map((state) =>
      endedRun(key, state, 5, { state, leaseUntil: 1 }),
    ),
  ];
  for (const row of rows) await stage.write((tx) => tx.insertRun(row));
  const found = async (limit: number): Promise<string[]> =>
    (await reads.expiredRuns(100, limit, tenant)).map(({ id }) => id).toSorted();
  await demandSame(found(100), ["created", "streaming"], "Runs that are not over and whose lease is.");
  demand((await found(1)).length === 1, "One was asked for.");
  const first = (await reads.expiredRuns(100, 100, tenant)).find(({ id }) => id === "created");
  await demandSame(first, rows[0], "The whole row.");
}

async function findsCompactable(stage: Stage): Promise<void> {
  const { key, tenant, reads } = stage;
  const states = ["committed", "failed", "cancelled", "superseded"] as const;
  const rows = [
    ...states.map((state, at) => endedRun(key, state, 90 + at, { state })),
    endedRun(key, "just", 100),
    endedRun(key, "later", 101),
    endedRun(key, "compacted", 1, { compacted: true }),
    runRow(key, "alive", { state: "streaming", firstDeltaId: idOf(1), lastDeltaId: idOf(1), lastSeq: 0 }),
  ];
  for (const row of rows) await stage.write((tx) => tx.insertRun(row));
  const found = async (limit: number): Promise<string[]> =>
    (await reads.compactableRuns(100, limit, tenant)).map(({ id }) => id).toSorted();
  await demandSame(found(100), states.toSorted(), "Runs that ended before, and were not compacted.");
  demand((await found(2)).length === 2, "Two were asked for.");
  const first = (await reads.compactableRuns(100, 100, tenant)).find(({ id }) => id === "failed");
  await demandSame(first, rows[1], "The whole row.");
}

async function findsCompacted(stage: Stage): Promise<void> {
  const { key, other, reads } = stage;
  const deltas = { firstDeltaId: idOf(3), lastDeltaId: idOf(5) };
  const row = endedRun(key, "compacted", 1, { ...deltas, compacted: true });
  const rows = [
    row,
    endedRun(key, "logged", 1, { firstDeltaId: idOf(1), lastDeltaId: idOf(9) }),
    endedRun(key, "empty", 1, { firstDeltaId: null, lastDeltaId: null, compacted: true }),
    endedRun(other, "elsewhere", 1, { firstDeltaId: idOf(1), lastDeltaId: idOf(9), compacted: true }),
  ];
  for (const each of rows) await stage.write((tx) => tx.insertRun(each));
  const found = async (after: number, upTo: number) =>
    reads.compactedRun(key, { after: idOf(after), upTo: idOf(upTo) });
  await demandSame(found(3, 3), row, "From the first delta on.");
  await demandSame(found(4, 4), row, "Up to the one before the last.");
  await demandSame(found(4, 5), row, "Within the row of the last.");
  await demandSame(found(2, 2), undefined, "Before the first.");
  await demandSame(found(5, 5), undefined, "After the last.");
}

export const ORDER_CLAIMS: readonly Claim[] = [
  ["messages and headers are given in stretches: after, up to, order, limit", givesStretches],
  ["the log is given in stretches, of all runs, of one or of none", givesLogStretches],
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
