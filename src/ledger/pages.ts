// Reads whole threads and whole tenants, a page at a time, so that memory stays bounded.
import type { LogRow, MessageRow } from "./rows.ts";
import type { Scope } from "./scope.ts";
import type { IdRange, ThreadKey } from "./store.ts";

const PAGE = 200;

/** The ids of all threads of the tenant, newest first. */
export async function* everyThread({ store, tenant }: Scope): AsyncGenerator<string, void, void> {
  let before: string | undefined;
  for (;;) {
    const rows = await store.reads.threads(tenant, before === undefined ? { limit: PAGE } : { before, limit: PAGE });
    for (const { id } of rows) yield id;
    if (rows.length < PAGE) return;
    before = rows.at(-1)?.id;
  }
}

/** The messages of a thread up to an id, in pages, oldest first. */
export function messagePages(scope: Scope, key: ThreadKey, upTo: string): AsyncGenerator<MessageRow[], void, void> {
  return pages((stretch) => scope.store.reads.messages(key, stretch), upTo);
}

/** The log of a thread up to an id, in pages, oldest first. */
export function logPages(scope: Scope, key: ThreadKey, upTo: string): AsyncGenerator<LogRow[], void, void> {
  return pages((stretch) => scope.store.reads.log(key, stretch), upTo);
}

/** The entries of a thread's journal up to an id, in pages, oldest first. */
export function entryPages(scope: Scope, key: ThreadKey, upTo: string): AsyncGenerator<LogRow[], void, void> {
  return pages((stretch) => scope.store.reads.log(key, { ...stretch, runId: "" }), upTo);
}

async function* pages<Row extends { id: string }>(
  read: (stretch: IdRange) => Row[] | PromiseLike<Row[]>,
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
