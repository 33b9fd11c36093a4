// The stores that every test of the ledger runs on, each with an empty database that is gone after `close`.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLedger } from "../../../src/ledger/open.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { openSqlite } from "../../../src/ledger/stores/sqlite/index.ts";
import type { Ledger, LedgerOptions } from "../../../src/ledger/types.ts";
import { emptied } from "./emptied.ts";

export interface OpenLedger {
  ledger: Ledger;
  /** The store of `ledger`. */
  store: LedgerStore;
  /** A second ledger on the same data, as another process would open it. It may be closed by itself. */
  another(options?: LedgerOptions): Promise<Ledger>;
  /** Closes every ledger and removes the data. */
  close(): Promise<void>;
}

/** One empty database. */
export interface Place {
  /** A store of its own, which closes with the ledger. */
  openStore(options?: LedgerOptions): Promise<LedgerStore>;
  /** A store that may be open already, where that is faster. */
  quickStore?(options?: LedgerOptions): Promise<LedgerStore>;
  remove(): Promise<void>;
}

export interface StoreUnderTest {
  name: string;
  place(): Promise<Place>;
  open(options?: LedgerOptions): Promise<OpenLedger>;
  /** As `open`, for tests of closing: the store is never one that others have used. */
  openOwn(options?: LedgerOptions): Promise<OpenLedger>;
}

/** The same store as others have, yet closing it closes only this view of it. */
export function viewOf(store: LedgerStore): LedgerStore {
  return {
    name: store.name,
    reads: store.reads,
    write: (work) => store.write(work),
    watch: (key, wake) => store.watch(key, wake),
    activeThreads: (tenant, page) => store.activeThreads(tenant, page),
    heads: (tenant, ids) => store.heads(tenant, ids),
    watchThreads: (tenant, tell) => store.watchThreads(tenant, tell),
    indexMessages: (textOf, limit) => store.indexMessages(textOf, limit),
    search: (query) => store.search(query),
    vacuum: () => store.vacuum(),
    close: () => Promise.resolve(),
  };
}

async function inMemory(): Promise<Place> {
  const store = memoryStore();
  return { openStore: () => Promise.resolve(viewOf(store)), remove: () => store.close() };
}

let emptyFile: Promise<Buffer> | undefined;

/** A ledger's file without a record. To copy it takes a tenth of the time that making one does, which waits for the disk. */
async function makeEmptyFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "koine-ledger-"));
  const path = join(folder, "koine.db");
  await (await openSqlite(path, { sync: "normal", busyMs: 10_000 })).close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true, force: true });
  return bytes;
}

async function inFile(): Promise<Place> {
  emptyFile ??= makeEmptyFile();
  const folder = await mkdtemp(join(tmpdir(), "koine-ledger-"));
  const path = join(folder, "koine.db");
  await writeFile(path, await emptyFile);
  return {
    openStore: ({ sync = "normal", busyMs = 10_000 } = {}) => openSqlite(path, { sync, busyMs }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function inPostgres(): Promise<Place> {
  const place = await emptied();
  const openStore = (options: LedgerOptions = {}): Promise<LedgerStore> => place.open(options);
  return {
    openStore,
    // Whoever wants other terms wants other connections.
    quickStore: async (options = {}) =>
      options.connections === undefined && options.busyMs === undefined ? place.warm() : openStore(options),
    remove: () => place.giveBack(),
  };
}

function underTest(name: string, place: () => Promise<Place>): StoreUnderTest {
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

/** For describe.each: a test of the ledger runs on every store. */
export const STORES: readonly StoreUnderTest[] = [
  underTest("memory", inMemory),
  underTest("sqlite", inFile),
  underTest("postgres", inPostgres),
];
