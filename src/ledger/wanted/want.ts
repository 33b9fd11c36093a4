// The wish for work on a thread: a row that is there as long as somebody is to work on it.
import type { Scope } from "../scope.ts";
import { got, type Steps } from "../steps.ts";
import type { LedgerTransaction, ThreadKey } from "../store.ts";
import { lockedThread, threadKey } from "../threads.ts";

export async function want(scope: Scope, threadId: string): Promise<void> {
  const key = threadKey(scope, threadId);
  await scope.store.write(function* wantWorkOn(tx) {
    yield* lockedThread(tx, key);
    yield* wantWork(scope, tx, key);
  });
}

/** Of a thread that is locked. */
export function* wantWork(scope: Scope, tx: LedgerTransaction, { tenant, threadId }: ThreadKey): Steps<void> {
  const nobody = { holder: null, leaseId: null, leaseUntil: 0 };
  yield* got(tx.addWork({ tenant, threadId, wants: 1, wantedAt: scope.now(), ...nobody }));
}
