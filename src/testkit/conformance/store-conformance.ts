// Creates the conformance suite for ledger stores. The suite needs no test runner: each case has a title and a function
// `run`, whose promise is rejected if the store does not meet the requirement.
import type { LedgerStore } from "../../ledger/store/contract.ts";
import { ATOMICITY_CLAIMS } from "../store/atomicity.ts";
import { CONCURRENCY_CLAIMS } from "../store/concurrency.ts";
import { DELETE_CLAIMS } from "../store/deletes.ts";
import { LIFE_CLAIMS } from "../store/lifecycle.ts";
import { ORDER_CLAIMS } from "../store/order.ts";
import { OVERVIEW_CLAIMS } from "../store/overview.ts";
import { SEARCH_CLAIMS } from "../store/search.ts";
import { StoreTestContext } from "../store/store-test-context.ts";
import { TENANT_CLAIMS } from "../store/tenants.ts";
import { VALUE_CLAIMS } from "../store/values.ts";
import { WORK_CLAIMS } from "../store/aliases-and-work.ts";
import { WRITE_CLAIMS } from "../store/writes.ts";

/** One requirement of a store. `run` rejects if the store does not meet it. */
export interface StoreConformanceCase {
  title: string;
  run: () => Promise<void>;
}

/** Options of `storeConformance`. */
export interface StoreConformanceOptions {
  /** The name of the store in the titles. Default "store". */
  name?: string;
  /**
   * True if all stores that `open` returns have the same data, like two processes with one database. Cases with several
   * writers and readers then use two stores. Default false.
   */
  isShared?: boolean;
  /** The maximum time until a watcher is called after a write, in milliseconds. Default 10,000. */
  wakeTimeoutMs?: number;
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
 * Returns the cases for the contract of LedgerStore. Every case calls `open` and closes the store. The store need not
 * be empty, because each case uses a tenant of its own.
 */
export function storeConformance(
  open: () => Promise<LedgerStore>,
  options: StoreConformanceOptions = {},
): StoreConformanceCase[] {
  const { name = "store", isShared = false, wakeTimeoutMs = 10_000 } = options;
  return CLAIMS.map(([claim, check]) => ({
    title: `${name}: ${claim}`,
    run: async () => {
      const store = await open();
      const context = new StoreTestContext(store, isShared ? open : () => Promise.resolve(store), wakeTimeoutMs);
      try {
        await check(context);
      } finally {
        await context.close();
      }
    },
  }));
}
