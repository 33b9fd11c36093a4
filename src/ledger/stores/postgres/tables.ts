// The ledger's tables on Postgres, where they differ from the common ones.
import type { ThreadHead } from "../../rows.ts";
import type { Awaitable } from "../../steps.ts";
import type { ThreadKey } from "../../store.ts";
import type { Statements } from "../sql/statements.ts";
import type { Touch } from "../sql/deletions.ts";
import { SqlTables } from "../sql/tables.ts";
import type { Transaction } from "./session.ts";

export class PostgresTables extends SqlTables {
  readonly #transaction: Transaction;

  constructor(transaction: Transaction, statements: Statements, touch: Touch) {
    super(transaction, statements, touch);
    this.#transaction = transaction;
  }

  /**
   * The lock and the read that follows it go out together. They stay two statements: the second one's view begins when
   * the lock is held. Where the lock fails, so does the read, with the lock's error. A thread that came to be between the
   * two is not locked yet.
   */
  override lockThread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    this.#transaction.standInLine(JSON.stringify([key.tenant, key.threadId]));
    const locked = this.session.all(this.statements.fixed["lock-thread"], [key.tenant, key.threadId]);
    const head = this.thread(key);
    return Promise.all([locked, head]).then(([rows, read]) =>
      rows.length === 0 && read !== undefined ? this.lockThread(key) : read,
    );
  }
}
