// Faults of stores in tenants, transactions, search or lifecycle, which the store suite must detect.
import { LedgerError } from "../../src/ledger/errors.ts";
import { wait, mapAwaitable, type Steps } from "../../src/ledger/store/steps.ts";
import type { LedgerStore, LedgerTransaction } from "../../src/ledger/store/contract.ts";
import type { SearchQuery } from "../../src/ledger/store/queries.ts";
import {
  cannotUndo,
  withSteps,
  withMethods,
  withReads,
  stepByStep,
  copyStore,
  type StoreFault,
  type StoreFaultRow,
  replaceMethods,
} from "./store-faults.ts";

const TENANT_FAULTS: readonly StoreFaultRow[] = [
  [
    "compares tenants without regard to case",
    /no read returns/,
    withReads({ message: (good) => (key, id) => good({ ...key, tenant: key.tenant.toLowerCase() }, id) }),
  ],
  [
    "treats a tenant's name as a pattern",
    /no read returns/,
    withReads({ blob: (good) => (tenant, hash) => good(tenant.replace(/[% x]$/, ""), hash) }),
  ],
  [
    "has one set of run ids for all tenants",
    /rows with the same ids/,
    withSteps({
      insertRun: (good, tx) => (row) => {
        if (tx.run(row.tenant.replace(/-twin$/, ""), row.id) === undefined) return good(row);
        throw new LedgerError("conflict", "The run is another tenant's.");
      },
    }),
  ],
  [
    "locks a thread of any tenant",
    /lockThread locks no/,
    withSteps({
      lockThread:
        () =>
        ({ threadId }) =>
          ({ threadId }) as never,
    }),
  ],
  [
    "returns runs of every tenant",
    /one tenant or for all/,
    withReads({ expiredRuns: (good) => (now, limit) => good(now, limit) }),
  ],
  [
    "returns no runs without a tenant",
    /one tenant or for all/,
    withReads({
      compactableRuns: (good) => (before, limit, tenant) => (tenant === undefined ? [] : good(before, limit, tenant)),
    }),
  ],
  [
    "counts references of all tenants to a blob",
    /of the same tenant reference/,
    withSteps({
      deleteUnreferencedBlobs: (good, tx) => (tenant, before) => {
        const refs = tx.blobRefs({ tenant: `${tenant}-twin`, threadId: "thread" });
        if ((refs as unknown[]).length === 0) return good(tenant, before);
        return { threads: 0, messages: 0, runs: 0, logRows: 0, keys: 0, blobs: 0, bytes: 0 };
      },
    }),
  ],
];

/** Commits the transactions of several callers together, and fails all of them if one fails. */
const together: StoreFault = (good) => {
  let waiting: { work: (tx: LedgerTransaction) => Steps<unknown>; settle: PromiseWithResolvers<unknown> }[] = [];
  const commit = (): void => {
    const batch = waiting;
    waiting = [];
    const done = good.write(function* (tx) {
      const results: unknown[] = [];
      for (const { work } of batch) results.push(yield* work(tx));
      return results;
    });
    done.then(
      (results) => batch.forEach(({ settle }, at) => settle.resolve(results[at])),
      (error: unknown) => batch.forEach(({ settle }) => settle.reject(error)),
    );
  };
  return {
    ...copyStore(good),
    write: <T>(work: (tx: LedgerTransaction) => Steps<T>) => {
      const settle = Promise.withResolvers<unknown>();
      if (waiting.length === 0) queueMicrotask(commit);
      waiting.push({ work, settle });
      return settle.promise as Promise<T>;
    },
  };
};

/** Rolls back a transaction without an error if one of its inserts failed and the caller caught the error. */
const hidesRollback: StoreFault = (good) => ({
  ...copyStore(good),
  write: async (work) => {
    const failure = new Error("aborted");
    const results: Awaited<ReturnType<typeof good.write>>[] = [];
    try {
      await good.write(function* (tx) {
        let isFailed = false;
        const insertMessages: LedgerTransaction["insertMessages"] = (rows) => {
          try {
            return tx.insertMessages(rows);
          } catch (error) {
            isFailed = true;
            throw error;
          }
        };
        results.push(yield* work(replaceMethods(tx, { insertMessages: () => insertMessages })));
        if (isFailed) throw failure;
      });
    } catch (error) {
      if (error !== failure) throw error;
    }
    // The cast holds: a result was pushed, or the error of the transaction was thrown.
    return results[0] as never;
  },
});

/** Inserts the rows of a batch one by one, so that the rows before a duplicate stay. */
const insertsOneByOne = withSteps({
  insertMessages: (good) => (rows) => {
    for (const row of rows) void good([row]);
  },
});

const WORK_FAULTS: readonly StoreFaultRow[] = [
  [
    "returns no result of work",
    /write returns/,
    withMethods({ write: (good) => (work) => good(work).then(() => undefined as never) }),
  ],
  [
    "wraps the work's error",
    /after any of its steps|before its first step/,
    withMethods({
      write: (good) => (work) =>
        good(work).catch((error: unknown) => {
          throw new LedgerError("unavailable", "The transaction failed.", { cause: error });
        }),
    }),
  ],
  ["does not undo writes before an error", /after any of its steps/, cannotUndo("insertLog")],
  [
    "ignores the work's error",
    /before its first step/,
    withMethods({ write: (good) => (work) => good(work).catch(() => undefined as never) }),
  ],
  ["writes a part of a batch", /catches a conflict/, insertsOneByOne],
  ["acknowledges work that was rolled back", /catches a conflict/, hidesRollback],
  ["commits each step separately", /as a whole or not at all|one writer at a time|never write the same id/, stepByStep],
  [
    "reads outdated rows",
    /acknowledged before the read/,
    (good) => {
      let before: ReturnType<LedgerStore["reads"]["thread"]>;
      return withReads({
        thread: (read) => (key) => {
          const [stale, now] = [before, read(key)];
          before = now;
          return stale ?? now;
        },
      })(good);
    },
  ],
  [
    "shows rows after their thread's last id",
    /no row is added below/,
    (good) => {
      const seen = new Set<string>();
      return withReads({
        log: (read) => (key, stretch) =>
          mapAwaitable(read(key, stretch), (rows) => rows.filter(({ id }) => seen.has(id) || !seen.add(id))),
      })(good);
    },
  ],
  ["fails all concurrent writes together", /does not affect the other/, together],
];

function queries(change: (query: SearchQuery) => SearchQuery): StoreFault {
  return withMethods({ search: (good) => (query) => good(change(query)) });
}
function changesSearchText(change: (text: string) => string): StoreFault {
  return queries((query) => ({ ...query, text: change(query.text) }));
}

/** Returns the results of several queries together. */
function anyOf(split: (text: string) => string[]): StoreFault {
  return withMethods({
    search: (good) => async (query) => {
      const results = await Promise.all(split(query.text).map((text) => good({ ...query, text })));
      return [...new Map(results.flat().map((hit) => [hit.messageId, hit])).values()];
    },
  });
}

const WORDS = /all words of the query/;

const SEARCH_FAULTS: readonly StoreFaultRow[] = [
  [
    "indexes all messages at once",
    /indexMessages/,
    withMethods({ indexMessages: (good) => (textOf) => good(textOf, 99) }),
  ],
  [
    "never finishes its index",
    /indexMessages/,
    withMethods({ indexMessages: (good) => async (textOf, limit) => Math.max(1, await good(textOf, limit)) }),
  ],
  [
    "indexes bodies",
    /indexMessages/,
    withMethods({ indexMessages: (good) => (textOf, limit) => good((row) => `${textOf(row)} ${row.body}`, limit) }),
  ],
  [
    "indexes messages without a text",
    /while its text is missing/,
    withMethods({ indexMessages: (good) => (textOf, limit) => good((row) => textOf(row) ?? "", limit) }),
  ],
  [
    "requests the text of a message twice",
    /indexMessages/,
    withMethods({ indexMessages: (good) => (textOf, limit) => good((row) => textOf(row) && textOf(row), limit) }),
  ],
  [
    "indexes only the first messages",
    /indexMessages/,
    (good) => {
      let isDone = false;
      return withMethods({
        indexMessages: (index) => async (textOf, limit) => {
          if (isDone) return 0;
          const taken = await index(textOf, limit);
          isDone = taken > 0 && taken < limit;
          return taken;
        },
      })(good);
    },
  ],
  ["finds messages with any of the words", WORDS, anyOf((text) => text.split(/\s+/).filter((word) => word !== ""))],
  ["treats OR as an operator", WORDS, anyOf((text) => text.split(" OR "))],
  ["treats a bar as an operator", WORDS, anyOf((text) => text.split("|"))],
  ["treats NOT as an operator", WORDS, changesSearchText((text) => text.replace(/ NOT .*/, ""))],
  [
    "treats AND as an operator",
    WORDS,
    changesSearchText((text) => text.replace("rate NOT unicorn", "rate").replace(" or ", " ")),
  ],
  ["treats a minus as an operator", WORDS, changesSearchText((text) => text.replace(/ -\w+/, ""))],
  ["treats a star as an operator", WORDS, changesSearchText((text) => text.replace(/^rat\*/, "rate"))],
  [
    "fails on a quote",
    WORDS,
    withMethods({
      search: (good) => async (query) => (query.text.includes('"') ? Promise.reject(new Error("syntax")) : good(query)),
    }),
  ],
  ["looks at case", WORDS, changesSearchText((text) => text.replace("RATE", "another"))],
  ["knows ASCII only", WORDS, changesSearchText((text) => text.replaceAll(/[^\0-\x7f]+/g, " "))],
  [
    "finds all messages for an empty query",
    /no message contains a word/,
    changesSearchText((text) => text.trim() || "the"),
  ],
  [
    "searches for all tenants",
    /respects the tenant/,
    withMethods({
      search: (good) => async (query) => [
        ...(await good(query)),
        ...(await good({ ...query, tenant: `${query.tenant}-twin` })),
      ],
    }),
  ],
  ["searches all threads", /respects the tenant/, queries(({ threadId: _threadId, ...query }) => query)],
  ["ignores the limit of hits", /respects the tenant/, queries((query) => ({ ...query, limit: 99 }))],
  [
    "returns the worst hit first",
    /best hit first/,
    withMethods({ search: (good) => async (query) => (await good(query)).toReversed() }),
  ],
  [
    "returns the start of a text as snippet",
    /best hit first/,
    withMethods({
      search: (good) => async (query) => (await good(query)).map((hit) => ({ ...hit, snippet: "The start" })),
    }),
  ],
  [
    "finds deleted messages",
    /deleted messages/,
    withSteps({
      deleteMessages: (good, tx) => (key, ids) => (ids.length > 1 ? tx.deleteRuns(key, []) : good(key, ids)),
    }),
  ],
];

const never = (): void => undefined;

const LIFE_FAULTS: readonly StoreFaultRow[] = [
  ["wakes no watcher", /watch calls its listener/, withMethods({ watch: () => () => never })],
  [
    "wakes once",
    /watch calls its listener/,
    withMethods({
      watch: (good) => (key, wake) => {
        const end = good(key, () => {
          end();
          wake();
        });
        return end;
      },
    }),
  ],
  ["wakes an ended watcher", /ended watch/, withMethods({ watch: (good) => (key, wake) => (good(key, wake), never) })],
  [
    "loses rows in a vacuum",
    /vacuum does not change/,
    (good) => {
      const seen = new Set<string>();
      const watching = withSteps({ insertThread: (insert) => (row) => (seen.add(row.tenant), insert(row)) })(good);
      const vacuum = async (): Promise<void> => {
        for (const tenant of seen) await good.write((tx) => wait(tx.deleteKeys(tenant, 9_999)));
      };
      return { ...watching, vacuum };
    },
  ],
  [
    "closes once",
    /close is idempotent/,
    (good) => {
      let isClosed = false;
      return withMethods({
        close: (close) => async () => {
          if (isClosed) throw new LedgerError("closed", "It was closed before.");
          isClosed = true;
          return close();
        },
      })(good);
    },
  ],
  ["reads after it was closed", /close is idempotent/, withMethods({ close: () => () => Promise.resolve() })],
  [
    "searches after it was closed",
    /close is idempotent/,
    withMethods({ search: (good) => (query) => good(query).catch(() => []) }),
  ],
  [
    "has another error after it was closed",
    /close is idempotent/,
    withReads({
      runs: (good) => (key) => {
        try {
          return good(key);
        } catch {
          throw new TypeError("The database is not open.");
        }
      },
    }),
  ],
  [
    "closes before its pending writes",
    /close waits/,
    withMethods({
      write: (good) => async (work) => {
        await Promise.resolve();
        return good(work);
      },
    }),
  ],
];

export const LIFECYCLE_FAULTS = [...TENANT_FAULTS, ...WORK_FAULTS, ...SEARCH_FAULTS, ...LIFE_FAULTS];
