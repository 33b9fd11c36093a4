// Faults of stores in the reads of thread lists, which the store suite must detect.
import type { MessageRow, MessageCount } from "../../src/ledger/store/rows.ts";
import { mapAwaitable } from "../../src/ledger/store/steps.ts";
import type { LedgerStore } from "../../src/ledger/store/contract.ts";
import { withMethods, withReads, type StoreFaultRow } from "./store-faults.ts";

const six = (tally: MessageCount): MessageCount => ({ ...tally, messages: 6 });

type Active = LedgerStore["activeThreads"];
type Tell = Parameters<LedgerStore["watchThreads"]>[1];

/** Changes the reported thread changes. */
const changesReports = (change: (tell: Tell) => Tell) =>
  withMethods({ watchThreads: (good) => (tenant, tell) => good(tenant, change(tell)) });
const replacesActiveThreads = (change: (good: Active) => Active) => withMethods({ activeThreads: change });

const ORDER = /activeThreads gives/;
const CURRENT = /activeThreads (is up to date|knows)/;

export const OVERVIEW_FAULTS: readonly StoreFaultRow[] = [
  [
    "gives titles that are none",
    /titles gives/,
    withReads({
      titles:
        (_, all) =>
        (tenant, { limit }) =>
          mapAwaitable(all.threads(tenant, { limit }), (rows) => rows.map(({ id, title }) => ({ id, title }))),
    }),
  ],
  [
    "looks for a word as it is written",
    /titles that hold a word/,
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
    "counts messages from the beginning",
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
    "looks for a user through a whole thread",
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
    "gives the runs of every state",
    /runs of many threads/,
    withReads({ runIds: (_, all) => (key) => mapAwaitable(all.runs(key), (rows) => rows.map(({ id }) => id)) }),
  ],
  [
    "gives all runs for the last",
    /runs of many threads/,
    withReads({ lastRuns: (good) => (tenant, ids) => good(tenant, ids, 99) }),
  ],
  [
    "takes no usage for an empty one",
    /runs of many threads/,
    withReads({
      usages: (good) => (tenant, places, limit) =>
        mapAwaitable(good(tenant, places, limit), (rows) => rows.map((row) => ({ ...row, usage: row.usage ?? "{}" }))),
    }),
  ],
  [
    "takes every run for one that changed",
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
    "does not count what was deleted",
    /heads gives/,
    withMethods({
      heads: (good) => async (tenant, ids) => (await good(tenant, ids)).map((head) => ({ ...head, purges: 0 })),
    }),
  ],
  [
    "takes a delta for what happened last",
    /heads gives/,
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
    "begins a page of active threads with the one it ended with",
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
    "lists what it once knew",
    CURRENT,
    (store) => {
      let known: ReturnType<Active> | undefined;
      return replacesActiveThreads((good) => (tenant, page) => (known ??= good(tenant, page)))(store);
    },
  ],
  [
    "lists a thread once something happens in it",
    CURRENT,
    replacesActiveThreads(
      (good) => async (tenant, page) =>
        (await good(tenant, page)).filter(({ lastActivity }) => lastActivity.length > 10),
    ),
  ],
  ["is not told what happens", /watchThreads tells what happens/, changesReports(() => () => undefined)],
  [
    "tells of changes as of activity",
    /watchThreads tells what happens/,
    changesReports((tell) => (changes) => tell(changes.map((each) => ({ ...each, change: "activity" })))),
  ],
  [
    "tells every tenant of a new thread",
    /watchThreads tells nothing/,
    withMethods({
      watchThreads: (good) => async (tenant, tell) => {
        const [end, endTwin] = await Promise.all([good(tenant, tell), good(`${tenant}-twin`, tell)]);
        return () => [end(), endTwin()];
      },
    }),
  ],
  [
    "goes on telling",
    /watchThreads tells nothing/,
    withMethods({ watchThreads: (good) => async (tenant, tell) => (await good(tenant, tell), () => undefined) }),
  ],
  [
    "finds whole words only",
    /search finds the beginning/,
    withMethods({
      search:
        (good) =>
        ({ prefix: _prefix, ...query }) =>
          good(query),
    }),
  ],
  [
    "finds the best, whatever their thread",
    /search gives so many of each/,
    withMethods({
      search:
        (good) =>
        ({ perThread: _perThread, ...query }) =>
          good(query),
    }),
  ],
];
