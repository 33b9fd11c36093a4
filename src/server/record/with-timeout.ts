// Limits the time that a call waits for a ledger write.
import { createUnavailableError, toRecordError } from "./record-errors.ts";

/** Returns the result of `work`. Rejects with a `ServerError` if `work` fails or takes longer than `maxWaitMs`. */
export async function withTimeout<Value>(work: Promise<Value>, maxWaitMs: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(createUnavailableError(`the write took longer than ${maxWaitMs} ms.`)),
    maxWaitMs,
  );
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw toRecordError(error);
  } finally {
    clearTimeout(timer);
  }
}
