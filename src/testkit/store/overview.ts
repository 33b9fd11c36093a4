// Store requirements: the reads of thread lists (titles, counts, last activity) and thread changes.
import type { ThreadChange } from "../../ledger/overview/types.ts";
import type { ListedHead, RunRow, RunUsage, MessageCountRange, ThreadRow } from "../../ledger/store/rows.ts";
import type { Awaitable } from "../../ledger/store/steps.ts";
import type { LedgerStore, LedgerTransaction, ThreadKey } from "../../ledger/store/contract.ts";
import type { TitlesPage } from "../../ledger/store/queries.ts";
import { assertHolds } from "../conformance-case.ts";
import { StopError } from "./fixture.ts";
import { endedRun, toTestId, logRow, messageRow, runRow, threadRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext, TransactionStep } from "./store-test-context.ts";
import { assertSame, catchError, writeTo } from "./store-test-context.ts";

/** A creation time before all activity. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

async function givesTitles(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const titles = ["Delphi", null, "", "Ἀθῆναι", null, "Dodona"];
  for (const [at, title] of titles.entries()) {
    await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: toTestId(at) }, { title })));
  }
  const all = [5, 3, 2, 0].map((at) => ({ id: toTestId(at), title: titles[at] ?? null }));
  await assertSame(reads.titles(tenant, { limit: 99 }), all, "Threads with a title, newest id first.");
  await assertSame(reads.titles(tenant, { limit: 2 }), all.slice(0, 2), "Two of them.");
  await assertSame(reads.titles(tenant, { limit: 2, before: toTestId(3) }), all.slice(2), "Those before one.");
  await context.write((tx) => tx.updateThread({ tenant, threadId: toTestId(5) }, { title: null }));
  await assertSame(reads.titles(tenant, { limit: 9 }), all.slice(1), "A title that was removed.");
}

async function findsTitlesByTerm(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const titles = ["A voyage to CORINTH", "Corinthian columns", "Athens", "Κόρινθος", null, "100% corin_"];
  for (const [at, title] of titles.entries()) {
    await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: toTestId(at) }, { title })));
  }
  const ids = async (page: TitlesPage): Promise<string[]> => (await reads.titles(tenant, page)).map(({ id }) => id);
  const expectedIds = [5, 3, 1, 0].map(toTestId);
  await assertSame(ids({ term: "corin", limit: 9 }), expectedIds, "Those that hold it, and those with other letters.");
  await assertSame(ids({ term: "corin", limit: 2, before: toTestId(5) }), [toTestId(3), toTestId(1)], "Two of them.");
  await assertSame(ids({ term: "zzz", limit: 9 }), [toTestId(3)], "A word that is in none.");
}

/** The range of a whole thread, with its first user message. */
const whole = (threadId: string): MessageCountRange => ({ threadId, after: "", upTo: "~", first: true });

async function countsMessages(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const nothing = { messages: 0, firstUserBody: null };
  const { threadId } = key;
  await assertSame(reads.countMessages(tenant, []), [], "No thread at all.");
  await assertSame(
    reads.countMessages(tenant, [whole("gone")]),
    [{ threadId: "gone", ...nothing }],
    "One that is not there.",
  );
  const roles = ["system", "assistant", "user", "user"];
  await context.write(
    (tx) => tx.insertMessages(roles.map((role, at) => messageRow(key, at + 1, { role }))),
    (tx) => tx.insertMessages([messageRow(other, 1), messageRow(other, 2)]),
  );
  const both = await reads.countMessages(tenant, [whole(threadId), whole(other.threadId)]);
  await assertSame(
    both.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1)),
    [
      { threadId, messages: 4, firstUserBody: messageRow(key, 3).body },
      { threadId: other.threadId, messages: 2, firstUserBody: messageRow(other, 1).body },
    ],
    "The messages of each, and the first that a user said.",
  );
  await assertSame(
    reads.countMessages(tenant, [{ threadId, after: toTestId(1), upTo: toTestId(3), first: false }]),
    [{ threadId, messages: 2, firstUserBody: null }],
    "Those after one and up to another, without the first.",
  );
  const third = { ...key, threadId: "thread-late" };
  const late = Array.from({ length: 17 }, (_, at) => messageRow(third, at + 1, { role: at < 16 ? "tool" : "user" }));
  await context.write((tx) => tx.insertMessages(late));
  await assertSame(
    reads.countMessages(tenant, [whole("thread-late")]),
    [{ threadId: "thread-late", ...nothing, messages: 17 }],
    "One that comes after 16 others is not looked for.",
  );
}

async function readsRunsOfThreads(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const rows = [
    endedRun(key, "c", 5, { state: "superseded", usage: '{"inputTokens":1}' }),
    endedRun(key, "a", 5, { state: "superseded" }),
    endedRun(key, "b", 5, { usage: '{"inputTokens": 20}' }),
    endedRun(other, "d", 5, { state: "superseded", usage: "{}" }),
    runRow(other, "e", { state: "streaming" }),
  ];
  for (const row of rows) await context.write((tx) => tx.insertRun(row));
  const [c, a, b, d, e] = rows;
  await assertSame(reads.runIds(key, "superseded"), ["a", "c"], "Runs in a state, oldest first.");
  await assertSame(reads.runIds(key, "committed"), ["b"], "Runs in another state.");
  await assertSame(reads.runIds(key, "failed"), [], "A state that no run is in.");
  const both = [key.threadId, other.threadId];
  await assertSame(sorted(reads.lastRuns(tenant, both, 9)), [a, b, c, d, e], "The runs of each thread.");
  await assertSame(sorted(reads.lastRuns(tenant, both, 2)), [b, c, d, e], "The last two of each.");
  const usages = (before: string, limit: number) =>
    sorted(
      reads.usages(
        tenant,
        both.map((threadId) => ({ threadId, before })),
        limit,
      ),
    );
  const shown = [a, b, c, d, e].map((row) => row && usageOf(row));
  await assertSame(usages("~", 9), shown, "What runs cost, as it was written, and the state they are in.");
  await assertSame(usages("c", 1), [shown[1]], "The last before a run.");
  await context.write((tx) =>
    tx.insertLog([
      logRow(key, 1, { kind: "run", runId: "c" }),
      logRow(key, 2, { kind: "run", runId: "b" }),
      logRow(key, 3, { kind: "run", runId: "b" }),
      logRow(key, 4, { kind: "delta", runId: "a" }),
      logRow(key, 5, { kind: "entry", runId: "" }),
      logRow(other, 6, { kind: "run", runId: "e" }),
    ]),
  );
  const since = (after: string) =>
    sorted(
      reads.changedRuns(
        tenant,
        both.map((threadId) => ({ threadId, after })),
      ),
    );
  await assertSame(since(""), [b, c, e], "Runs of which the log tells, each once; deltas and entries are none.");
  await assertSame(since(toTestId(1)), [b, e], "Those after a place.");
}

function usageOf({ threadId, id, state, usage }: RunRow): RunUsage {
  return { threadId, id, state, usage };
}

async function sorted<Row extends { id: string }>(rows: Awaitable<Row[]>): Promise<Row[]> {
  return (await rows).toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

const PLACES: readonly [threadId: string, row: (key: ThreadKey) => TransactionStep][] = [
  ["quiet", () => () => undefined],
  ["told", (key) => (tx) => tx.insertMessages([messageRow(key, 2), messageRow(key, 5)])],
  ["ran", (key) => (tx) => tx.insertLog([logRow(key, 4, { kind: "run" }), logRow(key, 9)])],
  ["noted", (key) => (tx) => tx.insertLog([logRow(key, 7, { kind: "entry", runId: "" })])],
  ["tied", (key) => (tx) => tx.insertMessages([messageRow(key, 5)])],
];
const IN_ORDER = ["noted", "told", "tied", "ran", "quiet"];

/** Writes threads with activity in another order than that of their ids. */
async function writeActivity({
  store,
  tenant,
}: Pick<StoreTestContext, "store" | "tenant">): Promise<Map<string, ThreadRow>> {
  const rows = new Map<string, ThreadRow>();
  for (const [threadId, step] of PLACES) {
    const kind = threadId === "ran" || threadId === "told" ? "task" : null;
    const row = threadRow({ tenant, threadId }, { createdAt: LONG_AGO, kind });
    rows.set(threadId, row);
    await writeTo(store, (tx) => tx.insertThread(row), step({ tenant, threadId }));
  }
  return rows;
}

async function ordersByActivity(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  const rows = await writeActivity(context);
  const all = await store.activeThreads(tenant, { limit: 99 });
  const ids = all.map(({ id }) => id);
  await assertSame(ids, IN_ORDER, "What happened last first: messages, changes of state and entries, no deltas.");
  const [first] = all;
  await assertSame(first, { ...rows.get("noted"), lastActivity: toTestId(7) }, "The whole row, and when that was.");
  const seen: string[] = [];
  for (let before: { lastActivity: string; id: string } | undefined; ;) {
    const page = await store.activeThreads(tenant, before === undefined ? { limit: 2 } : { limit: 2, before });
    assertHolds(page.length <= 2, "Two were asked for.");
    seen.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || seen.length > IN_ORDER.length) break;
    before = { lastActivity: last.lastActivity, id: last.id };
  }
  await assertSame(seen, IN_ORDER, "A page at a time, each once.");
  const named = async (kind: string | null): Promise<string[]> =>
    (await store.activeThreads(tenant, { kind, limit: 9 })).map(({ id }) => id);
  await assertSame(named("task"), ["told", "ran"], "Those of a kind.");
  await assertSame(named(null), ["noted", "tied", "quiet"], "Those of none.");
  const begun = { lastActivity: toTestId(5), id: "told" };
  const below = await store.activeThreads(tenant, { kind: null, limit: 1, before: begun });
  await assertSame(
    below.map(({ id }) => id),
    ["tied"],
    "One of none, after another.",
  );
}

async function updatesActivity(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  await writeActivity(context);
  const foreign = { store, tenant: `${tenant}-twin` };
  await writeActivity(foreign);
  const ids = async (): Promise<string[]> => (await store.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await assertSame(ids(), IN_ORDER, "Threads of the tenant alone.");
  await context.write((tx) => tx.insertMessages([messageRow({ tenant, threadId: "ran" }, 8)]));
  await assertSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "A thread that goes on comes first at once.");
  await catchError(() =>
    context.write(
      (tx) => tx.insertMessages([messageRow({ tenant, threadId: "quiet" }, 9)]),
      () => {
        throw new StopError();
      },
    ),
  );
  await assertSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "What was undone did not happen.");
  await context.write((tx) => tx.deleteThread({ tenant, threadId: "noted" }));
  await assertSame(ids(), ["ran", "told", "tied", "quiet"], "A thread that was deleted is gone.");
  await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: "made" })));
  await assertSame(ids(), ["made", "ran", "told", "tied", "quiet"], "A new thread happened when it was made.");
}

async function givesHeads(context: StoreTestContext): Promise<void> {
  const { store, tenant, reads } = context;
  const rows = await writeActivity(context);
  await writeActivity({ store, tenant: `${tenant}-twin` });
  const watchedKey = { tenant, threadId: "told" };
  const heads = async (...ids: string[]): Promise<ListedHead[]> =>
    (await store.heads(tenant, ids)).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const [ran, first] = await heads("told", "gone", "ran");
  await assertSame(heads("gone"), [], "A thread that is not there.");
  const expected = { ...(await reads.thread(watchedKey)), lastActivity: toTestId(5), purges: first?.purges };
  await assertSame(first, expected, "A thread, where it ends, and when something last happened in it.");
  await assertSame(
    [ran?.lastId, ran?.lastActivity],
    [toTestId(9), toTestId(4)],
    "A delta is where it ends, and not what happened last.",
  );
  assertHolds(rows.has("told") && typeof first?.purges === "number", "The number of purges is a number.");
  const purges: (number | undefined)[] = [first?.purges];
  for (const step of [
    (tx: LedgerTransaction) => tx.deleteMessages(watchedKey, [toTestId(2)]),
    (tx: LedgerTransaction) => tx.deleteRuns(watchedKey, ["run"]),
  ]) {
    await context.write(step);
    purges.push((await heads("told"))[0]?.purges);
  }
  assertHolds(new Set(purges).size === 3, "Deleting rows of a thread counts, each time.", purges);
}

async function ordersForOthers(context: StoreTestContext): Promise<void> {
  const { tenant, store, wakeTimeoutMs } = context;
  const other = await context.openAnother();
  const ids = async (): Promise<string[]> => (await other.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await assertSame(ids(), [], "Nothing has happened yet.");
  await context.write((tx) => tx.insertThread(threadRow(context.key)));
  await assertSame(ids(), [context.key.threadId], "A thread is listed as soon as it is there, whoever made it.");
  await context.write((tx) => tx.deleteThread(context.key));
  await writeActivity(context);
  if (other !== store) await store.close();
  const until = Date.now() + wakeTimeoutMs;
  while ((await ids()).join() !== IN_ORDER.join() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await assertSame(ids(), IN_ORDER, "What another process did before it ended.");
}

/** Collects thread changes, and waits for them. */
class ChangeListener {
  readonly received = new Set<string>();
  readonly #wakeTimeoutMs: number;
  #onChange: () => void = () => undefined;

  constructor(wakeTimeoutMs: number) {
    this.#wakeTimeoutMs = wakeTimeoutMs;
  }

  readonly notify = (changes: readonly ThreadChange[]): void => {
    for (const { threadId, change } of changes) this.received.add(`${change} ${threadId}`);
    this.#onChange();
  };

  async waitFor(what: string): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      const look = (): void => void (this.received.has(what) && resolve());
      this.#onChange = look;
      timer = setTimeout(resolve, this.#wakeTimeoutMs);
      look();
    });
    clearTimeout(timer);
    assertHolds(this.received.has(what), `The change was not reported: ${what}.`, [...this.received].join(", "));
  }
}

function createChangeSteps(key: ThreadKey): [what: string, step: TransactionStep][] {
  const { threadId } = key;
  return [
    [`created ${threadId}`, (tx) => tx.insertThread(threadRow(key))],
    [`activity ${threadId}`, (tx) => tx.insertMessages([messageRow(key, 1)])],
    [`selected ${threadId}`, (tx) => tx.updateThread(key, { pinned: true, leafId: toTestId(1) })],
    [`updated ${threadId}`, (tx) => tx.updateThread(key, { title: "Delphi" })],
    [`deleted ${threadId}`, (tx) => tx.deleteThread(key)],
  ];
}

async function reportsChanges(context: StoreTestContext): Promise<void> {
  const { tenant, store, wakeTimeoutMs } = context;
  const readers: LedgerStore[] = [store, await context.openAnother()];
  const listeners = readers.map(() => new ChangeListener(wakeTimeoutMs));
  const ends = await Promise.all(
    readers.map((reader, at) => reader.watchThreads(tenant, createCallback(listeners[at]))),
  );
  // Each in its own thread: late changes may be reported together.
  for (const key of [context.key, context.other]) {
    for (const [what, step] of createChangeSteps(key)) {
      await context.write(step);
      await listeners[0]?.waitFor(what);
    }
  }
  for (const [what] of [...createChangeSteps(context.key), ...createChangeSteps(context.other)])
    await listeners[1]?.waitFor(what);
  for (const end of ends) end();
}

const createCallback =
  (listener: ChangeListener | undefined): ChangeListener["notify"] =>
  (changes) =>
    listener?.notify(changes);

async function reportsOnlyChanges(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, store, wakeTimeoutMs } = context;
  await context.write((tx) => tx.insertThread(threadRow(key)));
  const [ended, stays] = [new ChangeListener(wakeTimeoutMs), new ChangeListener(wakeTimeoutMs)];
  const end = await store.watchThreads(tenant, ended.notify);
  const stay = await store.watchThreads(tenant, stays.notify);
  end();
  end();
  await catchError(() =>
    context.write(
      (tx) => tx.deleteThread(key),
      () => {
        throw new StopError();
      },
    ),
  );
  const foreign = { tenant: `${tenant}-twin`, threadId: "thread-foreign" };
  await writeTo(store, (tx) => tx.insertThread(threadRow(foreign)));
  await context.write((tx) => tx.insertLog([logRow(key, 1)]));
  await context.write((tx) => tx.insertThread(threadRow(other)));
  await stays.waitFor(`created ${other.threadId}`);
  stay();
  await assertSame(
    [...stays.received],
    [`created ${other.threadId}`],
    "Nothing but what happened is told, and no deltas.",
  );
  await assertSame([...ended.received], [], "A watch that was ended is told nothing.");
}

export const OVERVIEW_CLAIMS: readonly StoreRequirement[] = [
  ["titles gives threads that have a title, newest id first, in pages", givesTitles],
  ["titles that hold a word are found whatever their case, in pages", findsTitlesByTerm],
  ["countMessages counts the messages of threads, and finds what a user said first", countsMessages],
  ["runs of many threads are told together: the last, what they cost, and which changed", readsRunsOfThreads],
  ["activeThreads gives what happened last first, in pages and by kind", ordersByActivity],
  ["activeThreads is up to date, keeps to the tenant, and leaves out what is gone", updatesActivity],
  ["heads gives threads with where they end, what happened last, and whether something was deleted", givesHeads],
  ["activeThreads knows what another process did", ordersForOthers],
  ["watchThreads tells what happens to threads, whoever did it", reportsChanges],
  ["watchThreads tells nothing that did not happen, nothing of others, and nothing after its end", reportsOnlyChanges],
];
