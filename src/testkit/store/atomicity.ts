// Store requirements: a transaction takes effect completely or not at all, and sees its own writes.
import { wait, runAsync } from "../../ledger/store/steps.ts";
import { assertHolds } from "../conformance-case.ts";
import { createChanges, readEverything, readStore, createFixture, StopError } from "./fixture.ts";
import { toTestId, logRow, messageRow, runRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertSame, pollDuring, runInOrder, catchError, writeTo } from "./store-test-context.ts";

async function givesResults(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  const value = { any: "value" };
  // oxlint-disable-next-line require-yield -- work need not wait for anything
  const same = await store.write(function* () {
    return value;
  });
  assertHolds(same === value, "write gives what the work returns.");
  const row = messageRow(key, 1);
  const read = await store.write(function* (tx) {
    yield* wait(tx.insertMessages([row]));
    return yield* wait(tx.message(key, row.id));
  });
  await assertSame(read, row, "write gives what the work has read.");
  await assertSame(store.reads.message(key, row.id), row, "What was written can be read once write has resolved.");
}

/** Stops the transaction after each of its steps in turn. */
async function undoesAnyBeginning(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  const before = await readStore(store, tenant);
  const steps = Object.values(createChanges(tenant));
  for (let count = 0; count <= steps.length; count++) {
    const stop = new StopError();
    const stopping: TransactionStep = () => {
      throw stop;
    };
    const thrown = await catchError(() => context.write(...steps.slice(0, count), stopping));
    assertHolds(
      thrown?.error === stop,
      `Stopped after ${count} steps, the work's error is not the caller's.`,
      String(thrown?.error),
    );
    await assertSame(readStore(store, tenant), before, `Stopped after ${count} steps, something stays.`);
  }
  await context.write(...steps);
  assertHolds(JSON.stringify(await readStore(store, tenant)) !== JSON.stringify(before), "The whole work shows.");
}

/** Reads within the transaction after each kind of step, then outside. */
async function showsToItsWork(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  let before = await readStore(store, tenant);
  for (const [method, step] of Object.entries(createChanges(tenant))) {
    const inside = await store.write(function* (tx) {
      yield* wait(step(tx));
      return yield* readEverything(tx, tenant);
    });
    assertHolds(JSON.stringify(inside) !== JSON.stringify(before), `The work does not see its own ${method}.`);
    before = await readStore(store, tenant);
    await assertSame(before, inside, `After ${method}, the work saw something else than readers.`);
  }
}

async function refusesAtOnce(context: StoreTestContext): Promise<void> {
  const { store } = context;
  const stop = new StopError();
  const thrown = await catchError(() =>
    store.write(() => {
      throw stop;
    }),
  );
  assertHolds(thrown?.error === stop, "Work that throws before its first step rejects with its error.");
  await context.write((tx) => tx.insertThread(threadRow(context.key)));
  assertHolds((await store.reads.thread(context.key)) !== undefined, "The store goes on after work that threw.");
}

/**
 * A transaction that catches a conflict: either all its other writes are stored, or none of them and the caller
 * receives the error.
 */
async function neverHalves(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  await context.write((tx) => tx.insertMessages([messageRow(key, 2)]));
  const before = await readStore(store, context.tenant);
  const thrown = await catchError(() =>
    store.write(function* (tx) {
      yield* wait(tx.insertMessages([messageRow(key, 1)]));
      try {
        yield* wait(tx.insertMessages([messageRow(key, 3), messageRow(key, 2), messageRow(key, 4)]));
      } catch {
        // The transaction continues without them.
      }
      yield* wait(tx.insertMessages([messageRow(key, 5)]));
    }),
  );
  if (thrown !== undefined) {
    await assertSame(readStore(store, context.tenant), before, "The write failed, yet something shows.");
    return;
  }
  const ids = (await store.reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await assertSame(
    ids,
    [toTestId(1), toTestId(2), toTestId(5)],
    "The write resolved, yet something is missing or half there.",
  );
}

/** Readers read while a transaction of many steps is running. */
async function hidesWhatIsUnderWay(context: StoreTestContext): Promise<void> {
  const { key } = context;
  const [store, reader] = [context.store, await context.openAnother()];
  const count = 40;
  const steps = Array.from(
    { length: count },
    (_, at): TransactionStep =>
      (tx) =>
        tx.insertMessages([messageRow(key, at + 1)]),
  );
  const written = store.write((tx) => runInOrder(tx, steps));
  await pollDuring(written, async () => {
    for (const reads of [store.reads, reader.reads]) {
      const seen = (await reads.messages(key, { limit: 99 })).length;
      assertHolds(seen === 0 || seen === count, `A reader saw ${seen} of ${count} messages of one work.`);
    }
  });
  await assertSame((await reader.reads.messages(key, { limit: 99 })).length, count, "All of it shows at the end.");
}

async function showsAtOnce(context: StoreTestContext): Promise<void> {
  const { key } = context;
  const stores = [context.store, await context.openAnother()];
  await context.write(
    (tx) => tx.insertThread(threadRow(key)),
    (tx) => tx.insertRun(runRow(key, "run")),
  );
  for (let number = 1; number <= 20; number++) {
    const [writer, reader] = number % 2 === 0 ? stores : stores.toReversed();
    if (writer === undefined || reader === undefined) return;
    const step: TransactionStep =
      number % 3 === 0 ? (tx) => tx.insertLog([logRow(key, number)]) : addMessage(context, number);
    await writeTo(writer, step);
    await assertSame(
      (await reader.reads.thread(key))?.lastId,
      toTestId(number),
      "A reader sees what was acknowledged.",
    );
    await writeTo(writer, (tx) => tx.updateRun(key, "run", 1, { lastSeq: number }));
    await assertSame(
      (await reader.reads.run(key.tenant, "run"))?.lastSeq,
      number,
      "A reader sees the change of a run.",
    );
  }
  await assertSame(
    await runAsync(readEverything(stores[0]?.reads ?? context.reads, context.tenant)),
    await runAsync(readEverything(stores[1]?.reads ?? context.reads, context.tenant)),
    "Both see the same at the end.",
  );
}

function addMessage({ key }: StoreTestContext, ordinal: number): TransactionStep {
  return (tx) => tx.insertMessages([messageRow(key, ordinal)]);
}

export const ATOMICITY_CLAIMS: readonly StoreRequirement[] = [
  ["write gives what the work returns, and what it wrote can then be read", givesResults],
  ["work that throws after any of its steps leaves nothing, and its error is the caller's", undoesAnyBeginning],
  ["work sees what it has written itself, and readers then see the same", showsToItsWork],
  ["work that throws before its first step is refused, and the store goes on", refusesAtOnce],
  ["work that catches a conflict is written as a whole or refused as a whole", neverHalves],
  ["readers see work as a whole or not at all", hidesWhatIsUnderWay],
  ["readers see everything that was acknowledged before they asked", showsAtOnce],
];
