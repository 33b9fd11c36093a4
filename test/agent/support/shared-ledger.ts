// A ledger that the tests of a group share.
import { beforeAll } from "vitest";
import type { OpenLedger } from "../../ledger/support/stores.ts";
import type { LEDGERS } from "./scripted-provider.ts";

/** Opens the ledger before the first test of the group, and closes it after the last. */
export function shareLedger(store: (typeof LEDGERS)[number], give: (opened: OpenLedger) => void): void {
  beforeAll(async () => {
    const opened = await store.open();
    give(opened);
    return () => opened.close();
  });
}
