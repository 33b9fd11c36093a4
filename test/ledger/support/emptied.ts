// Postgres places for tests that are used again: making a schema and dropping it takes fifty times as long as emptying
// it, and a connection that knows its statements is faster than a new one. Each worker of a test run has its own.
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import { openPostgres, type PostgresOptions } from "../../../src/ledger/stores/postgres/index.ts";
import { META, TABLES } from "../../../src/ledger/stores/postgres/schema.ts";
import { freshSchema, inPostgres } from "../../support/postgres.ts";

/** A schema with the ledger's tables, and a store on it that stays open. */
interface Kept {
  url: string;
  options: PostgresOptions;
  store: LedgerStore;
}

/** Empty tables, until they are given back. */
interface Emptied {
  /** A view of the store that is open already. */
  warm(): LedgerStore;
  /** A store of its own, as another process would open it. */
  open(options: { connections?: number | undefined; busyMs?: number | undefined }): Promise<LedgerStore>;
  giveBack(): Promise<void>;
}

const free: Kept[] = [];

export async function emptied(): Promise<Emptied> {
  const kept = free.pop() ?? (await made());
  const views: LedgerStore[] = [];
  let isBack = false;
  return {
    warm() {
      const view = closingView(kept.store);
      views.push(view);
      return view;
    },
    open: ({ connections = kept.options.connections, busyMs = kept.options.busyMs }) =>
      openPostgres(kept.url, { ...kept.options, connections, busyMs }),
    async giveBack() {
      if (isBack) return;
      isBack = true;
      for (const view of views) await view.close();
      await inPostgres(kept.url, (client) => client.query(emptying(kept.options.schema)));
      free.push(kept);
    },
  };
}

async function made(): Promise<Kept> {
  // Never dropped: it goes with the server, at the end of the run.
  const { url, schema } = await freshSchema();
  const options = { schema, connections: 4, busyMs: 10_000 };
  return { url, options, store: await openPostgres(url, options) };
}

function emptying(schema: string): string {
  const tables = TABLES.filter((table) => table !== META);
  return tables.map((table) => `DELETE FROM ${schema}.${table}`).join(";");
}

/** What a test still does after its end must not reach the next one's tables. */
function closingView(store: LedgerStore): LedgerStore {
  let isOpen = true;
  const underWay = new Set<Promise<unknown>>();
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new LedgerError("closed", "The ledger was closed.");
    const working = work();
    underWay.add(working);
    return working.finally(() => underWay.delete(working));
  };
  return {
    name: store.name,
    reads: store.reads,
    write: (work) => guarded(() => store.write(work)),
    watch: (key, wake) => store.watch(key, wake),
    activeThreads: (tenant, page) => guarded(() => store.activeThreads(tenant, page)),
    heads: (tenant, ids) => guarded(() => store.heads(tenant, ids)),
    watchThreads: (tenant, tell) => guarded(() => store.watchThreads(tenant, tell)),
    indexMessages: (textOf, limit) => guarded(() => store.indexMessages(textOf, limit)),
    search: (query) => guarded(() => store.search(query)),
    vacuum: () => guarded(() => store.vacuum()),
    async close() {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
}
