// The reads of a ledger over SQL, for both engines. Answers at once where the session does.
import type {
  AliasRow,
  BlobRefRow,
  BlobRow,
  ChunkRow,
  KeyRow,
  LogRow,
  MessageHeader,
  MessageRow,
  QuarantineRow,
  RunRow,
  RunState,
  RunUsage,
  MessageCountRange,
  ThreadHead,
  ThreadRow,
  MessageCount,
  WorkRow,
} from "../../rows.ts";
import { got, mapAwaitable, runMixed, type Awaitable, type Steps } from "../../steps.ts";
import type { LedgerReads, IdRange, ThreadKey, ThreadsPage, TitlesPage } from "../../store.ts";
import { compareIds } from "../compare.ts";
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
  type Table,
  USAGES,
  WORK,
} from "./columns.ts";
import type { SqlRow, SqlSession, SqlValue, Statement } from "./engine.ts";
import type { Statements } from "./statements.ts";

export class SqlReads implements LedgerReads {
  protected readonly session: SqlSession;
  protected readonly statements: Statements;

  constructor(session: SqlSession, statements: Statements) {
    this.session = session;
    this.statements = statements;
  }

  thread(key: ThreadKey): Awaitable<ThreadHead | undefined> {
    return mapAwaitable(this.session.all(this.statements.fixed.thread, [key.tenant, key.threadId]), headOf);
  }

  threads(tenant: string, { before, kind, limit }: ThreadsPage): Awaitable<ThreadRow[]> {
    const values: SqlValue[] = [tenant, rowCount(limit)];
    if (before !== undefined) values.push(before);
    if (typeof kind === "string") values.push(kind);
    return this.#list(THREADS, this.statements.threads(before !== undefined, kind), values);
  }

  titles(tenant: string, { before, word, limit }: TitlesPage): Awaitable<Pick<ThreadRow, "id" | "title">[]> {
    const { fixed } = this.statements;
    const values: SqlValue[] = [tenant, rowCount(limit)];
    if (word !== undefined) values.push(word);
    if (before !== undefined) values.push(before);
    const [all, below] =
      word === undefined ? [fixed.titles, fixed["titles-before"]] : [fixed["titles-with"], fixed["titles-with-before"]];
    const rows = this.session.all(before === undefined ? all : below, values);
    return mapAwaitable(rows, (found) => found.map(([id, title]) => ({ id: String(id), title: String(title) })));
  }

  tallies(tenant: string, places: readonly MessageCountRange[]): Awaitable<MessageCount[]> {
    if (places.length === 0) return [];
    const list = places.map(({ threadId, after, upTo, first }) => [threadId, after, upTo, first ? "first" : ""]);
    return mapAwaitable(this.session.all(this.statements.fixed.tallies, [tenant, JSON.stringify(list)]), (rows) =>
      rows.map(([threadId, messages, body]) => ({
        threadId: String(threadId),
        messages: Number(messages),
        firstUserBody: textIn(body),
      })),
    );
  }

  message(key: ThreadKey, id: string): Awaitable<MessageRow | undefined> {
    return this.#one(MESSAGES, this.statements.fixed.message, [key.tenant, key.threadId, id]);
  }

  messages(key: ThreadKey, stretch: IdRange): Awaitable<MessageRow[]> {
    return this.#list(MESSAGES, this.statements.messages.of(stretch), stretchValues(key, stretch));
  }

  headers(key: ThreadKey, stretch: IdRange): Awaitable<MessageHeader[]> {
    return this.#list(HEADERS, this.statements.headers.of(stretch), stretchValues(key, stretch));
  }

  findDigests(tenant: string, digests: readonly string[], limit: number, scope?: string): Awaitable<MessageHeader[]> {
    const { fixed } = this.statements;
    const isOne = digests.length === 1;
    const [all, ofScope] = isOne
      ? [fixed["find-digest"], fixed["find-digest-of"]]
      : [fixed["find-digests"], fixed["find-digests-of"]];
    const values = [tenant, isOne ? (digests[0] ?? "") : JSON.stringify(digests), rowCount(limit)];
    return scope === undefined ? this.#list(HEADERS, all, values) : this.#list(HEADERS, ofScope, [...values, scope]);
  }

  run(tenant: string, id: string): Awaitable<RunRow | undefined> {
    return this.#one(RUNS, this.statements.fixed.run, [tenant, id]);
  }

  runs(key: ThreadKey, last?: number): Awaitable<RunRow[]> {
    const { runs, "last-runs": newest } = this.statements.fixed;
    const whose = [key.tenant, key.threadId];
    if (last === undefined) return this.#list(RUNS, runs, whose);
    return mapAwaitable(this.#list(RUNS, newest, [...whose, rowCount(last)]), (rows) => rows.reverse());
  }

  liveRuns(key: ThreadKey): Awaitable<RunRow[]> {
    return this.#list(RUNS, this.statements.fixed["live-runs"], [key.tenant, key.threadId]);
  }

  runIds(key: ThreadKey, state: RunState): Awaitable<string[]> {
    return this.#texts(this.statements.fixed["run-ids"], [key.tenant, key.threadId, state]);
  }

  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Awaitable<RunRow[]> {
    const places = threadIds.map((threadId) => [threadId]);
    return runMixed(this.#ofEach(RUNS, this.statements.fixed["last-runs-of-each"], tenant, places, limit));
  }

  usages(
    tenant: string,
    places: readonly { threadId: string; before: string }[],
    limit: number,
  ): Awaitable<RunUsage[]> {
    const list = places.map(({ threadId, before }) => [threadId, before]);
    return runMixed(this.#ofEach(USAGES, this.statements.fixed["usages-of-each"], tenant, list, limit));
  }

  changedRuns(tenant: string, places: readonly { threadId: string; after: string }[]): Awaitable<RunRow[]> {
    if (places.length === 0) return [];
    const list = JSON.stringify(places.map(({ threadId, after }) => [threadId, after]));
    return this.#list(RUNS, this.statements.fixed["changed-runs"], [tenant, list]);
  }

  expiredRuns(now: number, limit: number, tenant?: string): Awaitable<RunRow[]> {
    const { "expired-runs": all, "expired-runs-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(RUNS, all, [now, rowCount(limit)])
      : this.#list(RUNS, ofTenant, [now, rowCount(limit), tenant]);
  }

  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Awaitable<RunRow[]> {
    const { "compactable-runs": all, "compactable-runs-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(RUNS, all, [finishedBefore, rowCount(limit)])
      : this.#list(RUNS, ofTenant, [finishedBefore, rowCount(limit), tenant]);
  }

  compactedRun(key: ThreadKey, { after, upTo }: { after: string; upTo: string }): Awaitable<RunRow | undefined> {
    return this.#one(RUNS, this.statements.fixed["compacted-run"], [key.tenant, key.threadId, after, upTo]);
  }

  log(key: ThreadKey, stretch: IdRange & { runId?: string }): Awaitable<LogRow[]> {
    return this.#list(LOG, this.statements.log.of(stretch), stretchValues(key, stretch));
  }

  alias(tenant: string, name: string): Awaitable<AliasRow | undefined> {
    return this.#one(ALIASES, this.statements.fixed.alias, [tenant, name]);
  }

  aliases(key: ThreadKey): Awaitable<AliasRow[]> {
    return this.#list(ALIASES, this.statements.fixed.aliases, [key.tenant, key.threadId]);
  }

  work(key: ThreadKey): Awaitable<WorkRow | undefined> {
    return this.#one(WORK, this.statements.fixed.work, [key.tenant, key.threadId]);
  }

  openWork(now: number, limit: number, tenant?: string): Awaitable<WorkRow[]> {
    const { "open-work": all, "open-work-of": ofTenant } = this.statements.fixed;
    return tenant === undefined
      ? this.#list(WORK, all, [now, rowCount(limit)])
      : this.#list(WORK, ofTenant, [now, rowCount(limit), tenant]);
  }

  idempotencyKey(key: ThreadKey, name: string): Awaitable<KeyRow | undefined> {
    return this.#one(KEYS, this.statements.fixed["idempotency-key"], [key.tenant, key.threadId, name]);
  }

  blob(tenant: string, hash: string): Awaitable<BlobRow | undefined> {
    return this.#one(BLOBS, this.statements.fixed.blob, [tenant, hash]);
  }

  chunk(tenant: string, blobId: string, position: number): Awaitable<ChunkRow | undefined> {
    return this.#one(CHUNKS, this.statements.fixed.chunk, [tenant, blobId, position]);
  }

  blobRefs(key: ThreadKey): Awaitable<BlobRefRow[]> {
    return this.#list(BLOB_REFS, this.statements.fixed["blob-refs"], [key.tenant, key.threadId]);
  }

  quarantined(tenant: string, limit: number): Awaitable<QuarantineRow[]> {
    return this.#list(QUARANTINE, this.statements.fixed.quarantined, [tenant, rowCount(limit)]);
  }

  /** Some rows of each thread: with one statement where there is one for that. */
  *#ofEach<Row extends object>(
    table: Table<Row>,
    statement: Statement,
    tenant: string,
    places: readonly (readonly string[])[],
    limit: number,
  ): Steps<Row[]> {
    if (places.length === 0) return [];
    const count = rowCount(limit);
    if (this.statements.readsEach) {
      return yield* got(this.#list(table, statement, [tenant, JSON.stringify(places), count]));
    }
    const found: Row[] = [];
    for (const [threadId = "", ...rest] of places) {
      found.push(...(yield* got(this.#list(table, statement, [tenant, threadId, count, ...rest]))));
    }
    return found;
  }

  /** Rows of one text each. */
  #texts(statement: Statement, values: readonly SqlValue[]): Awaitable<string[]> {
    return mapAwaitable(this.session.all(statement, values), (rows) => rows.map(([text]) => String(text)));
  }

  #list<Row extends object>(table: Table<Row>, statement: Statement, values: readonly SqlValue[]): Awaitable<Row[]> {
    return mapAwaitable(this.session.all(statement, values), (rows) => rows.map((row) => table.decode(row)));
  }

  #one<Row extends object>(
    table: Table<Row>,
    statement: Statement,
    values: readonly SqlValue[],
  ): Awaitable<Row | undefined> {
    return mapAwaitable(this.session.all(statement, values), ([row]) => row && table.decode(row));
  }
}

/** A thread's row, then the largest ids of its messages and of its log, and one that was larger once. */
function headOf([row]: readonly SqlRow[]): ThreadHead | undefined {
  return row && headIn(row);
}

export function headIn(row: SqlRow): ThreadHead {
  const at = THREADS.columns.length;
  // Ids are text, and there is none where the thread is empty.
  const [message, logged, kept] = [row[at], row[at + 1], row[at + 2]] as (string | null)[];
  const lastId = largerId(largerId(message ?? "", logged ?? ""), kept ?? "");
  return Object.assign(THREADS.decode(row), { newestMessageId: message ?? null, lastId });
}

function textIn(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function largerId(a: string, b: string): string {
  return compareIds(a, b) > 0 ? a : b;
}

function stretchValues(key: ThreadKey, { after, upTo, runId, limit }: IdRange & { runId?: string }): SqlValue[] {
  const values: SqlValue[] = [key.tenant, key.threadId, after ?? "", rowCount(limit)];
  if (upTo !== undefined) values.push(upTo);
  // Entries have a statement of their own, which says so.
  if (runId !== undefined && runId !== "") values.push(runId);
  return values;
}

/** A limit as the engines take it: of 32 bits; SQLite reads a negative one as none, and neither knows infinity. */
export function rowCount(limit: number): number {
  return Math.min(Math.max(Math.ceil(limit), 0), 2 ** 31 - 1);
}
