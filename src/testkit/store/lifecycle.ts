// Store requirements: watching threads, vacuum and close.
import type { LedgerStore, ThreadKey } from "../../ledger/store/contract.ts";
import { assertHolds } from "../conformance-case.ts";
import { createChanges, readStore, createFixture } from "./fixture.ts";
import { toTestId, logRow, messageRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertRejected, assertSame, writeTo } from "./store-test-context.ts";

/** Counts wakeups, and waits for one. */
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
    assertHolds(this.count > before, `${what} woke no watcher.`);
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
  assertHolds(ended.count === count, "A watch that was ended woke somebody.");
  stays.end();
}

async function vacuums(context: StoreTestContext): Promise<void> {
  const { tenant, store } = context;
  await context.write(...createFixture(tenant));
  await context.write(createChanges(tenant).deleteMessages);
  const before = await readStore(store, tenant);
  await store.vacuum();
  await assertSame(readStore(store, tenant), before, "vacuum changed what can be read.");
  await context.write((tx) => tx.insertMessages([messageRow(context.key, 30)]));
  assertHolds(
    (await context.reads.message(context.key, toTestId(30))) !== undefined,
    "The store goes on after vacuum.",
  );
}

function never(): never {
  throw new Error("Work was run on a closed store.");
}

/** Lists every method of a store. */
function waysIn(context: StoreTestContext): [name: string, attempt: () => unknown][] {
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
  for (const [name, attempt] of waysIn(context)) await assertRejected("closed", attempt, `${name} of a closed store.`);
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
  await assertSame((await other.reads.messages(key, { limit: 99 })).length, 8, "Writes under way when it closed.");
  await other.close();
  const fresh = await context.openAnother();
  await assertSame((await fresh.reads.messages(key, { limit: 99 })).length, 8, "After it was opened again.");
  await assertSame((await fresh.reads.threads(tenant, { limit: 9 })).length, 1, "The thread after that.");
}

export const LIFE_CLAIMS: readonly StoreRequirement[] = [
  ["watch wakes when a thread has new rows, whoever wrote them", wakes],
  ["a watch that was ended wakes nobody", stopsWaking],
  ["vacuum changes nothing that can be read", vacuums],
  ["close is idempotent, and everything then fails with closed", closes],
  ["close waits for writes under way", finishesBeforeClosing],
];
