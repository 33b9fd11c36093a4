// Implements the reads of a SQL store, for SQLite and Postgres. A read is synchronous if its session is synchronous.
import type * as Rows from "../../store/rows.ts";
import { wait, mapAwaitable, runSyncOrAsync, type Awaitable, type Steps } from "../../store/steps.ts";
import type { LedgerReads, ThreadKey } from "../../store/contract.ts";
import type { IdRange, ThreadsPage, TitlesPage } from "../../store/queries.ts";
import { compareIds } from "../compare-ids.ts";
import {
  ALIASES,
  BLOB_REFS,
  BLOBS,
  CHUNKS,
  HEADERS,
  KEYS,
  LOG,
  MESSAGES,
  QUARANTINE,
  RUNS,
  THREADS,
  type SqlTable,
  USAGES,
  WORK,
} from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue, Statement } from "./engine.ts";
import type { Statements } from "./statements.ts";

/** The reads of a SQL store. */
export class SqlReads implements LedgerReads {
  protected readonly session: SqlSession;
  protected readonly statements: Statements;

  constructor(session: SqlSession, statements: Statements) {
    this.session = session;
    this.statements = statements;
  }

  thread(key: ThreadKey): Awaitable<Rows.ThreadHead | undefined> {
    return mapAwaitable(this.session.all(this.statements.fixed.thread, [key.tenant, key.threadId]), toHeadOrUndefined);
  }

  threads(tenant: string, { before, kind, limit }: ThreadsPage): Awaitable<Rows.ThreadRow[]> {
    const values: SqlValue[] = [tenant, toRowLimit(limit)];
    if (before !== undefined) values.push(before);
    if (typeof kind === "string") values.push(kind);
    return this.#list(THREADS, this.statements.threads(before !== undefined, kind), values);
  }

  titles(tenant: string, { before, term, limit }: TitlesPage): Awaitable<Pick<Rows.ThreadRow, "id" | "title">[]> {
    const { fixed } = this.statements;
    const values: SqlValue[] = [tenant, toRowLimit(limit)];
    if (term !== undefined) values.push(term);
    if (before !== undefined) values.push(before);
    const [all, below] =
      term === undefined ? [fixed.titles, fixed["titles-before"]] : [fixed["titles-with"], fixed["titles-with-before"]];
    const rows = this.session.all(before === undefined ? all : below, values);
    return mapAwaitable(rows, (titles) => titles.map(([id, title]) => ({ id: String(id), title: String(title) })));
  }

  countMessages(tenant: string, ranges: readonly Rows.MessageCountRange[]): Awaitable<Rows.MessageCount[]> {
    if (ranges.length === 0) return [];
    const list = ranges.map(({ threadId, after, upTo, first }) => [threadId, after, upTo, first ? "first" : ""]);
    return mapAwaitable(this.session.all(this.statements.fixed.tallies, [tenant, JSON.stringify(list)]), (rows) =>
      rows.map(([threadId, messages, body]) => ({
        threadId: String(threadId),
        messages: Number(messages),
        firstUserBody: toTextOrNull(body),
      })),
    );
  }

  message(key: ThreadKey, id: string): Awaitable<Rows.MessageRow | undefined> {
    return this.#one(MESSAGES, this.statements.fixed.message, [key.tenant, key.threadId, id]);
  }

  messages(key: ThreadKey, range: IdRange): Awaitable<Rows.MessageRow[]> {
    return this.#list(MESSAGES, this.statements.messages.of(range), toRangeValues(key, range));
  }

  headers(key: ThreadKey, range: IdRange): Awaitable<Rows.MessageHeader[]> {
    return this.#list(HEADERS, this.statements.headers.of(range), toRangeValues(key, range));
  }

  findDigests(
    tenant: string,
    digests: readonly string[],
    limit: number,
    scope?: string,
  ): Awaitable<Rows.MessageHeader[]> {
    const { fixed } = this.statements;
    const isSingle = digests.length === 1;
    const [all, ofScope] = isSingle
      ? [fixed["find-digest"], fixed["find-digest-of"]]
      : [fixed["find-digests"], fixed["find-digests-of"]];
    const values = [tenant, isSingle ? (digests[0] ?? "") : JSON.stringify(digests), toRowLimit(limit)];
    return scope === undefined ? this.#list(HEADERS, all, values) : this.#list(HEADERS, ofScope, [...values, scope]);
  }

  run(tenant: string, id: string): Awaitable<Rows.RunRow | undefined> {
    return this.#one(RUNS, this.statements.fixed.run, [tenant, id]);
  }

  runs(key: ThreadKey, last?: number): Awaitable<Rows.RunRow[]> {
    const { runs, "last-runs": newest } = this.statements.fixed;
    const keys = [key.tenant, key.threadId];
    if (last === undefined) return this.#list(RUNS, runs, keys);
    return mapAwaitable(this.#list(RUNS, newest, [...keys, toRowLimit(last)]), (rows) => rows.reverse());
  }

  liveRuns(key: ThreadKey): Awaitable<Rows.RunRow[]> {
    return this.#list(RUNS, this.statements.fixed["live-runs"], [key.tenant, key.threadId]);
  }

  runIds(key: ThreadKey, state: Rows.RunState): Awaitable<string[]> {
    return this.#texts(this.statements.fixed["run-ids"], [key.tenant, key.threadId, state]);
  }

  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Awaitable<Rows.RunRow[]> {
    const threads = threadIds.map((threadId) => [threadId]);
    return runSyncOrAsync(this.#listForEach(RUNS, this.statements.fixed["last-runs-of-each"], tenant, threads, limit));
  }

  usages(
    tenant: string,
    positions: readonly { threadId: string; before: string }[],
    limit: number,
  ): Awaitable<Rows.RunUsage[]> {
    const list = positions.map(({ threadId, before }) => [threadId, before]);
    return runSyncOrAsync(this.#listForEach(USAGES, this.statements.fixed["usages-of-each"], tenant, list, limit));
  }

  changedRuns(tenant: string, positions: readonly { threadId: string; after: string }[]): Awaitable<Rows.RunRow[]> {
    if (positions.length === 0) return [];
    const list = JSON.stringify(positions.map(({ threadId, after }) => [threadId, after]));
    return this.#list(RUNS, this.statements.fixed["changed-runs"], [tenant, list]);
  }

  expiredRuns(now: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]> {
    const { "expired-runs": all, "expired-runs-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(RUNS, all, [now, toRowLimit(limit)])
      : this.#list(RUNS, ofTenant, [now, toRowLimit(limit), tenant]);
  }

  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Awaitable<Rows.RunRow[]> {
    const { "compactable-runs": all, "compactable-runs-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(RUNS, all, [finishedBefore, toRowLimit(limit)])
      : this.#list(RUNS, ofTenant, [finishedBefore, toRowLimit(limit), tenant]);
  }

  compactedRun(key: ThreadKey, { after, upTo }: { after: string; upTo: string }): Awaitable<Rows.RunRow | undefined> {
    return this.#one(RUNS, this.statements.fixed["compacted-run"], [key.tenant, key.threadId, after, upTo]);
  }

  log(key: ThreadKey, range: IdRange & { runId?: string }): Awaitable<Rows.LogRow[]> {
    return this.#list(LOG, this.statements.log.of(range), toRangeValues(key, range));
  }

  alias(tenant: string, name: string): Awaitable<Rows.AliasRow | undefined> {
    return this.#one(ALIASES, this.statements.fixed.alias, [tenant, name]);
  }

  aliases(key: ThreadKey): Awaitable<Rows.AliasRow[]> {
    return this.#list(ALIASES, this.statements.fixed.aliases, [key.tenant, key.threadId]);
  }

  work(key: ThreadKey): Awaitable<Rows.WorkRow | undefined> {
    return this.#one(WORK, this.statements.fixed.work, [key.tenant, key.threadId]);
  }

  openWork(now: number, limit: number, tenant?: string): Awaitable<Rows.WorkRow[]> {
    const { "open-work": all, "open-work-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(WORK, all, [now, toRowLimit(limit)])
      : this.#list(WORK, ofTenant, [now, toRowLimit(limit), tenant]);
  }

  idempotencyKey(key: ThreadKey, name: string): Awaitable<Rows.KeyRow | undefined> {
    return this.#one(KEYS, this.statements.fixed["idempotency-key"], [key.tenant, key.threadId, name]);
  }

  blob(tenant: string, hash: string): Awaitable<Rows.BlobRow | undefined> {
    return this.#one(BLOBS, this.statements.fixed.blob, [tenant, hash]);
  }

  chunk(tenant: string, blobId: string, position: number): Awaitable<Rows.ChunkRow | undefined> {
    return this.#one(CHUNKS, this.statements.fixed.chunk, [tenant, blobId, position]);
  }

  blobRefs(key: ThreadKey): Awaitable<Rows.BlobRefRow[]> {
    return this.#list(BLOB_REFS, this.statements.fixed["blob-refs"], [key.tenant, key.threadId]);
  }

  quarantined(tenant: string, limit: number): Awaitable<Rows.QuarantineRow[]> {
    return this.#list(QUARANTINE, this.statements.fixed.quarantined, [tenant, toRowLimit(limit)]);
  }

  /**
   * Lists up to `limit` rows for each position, which is a thread id and further parameters of the statement. Runs one
   * statement for all positions if the engine supports that.
   */
  *#listForEach<Row extends object>(
    table: SqlTable<Row>,
    statement: Statement,
    tenant: string,
    positions: readonly (readonly string[])[],
    limit: number,
  ): Steps<Row[]> {
    if (positions.length === 0) return [];
    const count = toRowLimit(limit);
    if (this.statements.readsEach) {
      return yield* wait(this.#list(table, statement, [tenant, JSON.stringify(positions), count]));
    }
    const result: Row[] = [];
    for (const [threadId = "", ...rest] of positions) {
      result.push(...(yield* wait(this.#list(table, statement, [tenant, threadId, count, ...rest]))));
    }
    return result;
  }

  /** Lists the first column of the rows, as text. */
  #texts(statement: Statement, values: readonly SqlValue[]): Awaitable<string[]> {
    return mapAwaitable(this.session.all(statement, values), (rows) => rows.map(([text]) => String(text)));
  }

  #list<Row extends object>(table: SqlTable<Row>, statement: Statement, values: readonly SqlValue[]): Awaitable<Row[]> {
    return mapAwaitable(this.session.all(statement, values), (rows) => rows.map((row) => table.decode(row)));
  }

  #one<Row extends object>(
    table: SqlTable<Row>,
    statement: Statement,
    values: readonly SqlValue[],
  ): Awaitable<Row | undefined> {
    return mapAwaitable(this.session.all(statement, values), ([row]) => row && table.decode(row));
  }
}

/** Converts the first row with `toHead`; undefined if there are no rows. */
function toHeadOrUndefined([row]: readonly SqlRow[]): Rows.ThreadHead | undefined {
  return row && toHead(row);
}

/**
 * Converts a row to a thread head. After the columns of the thread, the row must contain the largest id of its
 * messages, the largest id of its log, and `last_id`.
 */
export function toHead(row: SqlRow): Rows.ThreadHead {
  const at = THREADS.columns.length;
  // The cast is safe, because the ids are text, or null if there are no such rows.
  const [message, logged, deleted] = [row[at], row[at + 1], row[at + 2]] as (string | null)[];
  const lastId = largerId(largerId(message ?? "", logged ?? ""), deleted ?? "");
  return Object.assign(THREADS.decode(row), { newestMessageId: message ?? null, lastId });
}

function toTextOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function largerId(a: string, b: string): string {
  return compareIds(a, b) > 0 ? a : b;
}

function toRangeValues(key: ThreadKey, { after, upTo, runId, limit }: IdRange & { runId?: string }): SqlValue[] {
  const values: SqlValue[] = [key.tenant, key.threadId, after ?? "", toRowLimit(limit)];
  if (upTo !== undefined) values.push(upTo);
  // `runId` "" selects journal entries, and the statement for journal entries has no parameter for the run.
  if (runId !== undefined && runId !== "") values.push(runId);
  return values;
}

/**
 * Returns the nearest limit that both engines accept: an integer of 31 bits. SQLite would treat a negative limit as no
 * limit, and neither engine accepts Infinity.
 */
export function toRowLimit(limit: number): number {
  return Math.min(Math.max(Math.ceil(limit), 0), 2 ** 31 - 1);
}
