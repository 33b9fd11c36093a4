// Requests work on a thread by inserting a row, which exists until the work is completed.
import type { LedgerScope } from "../scope.ts";
import { wait, type Steps } from "../store/steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store/contract.ts";
import { lockThread, toThreadKey } from "../threads/threads.ts";

export async function requestWork(scope: LedgerScope, threadId: string): Promise<void> {
  const key = toThreadKey(scope, threadId);
  await scope.store.write(function* writeRequest(tx) {
    yield* lockThread(tx, key);
    yield* insertWorkRequest(scope, tx, key);
  });
}

/** Requests work on a thread that the transaction has locked. */
export function* insertWorkRequest(
  scope: LedgerScope,
  tx: LedgerTransaction,
  { tenant, threadId }: ThreadKey,
): Steps<void> {
  const noLease = { holder: null, leaseId: null, leaseUntil: 0 };
  yield* wait(tx.addWork({ tenant, threadId, wants: 1, wantedAt: scope.now(), ...noLease }));
}
