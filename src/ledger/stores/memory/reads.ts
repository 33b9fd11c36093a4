// Implements the reads of a memory store. Every returned row is a copy.
import type * as Rows from "../../store/rows.ts";
import { FIRST_MESSAGES } from "../../store/rows.ts";
import type { LedgerReads, ThreadKey } from "../../store/contract.ts";
import type { IdRange, ThreadsPage, TitlesPage } from "../../store/queries.ts";
import { type MemoryData, toThreadMapKey } from "./data.ts";
import { compareIds } from "../compare-ids.ts";

const NON_ASCII = /[^\0-\x7f]/;

function copy<Row extends object>(row: Row): Row {
  return { ...row };
}

function copyIfDefined<Row extends object>(row: Row | undefined): Row | undefined {
  return row && { ...row };
}

function toHeader({ tenant, threadId, id, parentId, runId, role, digest }: Rows.MessageRow): Rows.MessageHeader {
  return { tenant, threadId, id, parentId, runId, role, digest };
}

function readEndTime(run: Rows.RunRow): number {
  return run.finishedAt ?? Infinity;
}

/**
 * Returns copies of up to `limit` rows for which `isDue` is true, the earliest time (`readTime`) first; with `tenant`,
 * only rows of that tenant.
 */
function listDue<Row extends { tenant: string }>(
  rows: Iterable<Row>,
  isDue: (row: Row) => boolean,
  readTime: (row: Row) => number,
  limit: number,
  tenant: string | undefined,
): Row[] {
  return [...rows]
    .filter((row) => isDue(row) && (tenant === undefined || row.tenant === tenant))
    .sort((left, right) => readTime(left) - readTime(right))
    .slice(0, limit)
    .map(copy);
}

export class MemoryReads implements LedgerReads {
  protected readonly data: MemoryData;

  constructor(data: MemoryData) {
    this.data = data;
  }

  thread(key: ThreadKey): Rows.ThreadHead | undefined {
    const row = this.data.tenant(key.tenant).threads.get(key.threadId);
    if (row === undefined) return undefined;
    const { messages, log, lastId: deletedLastId } = this.data.thread(key);
    const [newest, lastLogged] = [messages.lastId, log.lastId];
    return {
      ...row,
      newestMessageId: newest === "" ? null : newest,
      lastId: [newest, lastLogged, deletedLastId.get("lastId") ?? ""].reduce((a, b) => (compareIds(a, b) > 0 ? a : b)),
    };
  }

  threads(tenant: string, { before, kind, limit }: ThreadsPage): Rows.ThreadRow[] {
    const { threads } = this.data.tenant(tenant);
    const matches = (row: Rows.ThreadRow): boolean => row.id !== before && (kind === undefined || row.kind === kind);
    const range: IdRange = { order: "desc", limit };
    if (before !== undefined) range.upTo = before;
    return threads.readRange(range, matches).map(copy);
  }

  titles(tenant: string, { before, term = "", limit }: TitlesPage): Pick<Rows.ThreadRow, "id" | "title">[] {
    const range: IdRange = { order: "desc", limit };
    if (before !== undefined) range.upTo = before;
    const matches = ({ id, title }: Rows.ThreadRow): boolean =>
      title !== null && id !== before && (title.toLowerCase().includes(term) || NON_ASCII.test(title));
    const rows = this.data.tenant(tenant).threads.readRange(range, matches);
    return rows.map(({ id, title }) => ({ id, title }));
  }

  countMessages(tenant: string, ranges: readonly Rows.MessageCountRange[]): Rows.MessageCount[] {
    return ranges.map(({ threadId, after, upTo, first }) => {
      const { messages } = this.data.thread({ tenant, threadId });
      const firstMessages = first ? messages.readRange({ limit: FIRST_MESSAGES }) : [];
      const firstUser = firstMessages.find(({ role }) => role === "user");
      const count = messages.readRange({ after, upTo, limit: messages.size }).length;
      return { threadId, messages: count, firstUserBody: firstUser?.body ?? null };
    });
  }

  message(key: ThreadKey, id: string): Rows.MessageRow | undefined {
    return copyIfDefined(this.data.thread(key).messages.get(id));
  }

  messages(key: ThreadKey, range: IdRange): Rows.MessageRow[] {
    return this.data.thread(key).messages.readRange(range).map(copy);
  }

  headers(key: ThreadKey, range: IdRange): Rows.MessageHeader[] {
    return this.data.thread(key).messages.readRange(range).map(toHeader);
  }

  findDigests(tenant: string, digests: readonly string[], limit: number, scope?: string): Rows.MessageHeader[] {
    const { digests: byDigest, threads } = this.data.tenant(tenant);
    const matches =
      scope === undefined ? undefined : ({ threadId }: Rows.MessageRow) => threads.get(threadId)?.scope === scope;
    return [...new Set(digests)]
      .flatMap((digest) => byDigest.get(digest)?.readRange({ order: "desc", limit }, matches) ?? [])
      .sort((left, right) => compareIds(right.id, left.id))
      .slice(0, limit)
      .map(toHeader);
  }

  run(tenant: string, id: string): Rows.RunRow | undefined {
    return this.data.tenant(tenant).runsById.get(id)?.all().map(copy)[0];
  }

  runs(key: ThreadKey, last?: number): Rows.RunRow[] {
    const { runs } = this.data.thread(key);
    if (last === undefined) return runs.all().map(copy);
    return runs.readRange({ order: "desc", limit: last }).toReversed().map(copy);
  }

  liveRuns({ tenant, threadId }: ThreadKey): Rows.RunRow[] {
    this.data.assertOpen();
    return [...this.data.liveRuns.keys()]
      .filter((run) => run.threadId === threadId && run.tenant === tenant)
      .sort((left, right) => compareIds(left.id, right.id))
      .map(copy);
  }

  runIds(key: ThreadKey, state: Rows.RunState): string[] {
    return this.data
      .thread(key)
      .runs.all()
      .flatMap((run) => (run.state === state ? [run.id] : []));
  }

  lastRuns(tenant: string, threadIds: readonly string[], limit: number): Rows.RunRow[] {
    return threadIds.flatMap((threadId) => this.runs({ tenant, threadId }, limit));
  }

  usages(tenant: string, positions: readonly { threadId: string; before: string }[], limit: number): Rows.RunUsage[] {
    return positions.flatMap(({ threadId, before }) => {
      const { runs } = this.data.thread({ tenant, threadId });
      const older = runs.readRange({ order: "desc", upTo: before, limit }, ({ id }) => id !== before);
      return older.map(({ id, state, usage }) => ({ threadId, id, state, usage }));
    });
  }

  changedRuns(tenant: string, positions: readonly { threadId: string; after: string }[]): Rows.RunRow[] {
    return positions.flatMap(({ threadId, after }) => {
      const { log, runs } = this.data.thread({ tenant, threadId });
      const events = log.readRange({ after, limit: log.size }, ({ kind }) => kind !== "delta");
      return [...new Set(events.map(({ runId }) => runId))].flatMap((id) => copyIfDefined(runs.get(id)) ?? []);
    });
  }

  expiredRuns(now: number, limit: number, tenant?: string): Rows.RunRow[] {
    this.data.assertOpen();
    const isExpired = (run: Rows.RunRow): boolean => run.leaseUntil < now;
    return listDue(this.data.liveRuns.keys(), isExpired, (run) => run.leaseUntil, limit, tenant);
  }

  compactableRuns(finishedBefore: number, limit: number, tenant?: string): Rows.RunRow[] {
    this.data.assertOpen();
    const hasFinished = (run: Rows.RunRow): boolean => readEndTime(run) < finishedBefore;
    return listDue(this.data.compactableRuns.keys(), hasFinished, readEndTime, limit, tenant);
  }

  compactedRun(key: ThreadKey, { after, upTo }: { after: string; upTo: string }): Rows.RunRow | undefined {
    const overlaps = ({ compacted, firstDeltaId: first, lastDeltaId: last }: Rows.RunRow): boolean =>
      compacted && first !== null && last !== null && compareIds(first, upTo) <= 0 && compareIds(last, after) > 0;
    return copyIfDefined(this.data.thread(key).runs.readRange({ limit: 1 }, overlaps)[0]);
  }

  log(key: ThreadKey, range: IdRange & { runId?: string }): Rows.LogRow[] {
    const { runId } = range;
    const matches = runId === undefined ? undefined : (row: Rows.LogRow) => row.runId === runId;
    return this.data.thread(key).log.readRange(range, matches).map(copy);
  }

  alias(tenant: string, name: string): Rows.AliasRow | undefined {
    return copyIfDefined(this.data.tenant(tenant).aliases.get(name));
  }

  aliases(key: ThreadKey): Rows.AliasRow[] {
    return this.data.thread(key).aliases.all().map(copy);
  }

  work(key: ThreadKey): Rows.WorkRow | undefined {
    this.data.assertOpen();
    return copyIfDefined(this.data.work.get(toThreadMapKey(key)));
  }

  openWork(now: number, limit: number, tenant?: string): Rows.WorkRow[] {
    this.data.assertOpen();
    const isFree = (row: Rows.WorkRow): boolean => row.leaseUntil < now;
    return listDue(this.data.work.values(), isFree, (row) => row.wantedAt, limit, tenant);
  }

  idempotencyKey(key: ThreadKey, name: string): Rows.KeyRow | undefined {
    return copyIfDefined(this.data.thread(key).keys.get(name));
  }

  blob(tenant: string, hash: string): Rows.BlobRow | undefined {
    return copyIfDefined(this.data.tenant(tenant).blobs.get(hash));
  }

  chunk(tenant: string, blobId: string, position: number): Rows.ChunkRow | undefined {
    const row = this.data.tenant(tenant).chunks.get(blobId)?.get(position);
    return row && { ...row, bytes: row.bytes.slice() };
  }

  blobRefs(key: ThreadKey): Rows.BlobRefRow[] {
    const { blobRefs } = this.data.thread(key);
    return blobRefs.all().flatMap((refs) => refs.all().map(copy));
  }

  quarantined(tenant: string, limit: number): Rows.QuarantineRow[] {
    const threads = this.data.tenant(tenant).data.all();
    return threads
      .flatMap(({ quarantine }) => quarantine.all())
      .slice(0, limit)
      .map(copy);
  }
}
