// The stores on which every ledger test runs, each with an empty database that is removed by `close`.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLedger } from "../../../src/ledger/open.ts";
import type { LedgerStore } from "../../../src/ledger/store/contract.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import type { Ledger, LedgerOptions } from "../../../src/ledger/types.ts";
import { isQuickRun } from "../../support/quick-run.ts";
import { acquireSchema } from "./reused-postgres.ts";

export interface OpenLedger {
  ledger: Ledger;
  /** The store of `ledger`. */
  store: LedgerStore;
  /** Opens a second ledger on the same data, like another process. It can be closed separately. */
  another(options?: LedgerOptions): Promise<Ledger>;
  /** Closes every ledger and removes the data. */
  close(): Promise<void>;
}

/** One empty database. */
export interface EmptyDatabase {
  /** Opens a separate store, which closes with the ledger. */
  openStore(options?: LedgerOptions): Promise<LedgerStore>;
  /** Returns a store that may be open already, which is faster. */
  quickStore?(options?: LedgerOptions): Promise<LedgerStore>;
  remove(): Promise<void>;
}

export interface StoreUnderTest {
  name: string;
  place(): Promise<EmptyDatabase>;
  open(options?: LedgerOptions): Promise<OpenLedger>;
  /** Like `open`, for tests of closing: the store is not shared with other tests. */
  openOwn(options?: LedgerOptions): Promise<OpenLedger>;
}

/** Returns a view of a shared store; closing it does not close the store. */
export function createView(store: LedgerStore): LedgerStore {
  return {
    name: store.name,
    reads: store.reads,
    write: (work) => store.write(work),
    watch: (key, wake) => store.watch(key, wake),
    activeThreads: (tenant, page) => store.activeThreads(tenant, page),
    heads: (tenant, ids) => store.heads(tenant, ids),
    watchThreads: (tenant, notify) => store.watchThreads(tenant, notify),
    indexMessages: (textOf, limit) => store.indexMessages(textOf, limit),
    search: (query) => store.search(query),
    vacuum: () => store.vacuum(),
    close: () => Promise.resolve(),
  };
}

async function createMemoryDatabase(): Promise<EmptyDatabase> {
  const store = memoryStore();
  return { openStore: () => Promise.resolve(createView(store)), remove: () => store.close() };
}

let emptyFile: Promise<Buffer> | undefined;

/**
 * Creates the file of an empty ledger. Copying it takes a tenth of the time of creating one, which waits for the disk.
 */
async function makeEmptyFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "koine-ledger-"));
  const path = join(folder, "koine.db");
  await (await openSqlite(path, { sync: "normal", busyMs: 10_000 })).close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true, force: true });
  return bytes;
}

async function createFileDatabase(): Promise<EmptyDatabase> {
  emptyFile ??= makeEmptyFile();
  const folder = await mkdtemp(join(tmpdir(), "koine-ledger-"));
  const path = join(folder, "koine.db");
  await writeFile(path, await emptyFile);
  return {
    openStore: ({ sync = "normal", busyMs = 10_000 } = {}) => openSqlite(path, { sync, busyMs }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createPostgresDatabase(): Promise<EmptyDatabase> {
  const schema = await acquireSchema();
  const openStore = (options: LedgerOptions = {}): Promise<LedgerStore> => schema.open(options);
  return {
    openStore,
    // Other options need other connections.
    quickStore: async (options = {}) =>
      options.connections === undefined && options.busyMs === undefined ? schema.warm() : openStore(options),
    remove: () => schema.giveBack(),
  };
}

function createStoreUnderTest(name: string, place: () => Promise<EmptyDatabase>): StoreUnderTest {
  const openOn = async (isOwn: boolean, options: LedgerOptions = {}): Promise<OpenLedger> => {
    const own = await place();
    const ledgers: Ledger[] = [];
    const another = async (others = options): Promise<Ledger> => {
      const ledger = createLedger(await own.openStore(others), others);
      ledgers.push(ledger);
      return ledger;
    };
    const quick = isOwn ? undefined : own.quickStore?.(options);
    const store = await (quick ?? own.openStore(options));
    const ledger = createLedger(store, options);
    ledgers.push(ledger);
    const close = async (): Promise<void> => {
      for (const each of ledgers) await each.close();
      await own.remove();
    };
    return { ledger, store, another, close };
  };
  return { name, place, open: (options) => openOn(false, options), openOwn: (options) => openOn(true, options) };
}

/** For describe.each: a ledger test runs on every store; in a quick run, on those without a server. */
export const STORES: readonly StoreUnderTest[] = [
  createStoreUnderTest("memory", createMemoryDatabase),
  createStoreUnderTest("sqlite", createFileDatabase),
  ...(isQuickRun ? [] : [createStoreUnderTest("postgres", createPostgresDatabase)]),
];
