// A store whose writes and reads can be made to fail, or to take their time.
import { LedgerError, ledgerOn } from "../../../src/ledger/index.ts";
import type { Ledger, LedgerStore } from "../../../src/ledger/index.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";

export interface Fault {
  /** Everything fails with this code. */
  writes?: "disk-full" | "unavailable";
  reads?: "unavailable";
  /** Writes wait for it. */
  gate?: Promise<void>;
}

/** A ledger in memory, and its faults: change them at any time. */
export function faultyLedger(): { ledger: Ledger; fault: Fault } {
  const store = memoryStore();
  const fault: Fault = {};
  const fail = (code: "disk-full" | "unavailable"): never => {
    throw new LedgerError(code, "The test says so.");
  };
  const reads = new Proxy(store.reads, {
    get(target, name) {
      if (fault.reads !== undefined) return () => fail(fault.reads ?? "unavailable");
      // Whatever it is, it is handed on.
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
  return { ledger: ledgerOn(wrapped, { flushMs: 1 }), fault };
}
