// The databases that a campaign attacks, opened with a trace of every statement.
import { createLedger } from "../../../../src/ledger/index.ts";
import type { LedgerStore } from "../../../../src/ledger/store/contract.ts";
import type { Ledger, LedgerOptions } from "../../../../src/ledger/types.ts";
import { BLOB_THRESHOLD } from "../writer/content.ts";

export type Target =
  | { engine: "sqlite"; path: string; sync: "full" | "normal" }
  | { engine: "postgres"; url: string; schema: string };

/** Called before and after each statement. */
export type Trace = (point: string) => void;

const LEASE_MS = 3000;

export async function openStore(target: Target, trace: Trace): Promise<LedgerStore> {
  if (target.engine === "sqlite") {
    const { openSqlite } = await import("../../../../src/ledger/stores/sqlite/index.ts");
    return openSqlite(target.path, { sync: target.sync, busyMs: 20_000, trace });
  }
  const { openPostgres } = await import("../../../../src/ledger/stores/postgres/index.ts");
  return openPostgres(target.url, { schema: target.schema, connections: 4, busyMs: 20_000, trace });
}

/** Opens a ledger with small limits and short times, so that a short campaign covers all of them. */
export function openCampaignLedger(store: LedgerStore, options: LedgerOptions = {}): Ledger {
  return createLedger(store, {
    blobThreshold: BLOB_THRESHOLD,
    leaseMs: LEASE_MS,
    flushMs: 1,
    deltaRetentionMs: 30,
    ...options,
  });
}

/** Opens a ledger whose clock is after the end of every lease. */
export function openAfterLeases(store: LedgerStore): Ledger {
  return openCampaignLedger(store, { clock: () => Date.now() + LEASE_MS + 1000 });
}
