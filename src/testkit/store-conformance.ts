// The suite for stores: what Koine's own stores pass, and a third party's can run. It needs no test runner: each case
// has a title and rejects where it does not hold.
import type { LedgerStore } from "../ledger/store/contract.ts";
import { ATOMICITY_CLAIMS } from "./store/atomicity.ts";
import { CONCURRENCY_CLAIMS } from "./store/concurrency.ts";
import { DELETE_CLAIMS } from "./store/deletes.ts";
import { LIFE_CLAIMS } from "./store/lifecycle.ts";
import { ORDER_CLAIMS } from "./store/order.ts";
import { OVERVIEW_CLAIMS } from "./store/overview.ts";
import { SEARCH_CLAIMS } from "./store/search.ts";
import { StoreTestContext } from "./store/store-test-context.ts";
import { TENANT_CLAIMS } from "./store/tenants.ts";
import { VALUE_CLAIMS } from "./store/values.ts";
import { WORK_CLAIMS } from "./store/aliases-and-work.ts";
import { WRITE_CLAIMS } from "./store/writes.ts";

/** One thing that must hold of a store. `run` rejects where it does not. */
export interface StoreConformanceCase {
  title: string;
  run: () => Promise<void>;
}

export interface StoreConformanceOptions {
  /** For the titles. Default "store". */
  name?: string;
  /**
   * Whether two stores that `open` gives have the same data, as two processes with one database. Then cases about
   * several writers and readers use two. Default false.
   */
  isShared?: boolean;
  /** How long a wake-up may take, in milliseconds. Default 10,000. */
  patienceMs?: number;
}

const CLAIMS = [
  ...VALUE_CLAIMS,
  ...ORDER_CLAIMS,
  ...WRITE_CLAIMS,
  ...DELETE_CLAIMS,
  ...WORK_CLAIMS,
  ...TENANT_CLAIMS,
  ...ATOMICITY_CLAIMS,
  ...CONCURRENCY_CLAIMS,
  ...SEARCH_CLAIMS,
  ...OVERVIEW_CLAIMS,
  ...LIFE_CLAIMS,
];

/**
 * The contract of LedgerStore, sentence by sentence. `open` is called by every case and need not give an empty store:
 * each case has a tenant of its own. What it opened, a case closes.
 */
export function storeConformance(
  open: () => Promise<LedgerStore>,
  options: StoreConformanceOptions = {},
): StoreConformanceCase[] {
  const { name = "store", isShared = false, patienceMs = 10_000 } = options;
  return CLAIMS.map(([claim, check]) => ({
    title: `${name}: ${claim}`,
    run: async () => {
      const store = await open();
      const stage = new StoreTestContext(store, isShared ? open : () => Promise.resolve(store), patienceMs);
      try {
        await check(stage);
      } finally {
        await stage.close();
      }
    },
  }));
}
