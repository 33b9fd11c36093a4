// Base of the SQL stores: the methods that read or watch the activity of threads.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store/contract.ts";
import type { ActivityPage } from "../../store/queries.ts";
import type { ActiveThread, ListedHead } from "../../store/rows.ts";
import type { ActivityWriter } from "./activity-writer.ts";

/** The thread lists of a SQL store. */
export abstract class SqlStore implements Pick<LedgerStore, "activeThreads" | "heads" | "watchThreads"> {
  protected abstract readonly activity: ActivityWriter;

  /** Throws a "closed" error once `close` was called. */
  protected abstract assertOpen(): void;

  async activeThreads(tenant: string, page: ActivityPage): Promise<ActiveThread[]> {
    this.assertOpen();
    return this.activity.threads(tenant, page);
  }

  async heads(tenant: string, ids: readonly string[]): Promise<ListedHead[]> {
    this.assertOpen();
    return this.activity.heads(tenant, ids);
  }

  async watchThreads(tenant: string, notify: (changes: readonly ThreadChange[]) => void): Promise<() => void> {
    this.assertOpen();
    return this.activity.watch(tenant, notify);
  }
}
