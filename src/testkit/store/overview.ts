// Checks the reads of a store for thread lists (titles, counts, last activity) and for thread changes.
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

/** A creation time that is earlier than all other activity of the threads. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

async function givesTitles(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const titles = ["Delphi", null, "", "Ἀθῆναι", null, "Dodona"];
  for (const [at, title] of titles.entries()) {
    await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: toTestId(at) }, { title })));
  }
  const all = [5, 3, 2, 0].map((at) => ({ id: toTestId(at), title: titles[at] ?? null }));
  await assertSame(reads.titles(tenant, { limit: 99 }), all, "titles must list titled threads, newest id first.");
  await assertSame(reads.titles(tenant, { limit: 2 }), all.slice(0, 2), "titles with limit 2 must return two threads.");
  await assertSame(
    reads.titles(tenant, { limit: 2, before: toTestId(3) }),
    all.slice(2),
    "titles must list only threads with ids smaller than `before`.",
  );
  await context.write((tx) => tx.updateThread({ tenant, threadId: toTestId(5) }, { title: null }));
  await assertSame(reads.titles(tenant, { limit: 9 }), all.slice(1), "titles must not list a removed title.");
}

async function findsTitlesByTerm(context: StoreTestContext): Promise<void> {
  const { tenant, reads } = context;
  const titles = ["A voyage to CORINTH", "Corinthian columns", "Athens", "Κόρινθος", null, "100% corin_"];
  for (const [at, title] of titles.entries()) {
    await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: toTestId(at) }, { title })));
  }
  const ids = async (page: TitlesPage): Promise<string[]> => (await reads.titles(tenant, page)).map(({ id }) => id);
  const expectedIds = [5, 3, 1, 0].map(toTestId);
  await assertSame(
    ids({ term: "corin", limit: 9 }),
    expectedIds,
    "titles with a term must list the titles that contain the term, and the titles with letters other than ASCII.",
  );
  await assertSame(
    ids({ term: "corin", limit: 2, before: toTestId(5) }),
    [toTestId(3), toTestId(1)],
    "titles with a term must apply `limit`, and list only ids smaller than `before`.",
  );
  await assertSame(
    ids({ term: "zzz", limit: 9 }),
    [toTestId(3)],
    "titles must not list ASCII titles without the term.",
  );
}

/** Returns the range of a whole thread, with a request for its first user message. */
const whole = (threadId: string): MessageCountRange => ({ threadId, after: "", upTo: "~", first: true });

async function countsMessages(context: StoreTestContext): Promise<void> {
  const { key, other, tenant, reads } = context;
  const nothing = { messages: 0, firstUserBody: null };
  const { threadId } = key;
  await assertSame(reads.countMessages(tenant, []), [], "countMessages without a range must return an empty list.");
  await assertSame(
    reads.countMessages(tenant, [whole("gone")]),
    [{ threadId: "gone", ...nothing }],
    "countMessages must return 0 for a thread that does not exist.",
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
    "countMessages must return the number of messages of each thread, and its first user message.",
  );
  await assertSame(
    reads.countMessages(tenant, [{ threadId, after: toTestId(1), upTo: toTestId(3), first: false }]),
    [{ threadId, messages: 2, firstUserBody: null }],
    "countMessages must count the messages of the range, and return no user message if `first` is false.",
  );
  const third = { ...key, threadId: "thread-late" };
  const late = Array.from({ length: 17 }, (_, at) => messageRow(third, at + 1, { role: at < 16 ? "tool" : "user" }));
  await context.write((tx) => tx.insertMessages(late));
  await assertSame(
    reads.countMessages(tenant, [whole("thread-late")]),
    [{ threadId: "thread-late", ...nothing, messages: 17 }],
    "countMessages must not return a user message that comes after 16 other messages.",
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
  await assertSame(reads.runIds(key, "superseded"), ["a", "c"], "runIds must list superseded runs, oldest first.");
  await assertSame(reads.runIds(key, "committed"), ["b"], "runIds must list only the runs in the given state.");
  await assertSame(reads.runIds(key, "failed"), [], "runIds must return an empty list if no run is in the state.");
  const both = [key.threadId, other.threadId];
  await assertSame(sorted(reads.lastRuns(tenant, both, 9)), [a, b, c, d, e], "lastRuns must list runs of each thread.");
  await assertSame(sorted(reads.lastRuns(tenant, both, 2)), [b, c, d, e], "lastRuns must apply `limit` per thread.");
  const usages = (before: string, limit: number) =>
    sorted(
      reads.usages(
        tenant,
        both.map((threadId) => ({ threadId, before })),
        limit,
      ),
    );
  const shown = [a, b, c, d, e].map((row) => row && usageOf(row));
  await assertSame(usages("~", 9), shown, "usages must return the usage as it was written, and the state of runs.");
  await assertSame(usages("c", 1), [shown[1]], "usages must return the last run before the run `before`.");
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
  await assertSame(
    since(""),
    [b, c, e],
    "changedRuns must return each run with a change of state in the log once; deltas and journal entries do not count.",
  );
  await assertSame(since(toTestId(1)), [b, e], "changedRuns must return only runs that changed after `after`.");
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

/** Writes threads whose order by last activity differs from the order of their ids. */
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
  await assertSame(
    ids,
    IN_ORDER,
    "activeThreads must list the latest activity first: messages, changes of state and journal entries, not deltas.",
  );
  const [first] = all;
  await assertSame(first, { ...rows.get("noted"), lastActivity: toTestId(7) }, "activeThreads must return whole rows.");
  const seen: string[] = [];
  for (let before: { lastActivity: string; id: string } | undefined; ;) {
    const page = await store.activeThreads(tenant, before === undefined ? { limit: 2 } : { limit: 2, before });
    assertHolds(page.length <= 2, "activeThreads with limit 2 must return at most two threads.");
    seen.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || seen.length > IN_ORDER.length) break;
    before = { lastActivity: last.lastActivity, id: last.id };
  }
  await assertSame(seen, IN_ORDER, "activeThreads must list each thread once if it is read in pages.");
  const named = async (kind: string | null): Promise<string[]> =>
    (await store.activeThreads(tenant, { kind, limit: 9 })).map(({ id }) => id);
  await assertSame(named("task"), ["told", "ran"], "activeThreads must list only threads of the given kind.");
  await assertSame(named(null), ["noted", "tied", "quiet"], "activeThreads must list threads without a kind.");
  const begun = { lastActivity: toTestId(5), id: "told" };
  const below = await store.activeThreads(tenant, { kind: null, limit: 1, before: begun });
  await assertSame(
    below.map(({ id }) => id),
    ["tied"],
    "activeThreads must list threads without a kind that follow a thread of another kind.",
  );
}

async function updatesActivity(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  await writeActivity(context);
  const foreign = { store, tenant: `${tenant}-twin` };
  await writeActivity(foreign);
  const ids = async (): Promise<string[]> => (await store.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await assertSame(ids(), IN_ORDER, "activeThreads must list only threads of the tenant.");
  await context.write((tx) => tx.insertMessages([messageRow({ tenant, threadId: "ran" }, 8)]));
  await assertSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "A thread with new activity must be first.");
  await catchError(() =>
    context.write(
      (tx) => tx.insertMessages([messageRow({ tenant, threadId: "quiet" }, 9)]),
      () => {
        throw new StopError();
      },
    ),
  );
  await assertSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "A failed transaction must not be an activity.");
  await context.write((tx) => tx.deleteThread({ tenant, threadId: "noted" }));
  await assertSame(ids(), ["ran", "told", "tied", "quiet"], "activeThreads must not list a deleted thread.");
  await context.write((tx) => tx.insertThread(threadRow({ tenant, threadId: "made" })));
  await assertSame(ids(), ["made", "ran", "told", "tied", "quiet"], "The creation of a thread must count as activity.");
}

async function givesHeads(context: StoreTestContext): Promise<void> {
  const { store, tenant, reads } = context;
  const rows = await writeActivity(context);
  await writeActivity({ store, tenant: `${tenant}-twin` });
  const watchedKey = { tenant, threadId: "told" };
  const heads = async (...ids: string[]): Promise<ListedHead[]> =>
    (await store.heads(tenant, ids)).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const [ran, first] = await heads("told", "gone", "ran");
  await assertSame(heads("gone"), [], "heads must return an empty list for a thread that does not exist.");
  const expected = { ...(await reads.thread(watchedKey)), lastActivity: toTestId(5), purges: first?.purges };
  await assertSame(first, expected, "heads must return the thread with its last id and its last activity.");
  await assertSame(
    [ran?.lastId, ran?.lastActivity],
    [toTestId(9), toTestId(4)],
    "A delta must change the last id, but not the last activity of a thread.",
  );
  assertHolds(rows.has("told") && typeof first?.purges === "number", "heads must return `purges` as a number.");
  const purges: (number | undefined)[] = [first?.purges];
  for (const step of [
    (tx: LedgerTransaction) => tx.deleteMessages(watchedKey, [toTestId(2)]),
    (tx: LedgerTransaction) => tx.deleteRuns(watchedKey, ["run"]),
  ]) {
    await context.write(step);
    purges.push((await heads("told"))[0]?.purges);
  }
  assertHolds(new Set(purges).size === 3, "Each delete of messages or runs must change `purges`.", purges);
}

async function ordersForOthers(context: StoreTestContext): Promise<void> {
  const { tenant, store, wakeTimeoutMs } = context;
  const other = await context.openAnother();
  const ids = async (): Promise<string[]> => (await other.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await assertSame(ids(), [], "activeThreads must return an empty list if no thread exists.");
  await context.write((tx) => tx.insertThread(threadRow(context.key)));
  await assertSame(ids(), [context.key.threadId], "A thread must be listed as soon as any process has created it.");
  await context.write((tx) => tx.deleteThread(context.key));
  await writeActivity(context);
  if (other !== store) await store.close();
  const until = Date.now() + wakeTimeoutMs;
  while ((await ids()).join() !== IN_ORDER.join() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await assertSame(ids(), IN_ORDER, "activeThreads must include the activity of a process that has ended.");
}

/** Collects the thread changes that a store reports, and waits for them. */
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
  // The changes are in two threads, because late changes of one thread may be reported together.
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
    "watchThreads must report only committed changes of the tenant, and no deltas.",
  );
  await assertSame([...ended.received], [], "An ended watch must receive no report.");
}

export const OVERVIEW_CLAIMS: readonly StoreRequirement[] = [
  ["titles lists the threads with a title in pages, the newest id first", givesTitles],
  ["titles finds titles that contain a term, in upper or lower case, in pages", findsTitlesByTerm],
  ["countMessages counts the messages of threads, and finds the first user message", countsMessages],
  ["the last runs, the usage and the changed runs of many threads are read together", readsRunsOfThreads],
  ["activeThreads lists threads by latest activity, in pages and by kind", ordersByActivity],
  ["activeThreads includes new activity, but no other tenants and no deleted threads", updatesActivity],
  ["heads returns threads with their last id, their last activity and their number of deletions", givesHeads],
  ["activeThreads includes the activity of another process", ordersForOthers],
  ["watchThreads reports every change of a thread, by any process", reportsChanges],
  [
    "watchThreads reports no undone changes, no deltas, no other tenants, and nothing after its end",
    reportsOnlyChanges,
  ],
];
