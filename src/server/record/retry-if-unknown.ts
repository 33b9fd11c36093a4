// Repeats a ledger write whose outcome is unknown.
import { LedgerError } from "../../ledger/index.ts";

/**
 * Calls `write`, and calls it again if the outcome of the first write is unknown. If `check` is given, it is called
 * before the second write; if it finds the result of the first write, there is no second write.
 */
export async function retryIfUnknown<Value>(write: () => Promise<Value>, check?: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
    return check === undefined ? write() : check().catch(() => write());
  }
}
