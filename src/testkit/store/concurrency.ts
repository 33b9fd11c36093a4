// Checks a store with parallel writers: threads are locked, a failed transaction does not affect others, and a reader
// that has read a thread up to its last id has missed no row.
import { wait, type Steps } from "../../ledger/store/steps.ts";
import type { LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store/contract.ts";
import { assertHolds } from "../conformance-case.ts";
import { StopError } from "./fixture.ts";
import { blobRow, toTestHash, toTestId, logRow, messageRow, readTestId, refRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame, pollDuring, writeTo } from "./store-test-context.ts";

const WRITERS = 12;

/** Increments the number in the thread's title. If two writers had the lock, an increment would be lost. */
function* countUp(tx: LedgerTransaction, key: ThreadKey): Steps<number> {
  const head = yield* wait(tx.lockThread(key));
  const count = Number(head?.title) + 1;
  // The additional read gives other writers of an asynchronous store time to interfere.
  yield* wait(tx.messages(key, { limit: 1 }));
  yield* wait(tx.updateThread(key, { title: String(count) }));
  return count;
}

/** Writes a message or a log row with the id that follows the thread's last id, and returns the id. */
function* appendRow(tx: LedgerTransaction, key: ThreadKey, kind: "message" | "log"): Steps<string> {
  const head = yield* wait(tx.lockThread(key));
  const number = readTestId(head?.lastId ?? "") + 1;
  if (kind === "message") {
    const rows = [messageRow(key, number, { parentId: head?.newestMessageId ?? null }), messageRow(key, number + 1)];
    yield* wait(tx.insertMessages(rows));
    return toTestId(number + 1);
  }
  yield* wait(tx.insertLog([logRow(key, number)]));
  return toTestId(number);
}

async function openStores(context: StoreTestContext): Promise<[LedgerStore, LedgerStore]> {
  await context.write(
    (tx) => tx.insertThread(threadRow(context.key, { title: "0" })),
    (tx) => tx.insertThread(threadRow(context.other, { title: "0" })),
  );
  return [context.store, await context.openAnother()];
}

async function locksThreads(context: StoreTestContext): Promise<void> {
  const { key, other } = context;
  const stores = await openStores(context);
  const rounds = Array.from({ length: WRITERS }, (_, at) =>
    stores.map((store) => store.write((tx) => countUp(tx, at % 3 === 0 ? other : key))),
  );
  const counts = (await Promise.all(rounds.flat())).toSorted((left, right) => left - right);
  const [own, others] = [await context.reads.thread(key), await context.reads.thread(other)];
  const should = [Number(own?.title), Number(others?.title)].flatMap((most) =>
    Array.from({ length: most }, (_, at) => at + 1),
  );
  await assertSame(
    Number(own?.title) + Number(others?.title),
    WRITERS * stores.length,
    "An increment was lost: two writers held the lock of one thread at the same time.",
  );
  await assertSame(
    counts,
    should.toSorted((left, right) => left - right),
    "Two writers wrote the same count: both held the lock of one thread at the same time.",
  );
}

async function chainsWriters(context: StoreTestContext): Promise<void> {
  const { key } = context;
  const stores = await openStores(context);
  const ids = await Promise.all(
    Array.from({ length: WRITERS }, (_, at) =>
      (stores[at % 2] ?? context.store).write((tx) => appendRow(tx, key, at % 4 === 0 ? "log" : "message")),
    ),
  );
  assertHolds(new Set(ids).size === WRITERS, "Two parallel writers must not write the same id.", ids);
  const rows = await context.reads.messages(key, { limit: 99 });
  const log = await context.reads.log(key, { limit: 99 });
  const all = [...rows, ...log].map(({ id }) => readTestId(id)).toSorted((left, right) => left - right);
  await assertSame(
    all,
    all.map((_, at) => at + 1),
    "The ids that parallel writers wrote must have no gap.",
  );
}

/** Requires that, after a reader has read the thread's last id, no row with an id up to that id is inserted. */
async function neverInsertsBelowLastId(context: StoreTestContext): Promise<void> {
  const { key } = context;
  const stores = await openStores(context);
  const passed: { lastId: string; ids: string[] }[] = [];
  const idsUpTo = async (upTo: string): Promise<string[]> => {
    const reader = stores[passed.length % 2] ?? context.store;
    const messages = await reader.reads.messages(key, { upTo, limit: 999 });
    const log = await reader.reads.log(key, { upTo, limit: 999 });
    return [...messages, ...log].map(({ id }) => id).toSorted();
  };
  const writing = Array.from({ length: WRITERS * 2 }, (_, at) =>
    (stores[at % 2] ?? context.store).write((tx) => appendRow(tx, key, at % 3 === 0 ? "log" : "message")),
  );
  await pollDuring(Promise.all(writing), async () => {
    const lastId = (await context.reads.thread(key))?.lastId ?? "";
    passed.push({ lastId, ids: await idsUpTo(lastId) });
  });
  assertHolds(passed.length > 0, "No read of the thread took place during the writes.");
  for (const { lastId, ids } of passed) {
    await assertSame(idsUpTo(lastId), ids, `After a reader had read up to "${lastId}", a row was added below it.`);
    await assertSame(ids.at(-1) ?? "", lastId, "The row with the last id of the thread could not be read.");
  }
}

/** Requires that a failed transaction does not affect other transactions at the same time. */
async function failsAlone(context: StoreTestContext): Promise<void> {
  const { tenant, store, reads } = context;
  const stop = new StopError();
  const results = await Promise.allSettled(
    Array.from({ length: WRITERS * 2 }, (_, at) =>
      store.write(function* (tx) {
        const key = { tenant, threadId: toTestId(at) };
        yield* wait(tx.insertThread(threadRow(key)));
        yield* wait(tx.insertMessages([messageRow(key, 1)]));
        if (at % 3 === 0) throw stop;
        return at;
      }),
    ),
  );
  for (const [at, result] of results.entries()) {
    const isStopped = at % 3 === 0;
    const key = { tenant, threadId: toTestId(at) };
    if (result.status === "rejected")
      assertHolds(
        isStopped && result.reason === stop,
        `Writer ${at} failed with an unexpected error: ${result.reason}`,
      );
    else
      await assertSame(
        result.value,
        isStopped ? "an error" : at,
        `Writer ${at} must return its result, or fail if its transaction threw an error.`,
      );
    await assertSame(
      (await reads.thread(key))?.lastId,
      isStopped ? undefined : toTestId(1),
      `The rows of writer ${at} must be stored if and only if its transaction succeeded.`,
    );
  }
}

/** Requires that a blob which a transaction references is not deleted by a parallel clean-up of unreferenced blobs. */
async function protectsReferencedBlobs(context: StoreTestContext): Promise<void> {
  const { key, tenant } = context;
  const [store, cleaner] = await openStores(context);
  for (let round = 1; round <= 10; round++) {
    const hash = toTestHash(`ab${round}`);
    await writeTo(store, (tx) => tx.insertBlob(blobRow(tenant, hash)));
    const referencing = store.write(function* (tx) {
      yield* wait(tx.lockThread(key));
      yield* wait(tx.insertMessages([messageRow(key, round)]));
      yield* wait(tx.insertBlobRefs([refRow(key, round, hash)]));
      // If the clean-up was first, the blob is missing, and this transaction writes it again.
      const blob = yield* wait(tx.blob(tenant, hash));
      if (blob === undefined) yield* wait(tx.insertBlob(blobRow(tenant, hash, { blobId: toTestId(round) })));
    });
    const cleaned = writeTo(cleaner, (tx) => tx.deleteUnreferencedBlobs(tenant, 9_999));
    await Promise.all([referencing, cleaned]);
    assertHolds(
      (await store.reads.blob(tenant, hash)) !== undefined,
      `The blob that message ${round} references was deleted.`,
    );
  }
}

export const CONCURRENCY_CLAIMS: readonly StoreRequirement[] = [
  ["lockThread admits one writer at a time to a thread", locksThreads],
  ["parallel writers that continue from the last id never write the same id", chainsWriters],
  [
    "a reader of a thread's last id can read every row up to it; no row is added below it later",
    neverInsertsBelowLastId,
  ],
  ["a failed transaction of parallel writers does not affect the other transactions", failsAlone],
  ["a blob is not deleted while a parallel transaction adds a reference to it", protectsReferencedBlobs],
];
