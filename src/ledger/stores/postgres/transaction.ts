// Implements the transaction of a Postgres store. It differs from the common SQL transaction in how it locks a thread.
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
   * Locks and reads a thread with two statements that are sent together. One statement would not suffice: the read must
   * see the state after the lock was acquired. If the lock fails, the read fails with the same error. A thread that was
   * created between the two statements is not locked yet, so the call is repeated.
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
