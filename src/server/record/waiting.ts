// Writes that are waited for: not for ever, and made again where nobody knows what became of them.
import { LedgerError } from "../../ledger/index.ts";
import { refusalOf, unavailable } from "./refusal.ts";

/** Rejects with a `ServerError`. */
export async function withTimeout<Value>(work: Promise<Value>, maxWaitMs: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailable(`it took longer than ${maxWaitMs} ms.`)), maxWaitMs);
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw refusalOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Again where it is not known whether a write took place; `check` looks for what the first one may have done. */
export async function retryIfUnknown<Value>(write: () => Promise<Value>, check?: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.outcome !== "unknown") throw error;
    return check === undefined ? write() : check().catch(() => write());
  }
}
