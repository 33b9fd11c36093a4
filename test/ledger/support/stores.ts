// The stores that every test of the ledger runs on, each with an empty database that is gone after `close`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerOn } from "../../../src/ledger/open.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import { memoryStore } from "../../../src/ledger/stores/memory.ts";
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

async function inFile(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "koine-ledger-"));
  return {
    openStore: ({ sync = "normal", busyMs = 10_000 } = {}) => openSqlite(join(folder, "koine.db"), { sync, busyMs }),
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
      const ledger = ledgerOn(await own.openStore(others), others);
      ledgers.push(ledger);
      return ledger;
    };
    const quick = isOwn ? undefined : own.quickStore?.(options);
    const store = await (quick ?? own.openStore(options));
    const ledger = ledgerOn(store, options);
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
