// The transaction of a Postgres store, where it differs from the common SQL transaction.
import type { ThreadHead } from "../../store/rows.ts";
import type { Awaitable } from "../../store/steps.ts";
import type { ThreadKey } from "../../store/contract.ts";
import type { Statements } from "../sql/statements.ts";
import type { OnThreadWrite } from "../sql/deletions.ts";
import { SqlTransaction } from "../sql/transaction.ts";
import type { PostgresTransaction } from "./session.ts";

/** The transaction of a Postgres store. */
export class PostgresLedgerTransaction extends SqlTransaction {
  readonly #transaction: PostgresTransaction;

  constructor(transaction: PostgresTransaction, statements: Statements, onThreadWrite: OnThreadWrite) {
    super(transaction, statements, onThreadWrite);
    this.#transaction = transaction;
  }

  /**
   * Sends the lock and the read that follows it together. They stay two statements, because the snapshot of the second
   * begins when the lock is acquired. If the lock fails, the read fails with its error. A thread that was created
   * between the two is not locked yet, so the call is repeated.
   */
  override lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    this.#transaction.waitForThread(JSON.stringify([key.tenant, key.threadId]));
    const locked = this.session.all(this.statements.fixed["lock-thread"], [key.tenant, key.threadId]);
    const head = this.thread(key);
    return Promise.all([locked, head]).then(([rows, read]) =>
      rows.length === 0 && read !== undefined ? this.lockThread(key) : read,
    );
  }
}
