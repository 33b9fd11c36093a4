// Many writers at once: threads are locked, failures are their own, and a reader who has seen a thread up to its last
// id has missed nothing.
import { got, type Steps } from "../../ledger/steps.ts";
import type { LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store.ts";
import { demand } from "../demand.ts";
import { Stop } from "./fixture.ts";
import { blobRow, hashOf, idOf, logRow, messageRow, numberOf, refRow, threadRow } from "./rows.ts";
import type { Claim, Stage } from "./stage.ts";
import { demandSame, during, writeTo } from "./stage.ts";

const WRITERS = 12;

/** Counts the thread's title up by one: whoever overlooks another writer loses a number. */
function* countUp(tx: LedgerTransaction, key: ThreadKey): Steps<number> {
  const head = yield* got(tx.lockThread(key));
  const count = Number(head?.title) + 1;
  // Another look, so that a store that answers later has time to let others in.
  yield* got(tx.messages(key, { limit: 1 }));
  yield* got(tx.updateThread(key, { title: String(count) }));
  return count;
}

/** Writes a message, or a log row, with the id after the thread's last. */
function* goOn(tx: LedgerTransaction, key: ThreadKey, kind: "message" | "log"): Steps<string> {
  const head = yield* got(tx.lockThread(key));
  const number = numberOf(head?.lastId ?? "") + 1;
  if (kind === "message") {
    const rows = [messageRow(key, number, { parentId: head?.newestMessageId ?? null }), messageRow(key, number + 1)];
    yield* got(tx.insertMessages(rows));
    return idOf(number + 1);
  }
  yield* got(tx.insertLog([logRow(key, number)]));
  return idOf(number);
}

async function storesOf(stage: Stage): Promise<[LedgerStore, LedgerStore]> {
  await stage.write(
    (tx) => tx.insertThread(threadRow(stage.key, { title: "0" })),
    (tx) => tx.insertThread(threadRow(stage.other, { title: "0" })),
  );
  return [stage.store, await stage.another()];
}

async function locksThreads(stage: Stage): Promise<void> {
  const { key, other } = stage;
  const stores = await storesOf(stage);
  const rounds = Array.from({ length: WRITERS }, (_, at) =>
    stores.map((store) => store.write((tx) => countUp(tx, at % 3 === 0 ? other : key))),
  );
  const counts = (await Promise.all(rounds.flat())).toSorted((left, right) => left - right);
  const [own, others] = [await stage.reads.thread(key), await stage.reads.thread(other)];
  const should = [Number(own?.title), Number(others?.title)].flatMap((most) =>
    Array.from({ length: most }, (_, at) => at + 1),
  );
  await demandSame(Number(own?.title) + Number(others?.title), WRITERS * stores.length, "A count was lost.");
  await demandSame(
    counts,
    should.toSorted((left, right) => left - right),
    "Two writers counted to the same number.",
  );
}

async function chainsWriters(stage: Stage): Promise<void> {
  const { key } = stage;
  const stores = await storesOf(stage);
  const ids = await Promise.all(
    Array.from({ length: WRITERS }, (_, at) =>
      (stores[at % 2] ?? stage.store).write((tx) => goOn(tx, key, at % 4 === 0 ? "log" : "message")),
    ),
  );
  demand(new Set(ids).size === WRITERS, "Each writer has an id of its own.", ids);
  const rows = await stage.reads.messages(key, { limit: 99 });
  const log = await stage.reads.log(key, { limit: 99 });
  const all = [...rows, ...log].map(({ id }) => numberOf(id)).toSorted((left, right) => left - right);
  await demandSame(
    all,
    all.map((_, at) => at + 1),
    "Ids have no gap.",
  );
}

/** A reader asks for the last id again and again; later, nothing has come up below it. */
async function keepsWhatWasPassed(stage: Stage): Promise<void> {
  const { key } = stage;
  const stores = await storesOf(stage);
  const passed: { lastId: string; ids: string[] }[] = [];
  const idsUpTo = async (upTo: string): Promise<string[]> => {
    const reader = stores[passed.length % 2] ?? stage.store;
    const messages = await reader.reads.messages(key, { upTo, limit: 999 });
    const log = await reader.reads.log(key, { upTo, limit: 999 });
    return [...messages, ...log].map(({ id }) => id).toSorted();
  };
  const writing = Array.from({ length: WRITERS * 2 }, (_, at) =>
    (stores[at % 2] ?? stage.store).write((tx) => goOn(tx, key, at % 3 === 0 ? "log" : "message")),
  );
  await during(Promise.all(writing), async () => {
    const lastId = (await stage.reads.thread(key))?.lastId ?? "";
    passed.push({ lastId, ids: await idsUpTo(lastId) });
  });
  demand(passed.length > 0, "Nobody looked.");
  for (const { lastId, ids } of passed) {
    await demandSame(idsUpTo(lastId), ids, `After a reader had passed "${lastId}", a row came up below it.`);
    await demandSame(ids.at(-1) ?? "", lastId, "The last id could not be read.");
  }
}

/** Callers that write together do not fail together. */
async function failsAlone(stage: Stage): Promise<void> {
  const { tenant, store, reads } = stage;
  const stop = new Stop();
  const results = await Promise.allSettled(
    Array.from({ length: WRITERS * 2 }, (_, at) =>
      store.write(function* (tx) {
        const key = { tenant, threadId: idOf(at) };
        yield* got(tx.insertThread(threadRow(key)));
        yield* got(tx.insertMessages([messageRow(key, 1)]));
        if (at % 3 === 0) throw stop;
        return at;
      }),
    ),
  );
  for (const [at, result] of results.entries()) {
    const isStopped = at % 3 === 0;
    const key = { tenant, threadId: idOf(at) };
    if (result.status === "rejected") demand(isStopped && result.reason === stop, `Writer ${at}: ${result.reason}`);
    else await demandSame(result.value, isStopped ? "an error" : at, `The result of writer ${at}.`);
    await demandSame((await reads.thread(key))?.lastId, isStopped ? undefined : idOf(1), `The rows of writer ${at}.`);
  }
}

/** A message that begins to hold a blob, and somebody who deletes loose ones, at the same time. */
async function keepsHeldBlobs(stage: Stage): Promise<void> {
  const { key, tenant } = stage;
  const [store, cleaner] = await storesOf(stage);
  for (let round = 1; round <= 10; round++) {
    const hash = hashOf(`ab${round}`);
    await writeTo(store, (tx) => tx.insertBlob(blobRow(tenant, hash)));
    const held = store.write(function* (tx) {
      yield* got(tx.lockThread(key));
      yield* got(tx.insertMessages([messageRow(key, round)]));
      yield* got(tx.insertBlobRefs([refRow(key, round, hash)]));
      // Where the cleaner was faster the blob is gone, and the work would write it again.
      const blob = yield* got(tx.blob(tenant, hash));
      if (blob === undefined) yield* got(tx.insertBlob(blobRow(tenant, hash, { blobId: idOf(round) })));
    });
    const cleaned = writeTo(cleaner, (tx) => tx.deleteLooseBlobs(tenant, 9_999));
    await Promise.all([held, cleaned]);
    demand((await store.reads.blob(tenant, hash)) !== undefined, `The blob of message ${round} is gone.`);
  }
}

export const CONCURRENCY_CLAIMS: readonly Claim[] = [
  ["lockThread lets one writer at a time into a thread", locksThreads],
  ["writers that go on from the last id never meet", chainsWriters],
  ["every row up to the last id can be read from then on", keepsWhatWasPassed],
  ["of many writers at once, one that fails takes no other down", failsAlone],
  ["a blob that a message begins to hold is not deleted meanwhile", keepsHeldBlobs],
];
