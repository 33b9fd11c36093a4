// The databases that a campaign attacks, and how a ledger on one is opened so that every step towards it can be seen.
import { ledgerOn } from "../../../src/ledger/index.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import type { Ledger, LedgerOptions } from "../../../src/ledger/types.ts";
import { BLOB_THRESHOLD } from "./content.ts";

export type Target =
  | { engine: "sqlite"; path: string; sync: "full" | "normal" }
  | { engine: "postgres"; url: string; schema: string };

/** Hears of each statement before and after it. */
export type Trace = (point: string) => void;

const LEASE_MS = 3000;

export async function openStore(target: Target, trace: Trace): Promise<LedgerStore> {
  if (target.engine === "sqlite") {
    const { openSqlite } = await import("../../../src/ledger/stores/sqlite/index.ts");
    return openSqlite(target.path, { sync: target.sync, busyMs: 20_000, trace });
  }
  const { openPostgres } = await import("../../../src/ledger/stores/postgres/index.ts");
  return openPostgres(target.url, { schema: target.schema, connections: 4, busyMs: 20_000, trace });
}

/** A ledger on a store, with everything small and soon, so that a short campaign meets all of it. */
export function openOn(store: LedgerStore, options: LedgerOptions = {}): Ledger {
  return ledgerOn(store, {
    blobThreshold: BLOB_THRESHOLD,
    leaseMs: LEASE_MS,
    flushMs: 1,
    deltaRetentionMs: 30,
    ...options,
  });
}

/** A ledger whose clock is past every lease that anybody holds now. */
export function openLate(store: LedgerStore): Ledger {
  return openOn(store, { clock: () => Date.now() + LEASE_MS + 1000 });
}
