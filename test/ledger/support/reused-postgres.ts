// Postgres schemas that tests reuse: creating and dropping a schema takes fifty times as long as emptying it, and a
// connection with prepared statements is faster than a new one. Each test worker has its own.
import { LedgerError } from "../../../src/ledger/errors.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import { openPostgres, type PostgresOptions } from "../../../src/ledger/stores/postgres/index.ts";
import { META, TABLES } from "../../../src/ledger/stores/postgres/schema.ts";
import { freshSchema, inPostgres } from "../../support/postgres.ts";

/** A schema with the ledger's tables, and an open store. */
interface ReusedSchema {
  url: string;
  options: PostgresOptions;
  store: LedgerStore;
}

/** Empty tables, until they are returned. */
interface EmptySchema {
  /** Returns a view of the open store. */
  warm(): LedgerStore;
  /** Opens a separate store, like another process. */
  open(options: { connections?: number | undefined; busyMs?: number | undefined }): Promise<LedgerStore>;
  giveBack(): Promise<void>;
}

const free: ReusedSchema[] = [];

export async function acquireSchema(): Promise<EmptySchema> {
  const reused = free.pop() ?? (await createSchema());
  const views: LedgerStore[] = [];
  let isBack = false;
  return {
    warm() {
      const view = closingView(reused.store);
      views.push(view);
      return view;
    },
    open: ({ connections = reused.options.connections, busyMs = reused.options.busyMs }) =>
      openPostgres(reused.url, { ...reused.options, connections, busyMs }),
    async giveBack() {
      if (isBack) return;
      isBack = true;
      for (const view of views) await view.close();
      await inPostgres(reused.url, (client) => client.query(createDeleteSql(reused.options.schema)));
      free.push(reused);
    },
  };
}

async function createSchema(): Promise<ReusedSchema> {
  // Never dropped: it ends with the server, after the test run.
  const { url, schema } = await freshSchema();
  const options = { schema, connections: 4, busyMs: 10_000 };
  return { url, options, store: await openPostgres(url, options) };
}

function createDeleteSql(schema: string): string {
  const tables = TABLES.filter((table) => table !== META);
  return tables.map((table) => `DELETE FROM ${schema}.${table}`).join(";");
}

/**
 * Creates a view that rejects calls after the end of its test, so that they do not reach the tables of the next one.
 */
function closingView(store: LedgerStore): LedgerStore {
  let isOpen = true;
  const underWay = new Set<Promise<unknown>>();
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new LedgerError("closed", "The ledger was closed.");
    assertRealTimers();
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
    watchThreads: (tenant, notify) => guarded(() => store.watchThreads(tenant, notify)),
    indexMessages: (textOf, limit) => guarded(() => store.indexMessages(textOf, limit)),
    search: (query) => guarded(() => store.search(query)),
    vacuum: () => guarded(() => store.vacuum()),
    async close() {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
}

/**
 * Rejects fake timers: a timer of the store on a fake clock would never fire after the test, and the next test file
 * would wait for it.
 */
function assertRealTimers(): void {
  if (!Object.hasOwn(globalThis.setTimeout, "clock")) return;
  throw new Error("Fake timers would stay in a store that other tests use: pass timers to the ledger instead.");
}
