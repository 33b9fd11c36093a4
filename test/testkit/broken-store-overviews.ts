// Faults of stores in the reads of thread lists, which the store suite must detect.
import type { MessageRow, MessageCount } from "../../src/ledger/store/rows.ts";
import { mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../src/ledger/store/contract.ts";
import { withMethods, withReads, type StoreFaultRow } from "./store-faults.ts";

const six = (tally: MessageCount): MessageCount => ({ ...tally, messages: 6 });

type Active = LedgerStore["activeThreads"];
type Notify = Parameters<LedgerStore["watchThreads"]>[1];

/** Changes the reported thread changes. */
const changesReports = (change: (notify: Notify) => Notify) =>
  withMethods({ watchThreads: (good) => (tenant, notify) => good(tenant, change(notify)) });
const replacesActiveThreads = (change: (good: Active) => Active) => withMethods({ activeThreads: change });

const ORDER = /activeThreads lists/;
const CURRENT = /activeThreads includes/;

export const OVERVIEW_FAULTS: readonly StoreFaultRow[] = [
  [
    "returns missing titles",
    /titles lists/,
    withReads({
      titles:
        (_, all) =>
        (tenant, { limit }) =>
          mapAwaitable(all.threads(tenant, { limit }), (rows) => rows.map(({ id, title }) => ({ id, title }))),
    }),
  ],
  [
    "searches titles with regard to case",
    /titles finds/,
    withReads({
      titles: (good) => (tenant, page) =>
        mapAwaitable(good(tenant, page), (rows) =>
          rows.filter(({ title }) => title?.includes(page.term ?? "") ?? false),
        ),
    }),
  ],
  [
    "counts the messages of every thread",
    /countMessages counts/,
    withReads({
      countMessages: (good) => (tenant, places) => mapAwaitable(good(tenant, places), (all) => all.map(six)),
    }),
  ],
  [
    "counts messages from the start of the thread",
    /countMessages counts/,
    withReads({
      countMessages: (good) => (tenant, places) =>
        good(
          tenant,
          places.map((place) => ({ ...place, after: "" })),
        ),
    }),
  ],
  [
    "searches a user message through a whole thread",
    /countMessages counts/,
    withReads({
      countMessages: (good, all) => (tenant, places) =>
        mapAwaitable(good(tenant, places), (found) =>
          found.map((tally) => {
            // The memory store returns its results synchronously.
            const rows = all.messages({ tenant, threadId: tally.threadId }, { limit: 99 }) as MessageRow[];
            return { ...tally, firstUserBody: rows.find(({ role }) => role === "user")?.body ?? null };
          }),
        ),
    }),
  ],
  [
    "returns runs of every state",
    /runs of many threads/,
    withReads({ runIds: (_, all) => (key) => mapAwaitable(all.runs(key), (rows) => rows.map(({ id }) => id)) }),
  ],
  [
    "returns all runs instead of the last ones",
    /runs of many threads/,
    withReads({ lastRuns: (good) => (tenant, ids) => good(tenant, ids, 99) }),
  ],
  [
    "returns an empty usage for a missing one",
    /runs of many threads/,
    withReads({
      usages: (good) => (tenant, places, limit) =>
        mapAwaitable(good(tenant, places, limit), (rows) => rows.map((row) => ({ ...row, usage: row.usage ?? "{}" }))),
    }),
  ],
  [
    "reports every run as changed",
    /runs of many threads/,
    withReads({
      changedRuns: (_, all) => (tenant, places) =>
        all.lastRuns(
          tenant,
          places.map(({ threadId }) => threadId),
          99,
        ),
    }),
  ],
  [
    "does not count deletions",
    /heads returns/,
    withMethods({
      heads: (good) => async (tenant, ids) => (await good(tenant, ids)).map((head) => ({ ...head, purges: 0 })),
    }),
  ],
  [
    "counts a delta as activity",
    /heads returns/,
    withMethods({
      heads: (good) => async (tenant, ids) =>
        (await good(tenant, ids)).map((head) => ({ ...head, lastActivity: head.lastId })),
    }),
  ],
  [
    "orders threads by id alone",
    ORDER,
    replacesActiveThreads(
      (good) => async (tenant, page) =>
        (await good(tenant, page)).toSorted((left, right) => (left.id < right.id ? 1 : -1)),
    ),
  ],
  [
    "starts a page of active threads with the last one of the previous page",
    ORDER,
    replacesActiveThreads(
      (good) => (tenant, page) =>
        good(
          tenant,
          page.before === undefined ? page : { ...page, before: { ...page.before, id: `${page.before.id}~` } },
        ),
    ),
  ],
  [
    "lists active threads of every kind",
    ORDER,
    replacesActiveThreads(
      (good) =>
        (tenant, { kind: _kind, ...page }) =>
          good(tenant, page),
    ),
  ],
  [
    "lists outdated activity",
    CURRENT,
    (store) => {
      let known: ReturnType<Active> | undefined;
      return replacesActiveThreads((good) => (tenant, page) => (known ??= good(tenant, page)))(store);
    },
  ],
  [
    "lists a thread only after an activity",
    CURRENT,
    replacesActiveThreads(
      (good) => async (tenant, page) =>
        (await good(tenant, page)).filter(({ lastActivity }) => lastActivity.length > 10),
    ),
  ],
  ["reports no change", /watchThreads reports every/, changesReports(() => () => undefined)],
  [
    "reports every change as activity",
    /watchThreads reports every/,
    changesReports((notify) => (changes) => notify(changes.map((each) => ({ ...each, change: "activity" })))),
  ],
  [
    "reports a new thread to every tenant",
    /watchThreads reports no/,
    withMethods({
      watchThreads: (good) => async (tenant, notify) => {
        const [end, endTwin] = await Promise.all([good(tenant, notify), good(`${tenant}-twin`, notify)]);
        return () => [end(), endTwin()];
      },
    }),
  ],
  [
    "reports to an ended watcher",
    /watchThreads reports no/,
    withMethods({ watchThreads: (good) => async (tenant, notify) => (await good(tenant, notify), () => undefined) }),
  ],
  [
    "finds whole words only",
    /search finds prefixes/,
    withMethods({
      search:
        (good) =>
        ({ prefix: _prefix, ...query }) =>
          good(query),
    }),
  ],
  [
    "finds the best hits regardless of their thread",
    /hits of each thread/,
    withMethods({
      search:
        (good) =>
        ({ perThread: _perThread, ...query }) =>
          good(query),
    }),
  ],
];
