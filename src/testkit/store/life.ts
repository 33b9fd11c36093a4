// A store's own life: watching for news, giving room back, closing.
import type { LedgerStore, ThreadKey } from "../../ledger/store.ts";
import { demand } from "../demand.ts";
import { changes, everythingNow, household } from "./fixture.ts";
import { idOf, logRow, messageRow, threadRow } from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandRefusal, demandSame, writeTo } from "./stage.ts";

/** Counts wake-ups, and waits for one. */
class Watcher {
  count = 0;
  readonly end: () => void;
  readonly #patienceMs: number;
  #heard: () => void = () => undefined;

  constructor(store: LedgerStore, { key, patienceMs }: Stage) {
    this.#patienceMs = patienceMs;
    this.end = store.watch(key, () => {
      this.count++;
      this.#heard();
    });
  }

  async hears(what: string, action: () => Promise<unknown>): Promise<void> {
    const before = this.count;
    await action();
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#heard = resolve;
      timer = setTimeout(resolve, this.#patienceMs);
      if (this.count > before) resolve();
    });
    clearTimeout(timer);
    demand(this.count > before, `${what} woke nobody.`);
  }
}

const NEWS: readonly [what: string, step: (key: ThreadKey) => Step][] = [
  ["A message", (key) => (tx) => tx.insertMessages([messageRow(key, 1)])],
  ["A batch of deltas", (key) => (tx) => tx.insertLog([logRow(key, 2)])],
  ["A change of state", (key) => (tx) => tx.insertLog([logRow(key, 3, { kind: "run" })])],
  ["Another message", (key) => (tx) => tx.insertMessages([messageRow(key, 4)])],
];

async function wakes(stage: Stage): Promise<void> {
  const { key } = stage;
  const [writer, reader] = [stage.store, await stage.another()];
  await stage.write((tx) => tx.insertThread(threadRow(key)));
  const watchers = [new Watcher(writer, stage), new Watcher(reader, stage)];
  for (const [what, step] of NEWS) {
    const [own, others] = watchers;
    await others?.hears(`${what}, seen by another reader,`, async () =>
      own?.hears(what, () => writeTo(writer, step(key))),
    );
  }
  for (const watcher of watchers) watcher.end();
}

async function stopsWaking(stage: Stage): Promise<void> {
  const { key, store } = stage;
  await stage.write((tx) => tx.insertThread(threadRow(key)));
  const [ended, stays] = [new Watcher(store, stage), new Watcher(store, stage)];
  await ended.hears("A message", () => stage.write((tx) => tx.insertMessages([messageRow(key, 1)])));
  ended.end();
  ended.end();
  const { count } = ended;
  await stays.hears("A second message", () => stage.write((tx) => tx.insertMessages([messageRow(key, 2)])));
  await new Promise((resolve) => setTimeout(resolve, 10));
  demand(ended.count === count, "A watch that was ended woke somebody.");
  stays.end();
}

async function vacuums(stage: Stage): Promise<void> {
  const { tenant, store } = stage;
  await stage.write(...household(tenant));
  await stage.write(changes(tenant).deleteMessages);
  const before = await everythingNow(store, tenant);
  await store.vacuum();
  await demandSame(everythingNow(store, tenant), before, "vacuum changed what can be read.");
  await stage.write((tx) => tx.insertMessages([messageRow(stage.key, 30)]));
  demand((await stage.reads.message(stage.key, idOf(30))) !== undefined, "The store goes on after vacuum.");
}

function never(): never {
  throw new Error("Work was run on a closed store.");
}

/** Every way into a store. */
function waysIn(stage: Stage): [name: string, attempt: () => unknown][] {
  const { store, key, tenant, reads } = stage;
  return [
    ["thread", () => reads.thread(key)],
    ["threads", () => reads.threads(tenant, { limit: 1 })],
    ["titles", () => reads.titles(tenant, { limit: 1 })],
    ["tallies", () => reads.tallies(tenant, [{ threadId: key.threadId, after: "", upTo: "~", first: true }])],
    ["message", () => reads.message(key, idOf(1))],
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

async function closes(stage: Stage): Promise<void> {
  await stage.write(...household(stage.tenant));
  await stage.store.close();
  await stage.store.close();
  for (const [name, attempt] of waysIn(stage)) await demandRefusal("closed", attempt, `${name} of a closed store.`);
}

async function finishesBeforeClosing(stage: Stage): Promise<void> {
  const { key, store, tenant } = stage;
  await stage.write((tx) => tx.insertThread(threadRow(key)));
  const other = await stage.another();
  const writes = Array.from({ length: 8 }, (_, at) =>
    writeTo(store, (tx) => tx.insertMessages([messageRow(key, at + 1)])),
  );
  const twice = [store.close(), store.close()];
  await Promise.all([...writes, ...twice]);
  if (other === store) return;
  await demandSame((await other.reads.messages(key, { limit: 99 })).length, 8, "Writes under way when it closed.");
  await other.close();
  const fresh = await stage.another();
  await demandSame((await fresh.reads.messages(key, { limit: 99 })).length, 8, "After it was opened again.");
  await demandSame((await fresh.reads.threads(tenant, { limit: 9 })).length, 1, "The thread after that.");
}

export const LIFE_CLAIMS: readonly Claim[] = [
  ["watch wakes when a thread has new rows, whoever wrote them", wakes],
  ["a watch that was ended wakes nobody", stopsWaking],
  ["vacuum changes nothing that can be read", vacuums],
  ["close is idempotent, and everything then fails with closed", closes],
  ["close waits for writes under way", finishesBeforeClosing],
];
