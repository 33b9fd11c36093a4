// What lists of threads are made of: titles, tallies, what happened last, and being told of what happens.
import type { ThreadChange } from "../../ledger/overview/types.ts";
import type { ListedHead, RunRow, RunUsage, MessageCountRange, ThreadRow } from "../../ledger/rows.ts";
import type { Awaitable } from "../../ledger/steps.ts";
import type { LedgerStore, LedgerTransaction, ThreadKey, TitlesPage } from "../../ledger/store.ts";
import { demand } from "../demand.ts";
import { Stop } from "./fixture.ts";
import { endedRun, idOf, logRow, messageRow, runRow, threadRow } from "./rows.ts";
import type { Claim, Stage, Step } from "./stage.ts";
import { demandSame, thrownBy, writeTo } from "./stage.ts";

/** So long ago that everything that happens is after it. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

async function givesTitles(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const titles = ["Delphi", null, "", "Ἀθῆναι", null, "Dodona"];
  for (const [at, title] of titles.entries()) {
    await stage.write((tx) => tx.insertThread(threadRow({ tenant, threadId: idOf(at) }, { title })));
  }
  const all = [5, 3, 2, 0].map((at) => ({ id: idOf(at), title: titles[at] ?? null }));
  await demandSame(reads.titles(tenant, { limit: 99 }), all, "Threads with a title, newest id first.");
  await demandSame(reads.titles(tenant, { limit: 2 }), all.slice(0, 2), "Two of them.");
  await demandSame(reads.titles(tenant, { limit: 2, before: idOf(3) }), all.slice(2), "Those before one.");
  await stage.write((tx) => tx.updateThread({ tenant, threadId: idOf(5) }, { title: null }));
  await demandSame(reads.titles(tenant, { limit: 9 }), all.slice(1), "A title that was removed.");
}

async function titlesWithAWord(stage: Stage): Promise<void> {
  const { tenant, reads } = stage;
  const titles = ["A voyage to CORINTH", "Corinthian columns", "Athens", "Κόρινθος", null, "100% corin_"];
  for (const [at, title] of titles.entries()) {
    await stage.write((tx) => tx.insertThread(threadRow({ tenant, threadId: idOf(at) }, { title })));
  }
  const ids = async (page: TitlesPage): Promise<string[]> => (await reads.titles(tenant, page)).map(({ id }) => id);
  const found = [5, 3, 1, 0].map(idOf);
  await demandSame(ids({ word: "corin", limit: 9 }), found, "Those that hold it, and those with other letters.");
  await demandSame(ids({ word: "corin", limit: 2, before: idOf(5) }), [idOf(3), idOf(1)], "Two of them.");
  await demandSame(ids({ word: "zzz", limit: 9 }), [idOf(3)], "A word that is in none.");
}

/** A whole thread, and what a user said first. */
const whole = (threadId: string): MessageCountRange => ({ threadId, after: "", upTo: "~", first: true });

async function tallies(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const nothing = { messages: 0, firstUserBody: null };
  const { threadId } = key;
  await demandSame(reads.tallies(tenant, []), [], "No thread at all.");
  await demandSame(
    reads.tallies(tenant, [whole("gone")]),
    [{ threadId: "gone", ...nothing }],
    "One that is not there.",
  );
  const roles = ["system", "assistant", "user", "user"];
  await stage.write(
    (tx) => tx.insertMessages(roles.map((role, at) => messageRow(key, at + 1, { role }))),
    (tx) => tx.insertMessages([messageRow(other, 1), messageRow(other, 2)]),
  );
  const both = await reads.tallies(tenant, [whole(threadId), whole(other.threadId)]);
  await demandSame(
    both.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1)),
    [
      { threadId, messages: 4, firstUserBody: messageRow(key, 3).body },
      { threadId: other.threadId, messages: 2, firstUserBody: messageRow(other, 1).body },
    ],
    "The messages of each, and the first that a user said.",
  );
  await demandSame(
    reads.tallies(tenant, [{ threadId, after: idOf(1), upTo: idOf(3), first: false }]),
    [{ threadId, messages: 2, firstUserBody: null }],
    "Those after one and up to another, without the first.",
  );
  const third = { ...key, threadId: "thread-late" };
  const late = Array.from({ length: 17 }, (_, at) => messageRow(third, at + 1, { role: at < 16 ? "tool" : "user" }));
  await stage.write((tx) => tx.insertMessages(late));
  await demandSame(
    reads.tallies(tenant, [whole("thread-late")]),
    [{ threadId: "thread-late", ...nothing, messages: 17 }],
    "One that comes after 16 others is not looked for.",
  );
}

async function tellsOfRuns(stage: Stage): Promise<void> {
  const { key, other, tenant, reads } = stage;
  const rows = [
    endedRun(key, "c", 5, { state: "superseded", usage: '{"inputTokens":1}' }),
    endedRun(key, "a", 5, { state: "superseded" }),
    endedRun(key, "b", 5, { usage: '{"inputTokens": 20}' }),
    endedRun(other, "d", 5, { state: "superseded", usage: "{}" }),
    runRow(other, "e", { state: "streaming" }),
  ];
  for (const row of rows) await stage.write((tx) => tx.insertRun(row));
  const [c, a, b, d, e] = rows;
  await demandSame(reads.runIds(key, "superseded"), ["a", "c"], "Runs in a state, oldest first.");
  await demandSame(reads.runIds(key, "committed"), ["b"], "Runs in another state.");
  await demandSame(reads.runIds(key, "failed"), [], "A state that no run is in.");
  const both = [key.threadId, other.threadId];
  await demandSame(sorted(reads.lastRuns(tenant, both, 9)), [a, b, c, d, e], "The runs of each thread.");
  await demandSame(sorted(reads.lastRuns(tenant, both, 2)), [b, c, d, e], "The last two of each.");
  const usages = (before: string, limit: number) =>
    sorted(
      reads.usages(
        tenant,
        both.map((threadId) => ({ threadId, before })),
        limit,
      ),
    );
  const shown = [a, b, c, d, e].map((row) => row && usageOf(row));
  await demandSame(usages("~", 9), shown, "What runs cost, as it was written, and the state they are in.");
  await demandSame(usages("c", 1), [shown[1]], "The last before a run.");
  await stage.write((tx) =>
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
  await demandSame(since(""), [b, c, e], "Runs of which the log tells, each once; deltas and entries are none.");
  await demandSame(since(idOf(1)), [b, e], "Those after a place.");
}

function usageOf({ threadId, id, state, usage }: RunRow): RunUsage {
  return { threadId, id, state, usage };
}

async function sorted<Row extends { id: string }>(rows: Awaitable<Row[]>): Promise<Row[]> {
  return (await rows).toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

const PLACES: readonly [threadId: string, row: (key: ThreadKey) => Step][] = [
  ["quiet", () => () => undefined],
  ["told", (key) => (tx) => tx.insertMessages([messageRow(key, 2), messageRow(key, 5)])],
  ["ran", (key) => (tx) => tx.insertLog([logRow(key, 4, { kind: "run" }), logRow(key, 9)])],
  ["noted", (key) => (tx) => tx.insertLog([logRow(key, 7, { kind: "entry", runId: "" })])],
  ["tied", (key) => (tx) => tx.insertMessages([messageRow(key, 5)])],
];
const IN_ORDER = ["noted", "told", "tied", "ran", "quiet"];

/** Threads in which something happened, in another order than theirs. */
async function happenings({ store, tenant }: Pick<Stage, "store" | "tenant">): Promise<Map<string, ThreadRow>> {
  const rows = new Map<string, ThreadRow>();
  for (const [threadId, step] of PLACES) {
    const kind = threadId === "ran" || threadId === "told" ? "task" : null;
    const row = threadRow({ tenant, threadId }, { createdAt: LONG_AGO, kind });
    rows.set(threadId, row);
    await writeTo(store, (tx) => tx.insertThread(row), step({ tenant, threadId }));
  }
  return rows;
}

async function ordersByActivity(stage: Stage): Promise<void> {
  const { store, tenant } = stage;
  const rows = await happenings(stage);
  const all = await store.activeThreads(tenant, { limit: 99 });
  const ids = all.map(({ id }) => id);
  await demandSame(ids, IN_ORDER, "What happened last first: messages, changes of state and entries, no deltas.");
  const [first] = all;
  await demandSame(first, { ...rows.get("noted"), lastActivity: idOf(7) }, "The whole row, and when that was.");
  const seen: string[] = [];
  for (let before: { lastActivity: string; id: string } | undefined; ;) {
    const page = await store.activeThreads(tenant, before === undefined ? { limit: 2 } : { limit: 2, before });
    demand(page.length <= 2, "Two were asked for.");
    seen.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || seen.length > IN_ORDER.length) break;
    before = { lastActivity: last.lastActivity, id: last.id };
  }
  await demandSame(seen, IN_ORDER, "A page at a time, each once.");
  const named = async (kind: string | null): Promise<string[]> =>
    (await store.activeThreads(tenant, { kind, limit: 9 })).map(({ id }) => id);
  await demandSame(named("task"), ["told", "ran"], "Those of a kind.");
  await demandSame(named(null), ["noted", "tied", "quiet"], "Those of none.");
  const begun = { lastActivity: idOf(5), id: "told" };
  const below = await store.activeThreads(tenant, { kind: null, limit: 1, before: begun });
  await demandSame(
    below.map(({ id }) => id),
    ["tied"],
    "One of none, after another.",
  );
}

async function keepsActivityUpToDate(stage: Stage): Promise<void> {
  const { store, tenant } = stage;
  await happenings(stage);
  const foreign = { store, tenant: `${tenant}-twin` };
  await happenings(foreign);
  const ids = async (): Promise<string[]> => (await store.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await demandSame(ids(), IN_ORDER, "Threads of the tenant alone.");
  await stage.write((tx) => tx.insertMessages([messageRow({ tenant, threadId: "ran" }, 8)]));
  await demandSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "A thread that goes on comes first at once.");
  await thrownBy(() =>
    stage.write(
      (tx) => tx.insertMessages([messageRow({ tenant, threadId: "quiet" }, 9)]),
      () => {
        throw new Stop();
      },
    ),
  );
  await demandSame(ids(), ["ran", "noted", "told", "tied", "quiet"], "What was undone did not happen.");
  await stage.write((tx) => tx.deleteThread({ tenant, threadId: "noted" }));
  await demandSame(ids(), ["ran", "told", "tied", "quiet"], "A thread that was deleted is gone.");
  await stage.write((tx) => tx.insertThread(threadRow({ tenant, threadId: "made" })));
  await demandSame(ids(), ["made", "ran", "told", "tied", "quiet"], "A new thread happened when it was made.");
}

async function givesHeads(stage: Stage): Promise<void> {
  const { store, tenant, reads } = stage;
  const rows = await happenings(stage);
  await happenings({ store, tenant: `${tenant}-twin` });
  const told = { tenant, threadId: "told" };
  const heads = async (...ids: string[]): Promise<ListedHead[]> =>
    (await store.heads(tenant, ids)).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const [ran, first] = await heads("told", "gone", "ran");
  await demandSame(heads("gone"), [], "A thread that is not there.");
  const expected = { ...(await reads.thread(told)), lastActivity: idOf(5), purges: first?.purges };
  await demandSame(first, expected, "A thread, where it ends, and when something last happened in it.");
  await demandSame(
    [ran?.lastId, ran?.lastActivity],
    [idOf(9), idOf(4)],
    "A delta is where it ends, and not what happened last.",
  );
  demand(rows.has("told") && typeof first?.purges === "number", "The number of purges is a number.");
  const purges: (number | undefined)[] = [first?.purges];
  for (const step of [
    (tx: LedgerTransaction) => tx.deleteMessages(told, [idOf(2)]),
    (tx: LedgerTransaction) => tx.deleteRuns(told, ["run"]),
  ]) {
    await stage.write(step);
    purges.push((await heads("told"))[0]?.purges);
  }
  demand(new Set(purges).size === 3, "Deleting rows of a thread counts, each time.", purges);
}

async function ordersForOthers(stage: Stage): Promise<void> {
  const { tenant, store, patienceMs } = stage;
  const other = await stage.another();
  const ids = async (): Promise<string[]> => (await other.activeThreads(tenant, { limit: 9 })).map(({ id }) => id);
  await demandSame(ids(), [], "Nothing has happened yet.");
  await stage.write((tx) => tx.insertThread(threadRow(stage.key)));
  await demandSame(ids(), [stage.key.threadId], "A thread is listed as soon as it is there, whoever made it.");
  await stage.write((tx) => tx.deleteThread(stage.key));
  await happenings(stage);
  if (other !== store) await store.close();
  const until = Date.now() + patienceMs;
  while ((await ids()).join() !== IN_ORDER.join() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await demandSame(ids(), IN_ORDER, "What another process did before it ended.");
}

/** Hears what is told, and waits for it. */
class Listener {
  readonly heard = new Set<string>();
  readonly #patienceMs: number;
  #told: () => void = () => undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  readonly tell = (changes: readonly ThreadChange[]): void => {
    for (const { threadId, change } of changes) this.heard.add(`${change} ${threadId}`);
    this.#told();
  };

  async hears(what: string): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      const look = (): void => void (this.heard.has(what) && resolve());
      this.#told = look;
      timer = setTimeout(resolve, this.#patienceMs);
      look();
    });
    clearTimeout(timer);
    demand(this.heard.has(what), `Nobody was told: ${what}.`, [...this.heard].join(", "));
  }
}

function happens(key: ThreadKey): [what: string, step: Step][] {
  const { threadId } = key;
  return [
    [`created ${threadId}`, (tx) => tx.insertThread(threadRow(key))],
    [`activity ${threadId}`, (tx) => tx.insertMessages([messageRow(key, 1)])],
    [`selected ${threadId}`, (tx) => tx.updateThread(key, { pinned: true, leafId: idOf(1) })],
    [`updated ${threadId}`, (tx) => tx.updateThread(key, { title: "Delphi" })],
    [`deleted ${threadId}`, (tx) => tx.deleteThread(key)],
  ];
}

async function tells(stage: Stage): Promise<void> {
  const { tenant, store, patienceMs } = stage;
  const readers: LedgerStore[] = [store, await stage.another()];
  const listeners = readers.map(() => new Listener(patienceMs));
  const ends = await Promise.all(readers.map((reader, at) => reader.watchThreads(tenant, told(listeners[at]))));
  // Each in a thread of its own: what is told late may be told together.
  for (const key of [stage.key, stage.other]) {
    for (const [what, step] of happens(key)) {
      await stage.write(step);
      await listeners[0]?.hears(what);
    }
  }
  for (const [what] of [...happens(stage.key), ...happens(stage.other)]) await listeners[1]?.hears(what);
  for (const end of ends) end();
}

const told =
  (listener: Listener | undefined): Listener["tell"] =>
  (changes) =>
    listener?.tell(changes);

async function tellsWhatIsSo(stage: Stage): Promise<void> {
  const { key, other, tenant, store, patienceMs } = stage;
  await stage.write((tx) => tx.insertThread(threadRow(key)));
  const [ended, stays] = [new Listener(patienceMs), new Listener(patienceMs)];
  const end = await store.watchThreads(tenant, ended.tell);
  const stay = await store.watchThreads(tenant, stays.tell);
  end();
  end();
  await thrownBy(() =>
    stage.write(
      (tx) => tx.deleteThread(key),
      () => {
        throw new Stop();
      },
    ),
  );
  const foreign = { tenant: `${tenant}-twin`, threadId: "thread-foreign" };
  await writeTo(store, (tx) => tx.insertThread(threadRow(foreign)));
  await stage.write((tx) => tx.insertLog([logRow(key, 1)]));
  await stage.write((tx) => tx.insertThread(threadRow(other)));
  await stays.hears(`created ${other.threadId}`);
  stay();
  await demandSame(
    [...stays.heard],
    [`created ${other.threadId}`],
    "Nothing but what happened is told, and no deltas.",
  );
  await demandSame([...ended.heard], [], "A watch that was ended is told nothing.");
}

export const OVERVIEW_CLAIMS: readonly Claim[] = [
  ["titles gives threads that have a title, newest id first, in pages", givesTitles],
  ["titles that hold a word are found whatever their case, in pages", titlesWithAWord],
  ["tallies counts the messages of threads, and finds what a user said first", tallies],
  ["runs of many threads are told together: the last, what they cost, and which changed", tellsOfRuns],
  ["activeThreads gives what happened last first, in pages and by kind", ordersByActivity],
  ["activeThreads is up to date, keeps to the tenant, and leaves out what is gone", keepsActivityUpToDate],
  ["heads gives threads with where they end, what happened last, and whether something was deleted", givesHeads],
  ["activeThreads knows what another process did", ordersForOthers],
  ["watchThreads tells what happens to threads, whoever did it", tells],
  ["watchThreads tells nothing that did not happen, nothing of others, and nothing after its end", tellsWhatIsSo],
];
