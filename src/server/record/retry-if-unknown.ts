// Repeats a ledger write whose outcome is unknown.
import { LedgerError } from "../../ledger/index.ts";

/** Writes, and writes again if the outcome is unknown. `check` looks for the result of the first write before that. */
export async function retryIfUnknown<Value>(write: () => Promise<Value>, check?: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
    return check === undefined ? write() : check().catch(() => write());
  }
}
