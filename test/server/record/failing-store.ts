// A store whose writes and reads can fail or wait.
import { LedgerError, createLedger } from "../../../src/ledger/index.ts";
import type { Ledger, LedgerStore } from "../../../src/ledger/index.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";

export interface Fault {
  /** All writes fail with this code. */
  writes?: "disk-full" | "unavailable";
  reads?: "unavailable";
  /** Writes wait for this promise. */
  gate?: Promise<void>;
}

/** Returns a ledger in memory and its faults, which can be changed at any time. */
export function faultyLedger(): { ledger: Ledger; fault: Fault } {
  const store = memoryStore();
  const fault: Fault = {};
  const fail = (code: "disk-full" | "unavailable"): never => {
    throw new LedgerError(code, "The test makes it fail.");
  };
  const reads = new Proxy(store.reads, {
    get(target, name) {
      if (fault.reads !== undefined) return () => fail(fault.reads ?? "unavailable");
      // Other properties are passed on.
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const wrapped: LedgerStore = new Proxy(store, {
    get(target, name) {
      if (name === "reads") return reads;
      if (name === "write") {
        return async (work: Parameters<LedgerStore["write"]>[0]) => {
          await fault.gate;
          if (fault.writes !== undefined) fail(fault.writes);
          return store.write(work);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { ledger: createLedger(wrapped, { flushMs: 1 }), fault };
}
