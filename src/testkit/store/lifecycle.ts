// Checks how a store watches threads, vacuums and closes.
import type { LedgerStore, ThreadKey } from "../../ledger/store/contract.ts";
import { assertHolds } from "../conformance-case.ts";
import { createChanges, readStore, createFixture } from "./fixture.ts";
import { toTestId, logRow, messageRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertRejected, assertSame, writeTo } from "./store-test-context.ts";

/** Watches a thread: counts the calls of the listener, and waits for the next call. */
class Watcher {
  count = 0;
  readonly end: () => void;
  readonly #wakeTimeoutMs: number;
  #onWake: () => void = () => undefined;

  constructor(store: LedgerStore, { key, wakeTimeoutMs }: StoreTestContext) {
    this.#wakeTimeoutMs = wakeTimeoutMs;
    this.end = store.watch(key, () => {
      this.count++;
      this.#onWake();
    });
  }

  async waitForWake(what: string, action: () => Promise<unknown>): Promise<void> {
    const before = this.count;
    await action();
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#onWake = resolve;
      timer = setTimeout(resolve, this.#wakeTimeoutMs);
      if (this.count > before) resolve();
    });
    clearTimeout(timer);
    assertHolds(this.count > before, `${what} did not call the listener of a watch.`);
  }
}

const WRITES: readonly [what: string, step: (key: ThreadKey) => TransactionStep][] = [
  ["A message", (key) => (tx) => tx.insertMessages([messageRow(key, 1)])],
  ["A batch of deltas", (key) => (tx) => tx.insertLog([logRow(key, 2)])],
  ["A change of state", (key) => (tx) => tx.insertLog([logRow(key, 3, { kind: "run" })])],
  ["Another message", (key) => (tx) => tx.insertMessages([messageRow(key, 4)])],
];

async function wakes(context: StoreTestContext): Promise<void> {
  const { key } = context;
  const [writer, reader] = [context.store, await context.openAnother()];
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const watchers = [new Watcher(writer, context), new Watcher(reader, context)];
  for (const [what, step] of WRITES) {
    const [own, others] = watchers;
    await others?.waitForWake(`${what}, seen by another reader,`, async () =>
      own?.waitForWake(what, () => writeTo(writer, step(key))),
    );
  }
  for (const watcher of watchers) watcher.end();
}

async function stopsWaking(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const [ended, stays] = [new Watcher(store, context), new Watcher(store, context)];
  await ended.waitForWake("A message", () => context.write((tx) => tx.insertMessages([messageRow(key, 1)])));
  ended.end();
  ended.end();
  const { count } = ended;
  await stays.waitForWake("A second message", () => context.write((tx) => tx.insertMessages([messageRow(key, 2)])));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertHolds(ended.count === count, "An ended watch called its listener.");
  stays.end();
}

async function vacuums(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  await context.write(createChanges(tenant).deleteMessages);
  const before = await readStore(store, tenant);
  await store.vacuum();
  await assertSame(readStore(store, tenant), before, "vacuum must not change the result of any read.");
  await context.write((tx) => tx.insertMessages([messageRow(context.key, 30)]));
  assertHolds(
    (await context.reads.message(context.key, toTestId(30))) !== undefined,
    "The store must be usable after vacuum.",
  );
}

function never(): never {
  throw new Error("A closed store called a function.");
}

/** Returns a call of every method of a store, with the method's name. */
function listStoreCalls(context: StoreTestContext): [name: string, attempt: () => unknown][] {
  const { store, key, tenant, reads } = context;
  return [
    ["thread", () => reads.thread(key)],
    ["threads", () => reads.threads(tenant, { limit: 1 })],
    ["titles", () => reads.titles(tenant, { limit: 1 })],
    [
      "countMessages",
      () => reads.countMessages(tenant, [{ threadId: key.threadId, after: "", upTo: "~", first: true }]),
    ],
    ["message", () => reads.message(key, toTestId(1))],
    ["messages", () => reads.messages(key, { limit: 1 })],
    ["headers", () => reads.headers(key, { limit: 1 })],
    ["findDigests", () => reads.findDigests(tenant, ["digest-2"], 1)],
    ["run", () => reads.run(tenant, "run")],
    ["runs", () => reads.runs(key)],
    ["runIds", () => reads.runIds(key, "failed")],
    ["lastRuns", () => reads.lastRuns(tenant, [key.threadId], 1)],
    ["usages", () => reads.usages(tenant, [{ threadId: key.threadId, before: "~" }], 1)],
    ["changedRuns", () => reads.changedRuns(tenant, [{ threadId: key.threadId, after: "" }])],
    ["expiredRuns", () => reads.expiredRuns(1, 1)],
    ["compactableRuns", () => reads.compactableRuns(1, 1)],
    ["compactedRun", () => reads.compactedRun(key, { after: "", upTo: "" })],
    ["log", () => reads.log(key, { limit: 1 })],
    ["alias", () => reads.alias(tenant, "alias")],
    ["aliases", () => reads.aliases(key)],
    ["work", () => reads.work(key)],
    ["openWork", () => reads.openWork(1, 1)],
    ["idempotencyKey", () => reads.idempotencyKey(key, "key")],
    ["blob", () => reads.blob(tenant, "hash")],
    ["chunk", () => reads.chunk(tenant, "blob", 0)],
    ["blobRefs", () => reads.blobRefs(key)],
    ["quarantined", () => reads.quarantined(tenant, 1)],
    ["write", () => store.write(never)],
    ["watch", () => store.watch(key, never)],
    ["activeThreads", () => store.activeThreads(tenant, { limit: 1 })],
    ["heads", () => store.heads(tenant, [key.threadId])],
    ["watchThreads", () => store.watchThreads(tenant, never)],
    ["indexMessages", () => store.indexMessages(never, 1)],
    ["search", () => store.search({ tenant, text: "word", limit: 1 })],
    ["vacuum", () => store.vacuum()],
  ];
}

async function closes(context: StoreTestContext): Promise<void> {
  await context.write(...createFixture(context.tenant));
  await context.store.close();
  await context.store.close();
  for (const [name, attempt] of listStoreCalls(context))
    await assertRejected("closed", attempt, `${name} of a closed store`);
}

async function finishesBeforeClosing(context: StoreTestContext): Promise<void> {
  const { key, store, tenant } = context;
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const other = await context.openAnother();
  const writes = Array.from({ length: 8 }, (_, at) =>
    writeTo(store, (tx) => tx.insertMessages([messageRow(key, at + 1)])),
  );
  const twice = [store.close(), store.close()];
  await Promise.all([...writes, ...twice]);
  if (other === store) return;
  await assertSame(
    (await other.reads.messages(key, { limit: 99 })).length,
    8,
    "close must wait for the pending writes, so that another store can read all messages.",
  );
  await other.close();
  const fresh = await context.openAnother();
  await assertSame(
    (await fresh.reads.messages(key, { limit: 99 })).length,
    8,
    "All messages must be stored after the store was opened again.",
  );
  await assertSame(
    (await fresh.reads.threads(tenant, { limit: 9 })).length,
    1,
    "The thread must be stored after the store was opened again.",
  );
}

export const LIFE_CLAIMS: readonly StoreRequirement[] = [
  ["watch calls its listener when any process has added rows to the thread", wakes],
  ["an ended watch calls no listener", stopsWaking],
  ["vacuum does not change the result of any read", vacuums],
  ["close is idempotent, and every later call fails with the code closed", closes],
  ["close waits for pending writes", finishesBeforeClosing],
];
