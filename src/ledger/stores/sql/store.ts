// Defines the base class of the SQL stores: the methods that list and watch threads by activity.
import type { ThreadChange } from "../../overview/types.ts";
import type { LedgerStore } from "../../store/contract.ts";
import type { ActivityPage } from "../../store/queries.ts";
import type { ActiveThread, ListedHead } from "../../store/rows.ts";
import type { ActivityWriter } from "./activity-writer.ts";

/** The methods of a SQL store that list and watch threads. */
export abstract class SqlStore implements Pick<LedgerStore, "activeThreads" | "heads" | "watchThreads"> {
  protected abstract readonly activity: ActivityWriter;

  /** Throws "closed" after `close` was called. */
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
