// Checks that a transaction of a store takes effect completely or not at all, and sees its own writes.
import { wait, runAsync } from "../../ledger/store/steps.ts";
import { assertHolds } from "../conformance-case.ts";
import { createChanges, readEverything, readStore, createFixture, StopError } from "./fixture.ts";
import { toTestId, logRow, messageRow, runRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertSame, pollDuring, runInOrder, catchError, writeTo } from "./store-test-context.ts";

async function returnsResults(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  const value = { any: "value" };
  // oxlint-disable-next-line require-yield -- this transaction has no step to wait for
  const same = await store.write(function* () {
    return value;
  });
  assertHolds(same === value, "write must return the result of the transaction.");
  const row = messageRow(key, 1);
  const read = await store.write(function* (tx) {
    yield* wait(tx.insertMessages([row]));
    return yield* wait(tx.message(key, row.id));
  });
  await assertSame(read, row, "write must return a row that the transaction has read.");
  await assertSame(
    store.reads.message(key, row.id),
    row,
    "A written row must be readable as soon as write has resolved.",
  );
}

/** Requires that a transaction which throws after any number of its steps has no effect. */
async function rollsBackAfterAnyStep(context: StoreTestContext): Promise<void> {
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
      `The transaction threw after ${count} steps, and the caller did not receive its error.`,
      String(thrown?.error),
    );
    await assertSame(
      readStore(store, tenant),
      before,
      `The transaction threw after ${count} steps, and some of its writes are stored.`,
    );
  }
  await context.write(...steps);
  assertHolds(
    JSON.stringify(await readStore(store, tenant)) !== JSON.stringify(before),
    "The writes of a complete transaction must be visible.",
  );
}

/**
 * Requires for each writing method that the transaction itself reads its write, and that readers read the same rows
 * after the transaction.
 */
async function readsOwnWrites(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  let before = await readStore(store, tenant);
  for (const [method, step] of Object.entries(createChanges(tenant))) {
    const inside = await store.write(function* (tx) {
      yield* wait(step(tx));
      return yield* readEverything(tx, tenant);
    });
    assertHolds(JSON.stringify(inside) !== JSON.stringify(before), `The transaction does not read its own ${method}.`);
    before = await readStore(store, tenant);
    await assertSame(before, inside, `After ${method}, readers read other rows than the transaction.`);
  }
}

async function rejectsBeforeFirstStep(context: StoreTestContext): Promise<void> {
  const { store } = context;
  const stop = new StopError();
  const thrown = await catchError(() =>
    store.write(() => {
      throw stop;
    }),
  );
  assertHolds(thrown?.error === stop, "A transaction that throws before its first step must reject with its error.");
  await context.write((tx) => tx.insertThread(threadRow(context.key)));
  assertHolds(
    (await store.reads.thread(context.key)) !== undefined,
    "The store must be usable after a transaction that threw.",
  );
}

/**
 * Requires for a transaction that catches a conflict: either all its other writes are stored, or none of them is stored
 * and the caller receives the error.
 */
async function isAtomicAfterConflict(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  await context.write((tx) => tx.insertMessages([messageRow(key, 2)]));
  const before = await readStore(store, context.tenant);
  const thrown = await catchError(() =>
    store.write(function* (tx) {
      yield* wait(tx.insertMessages([messageRow(key, 1)]));
      try {
        yield* wait(tx.insertMessages([messageRow(key, 3), messageRow(key, 2), messageRow(key, 4)]));
      } catch {
        // The transaction continues without the rejected messages.
      }
      yield* wait(tx.insertMessages([messageRow(key, 5)]));
    }),
  );
  if (thrown !== undefined) {
    await assertSame(readStore(store, context.tenant), before, "The write failed, but some of its rows are visible.");
    return;
  }
  const ids = (await store.reads.messages(key, { limit: 9 })).map(({ id }) => id);
  await assertSame(
    ids,
    [toTestId(1), toTestId(2), toTestId(5)],
    "The write resolved, but some of its rows are missing or incomplete.",
  );
}

/** Requires that readers see no write of a transaction of many steps while it is running. */
async function hidesUncommittedWrites(context: StoreTestContext): Promise<void> {
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
      assertHolds(seen === 0 || seen === count, `A reader saw ${seen} of ${count} messages of one transaction.`);
    }
  });
  await assertSame(
    (await reader.reads.messages(key, { limit: 99 })).length,
    count,
    "All messages of the transaction must be visible after write has resolved.",
  );
}

async function showsAcknowledgedWrites(context: StoreTestContext): Promise<void> {
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
      "A reader must see every row whose write was acknowledged.",
    );
    await writeTo(writer, (tx) => tx.updateRun(key, "run", 1, { lastSeq: number }));
    await assertSame(
      (await reader.reads.run(key.tenant, "run"))?.lastSeq,
      number,
      "A reader must see every acknowledged change of a run.",
    );
  }
  await assertSame(
    await runAsync(readEverything(stores[0]?.reads ?? context.reads, context.tenant)),
    await runAsync(readEverything(stores[1]?.reads ?? context.reads, context.tenant)),
    "Both stores must return the same rows after the last write.",
  );
}

function addMessage({ key }: StoreTestContext, ordinal: number): TransactionStep {
  return (tx) => tx.insertMessages([messageRow(key, ordinal)]);
}

export const ATOMICITY_CLAIMS: readonly StoreRequirement[] = [
  ["write returns the result of the transaction, whose writes can then be read", returnsResults],
  [
    "a transaction that throws after any of its steps writes nothing, and the caller receives its error",
    rollsBackAfterAnyStep,
  ],
  ["a transaction reads its own writes, and readers then read the same", readsOwnWrites],
  ["a transaction that throws before its first step is rejected, and the store remains usable", rejectsBeforeFirstStep],
  ["a transaction that catches a conflict is written as a whole or rejected as a whole", isAtomicAfterConflict],
  ["readers see a transaction as a whole or not at all", hidesUncommittedWrites],
  ["readers see every write that was acknowledged before the read", showsAcknowledgedWrites],
];
