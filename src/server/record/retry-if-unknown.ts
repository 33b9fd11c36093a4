// Repeats a ledger write whose outcome is unknown, for example because the connection to the database was lost.
import { LedgerError } from "../../ledger/index.ts";

/**
 * Calls `write`, and calls it again if the outcome of the first call is unknown. If `check` is given, it is called
 * before the second write. If `check` resolves to the result of the first write, there is no second write.
 */
export async function retryIfUnknown<Value>(write: () => Promise<Value>, check?: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
    return check === undefined ? write() : check().catch(() => write());
  }
}
