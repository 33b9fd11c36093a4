// Reads all threads of a tenant or all rows of a thread in pages, so that memory use is bounded.
import type { LogRow, MessageRow } from "./store/rows.ts";
import type { LedgerScope } from "./scope.ts";
import type { ThreadKey } from "./store/contract.ts";
import type { IdRange } from "./store/queries.ts";

const PAGE = 200;

/** Yields the ids of all threads of the tenant, largest first. */
export async function* eachThreadId({ store, tenant }: LedgerScope): AsyncGenerator<string, void, void> {
  let before: string | undefined;
  for (;;) {
    const rows = await store.reads.threads(tenant, before === undefined ? { limit: PAGE } : { before, limit: PAGE });
    for (const { id } of rows) yield id;
    if (rows.length < PAGE) return;
    before = rows.at(-1)?.id;
  }
}

/** Yields the message rows of a thread with ids up to `upTo`, in pages, oldest first. */
export function messagePages(
  scope: LedgerScope,
  key: ThreadKey,
  upTo: string,
): AsyncGenerator<MessageRow[], void, void> {
  return readPages((range) => scope.store.reads.messages(key, range), upTo);
}

/** Yields the log rows of a thread with ids up to `upTo`, in pages, oldest first. */
export function logPages(scope: LedgerScope, key: ThreadKey, upTo: string): AsyncGenerator<LogRow[], void, void> {
  return readPages((range) => scope.store.reads.log(key, range), upTo);
}

/** Yields the log rows of a thread's journal entries with ids up to `upTo`, in pages, oldest first. */
export function entryPages(scope: LedgerScope, key: ThreadKey, upTo: string): AsyncGenerator<LogRow[], void, void> {
  return readPages((range) => scope.store.reads.log(key, { ...range, runId: "" }), upTo);
}

async function* readPages<Row extends { id: string }>(
  read: (range: IdRange) => Row[] | PromiseLike<Row[]>,
  upTo: string,
): AsyncGenerator<Row[], void, void> {
  let after = "";
  for (;;) {
    const rows = await read({ after, upTo, limit: PAGE });
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? upTo;
  }
}
