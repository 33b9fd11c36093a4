// What can be read from a memory store. Every row that leaves it is a copy.
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
import { FIRST_MESSAGES } from "../../rows.ts";
import type { LedgerReads, IdRange, ThreadKey, ThreadsPage, TitlesPage } from "../../store.ts";
import { type MemoryData, nameOf } from "./data.ts";
import { compareIds } from "../compare.ts";

const BEYOND_ASCII = /[^\0-\x7f]/;

function copy<Row extends object>(row: Row): Row {
  return { ...row };
}

function copyIf<Row extends object>(row: Row | undefined): Row | undefined {
  return row && { ...row };
}

function headerOf({ tenant, threadId, id, parentId, runId, role, digest }: MessageRow): MessageHeader {
  return { tenant, threadId, id, parentId, runId, role, digest };
}

function endOf(run: RunRow): number {
  return run.finishedAt ?? Infinity;
}

export class MemoryReads implements LedgerReads {
  protected readonly data: MemoryData;

  constructor(data: MemoryData) {
    this.data = data;
  }

  thread(key: ThreadKey): ThreadHead | undefined {
    const row = this.data.tenant(key.tenant).threads.get(key.threadId);
    if (row === undefined) return undefined;
    const { messages, log, lastId: kept } = this.data.thread(key);
    const [newest, lastLogged] = [messages.lastId, log.lastId];
    return {
      ...row,
      newestMessageId: newest === "" ? null : newest,
      lastId: [newest, lastLogged, kept.get("lastId") ?? ""].reduce((a, b) => (compareIds(a, b) > 0 ? a : b)),
    };
  }

  threads(tenant: string, { before, kind, limit }: ThreadsPage): ThreadRow[] {
    const { threads } = this.data.tenant(tenant);
    const isWanted = (row: ThreadRow): boolean => row.id !== before && (kind === undefined || row.kind === kind);
    const stretch: IdRange = { order: "down", limit };
    if (before !== undefined) stretch.upTo = before;
    return threads.stretch(stretch, isWanted).map(copy);
  }

  titles(tenant: string, { before, word = "", limit }: TitlesPage): Pick<ThreadRow, "id" | "title">[] {
    const stretch: IdRange = { order: "down", limit };
    if (before !== undefined) stretch.upTo = before;
    const isWanted = ({ id, title }: ThreadRow): boolean =>
      title !== null && id !== before && (title.toLowerCase().includes(word) || BEYOND_ASCII.test(title));
    const found = this.data.tenant(tenant).threads.stretch(stretch, isWanted);
    return found.map(({ id, title }) => ({ id, title }));
  }

  tallies(tenant: string, places: readonly MessageCountRange[]): MessageCount[] {
    return places.map(({ threadId, after, upTo, first }) => {
      const { messages } = this.data.thread({ tenant, threadId });
      const looked = first ? messages.stretch({ limit: FIRST_MESSAGES }) : [];
      const found = looked.find(({ role }) => role === "user");
      const count = messages.stretch({ after, upTo, limit: messages.size }).length;
      return { threadId, messages: count, firstUserBody: found?.body ?? null };
    });
  }

  message(key: ThreadKey, id: string): MessageRow | undefined {
    return copyIf(this.data.thread(key).messages.get(id));
  }

  messages(key: ThreadKey, stretch: IdRange): MessageRow[] {
    return this.data.thread(key).messages.stretch(stretch).map(copy);
  }

  headers(key: ThreadKey, stretch: IdRange): MessageHeader[] {
    return this.data.thread(key).messages.stretch(stretch).map(headerOf);
  }

  findDigests(tenant: string, digests: readonly string[], limit: number, scope?: string): MessageHeader[] {
    const { digests: known, threads } = this.data.tenant(tenant);
    const isWanted =
      scope === undefined ? undefined : ({ threadId }: MessageRow) => threads.get(threadId)?.scope === scope;
    return [...new Set(digests)]
      .flatMap((digest) => known.get(digest)?.stretch({ order: "down", limit }, isWanted) ?? [])
      .sort((left, right) => compareIds(right.id, left.id))
      .slice(0, limit)
      .map(headerOf);
  }

  run(tenant: string, id: string): RunRow | undefined {
    return this.data.tenant(tenant).runsById.get(id)?.all().map(copy)[0];
  }

  runs(key: ThreadKey, last?: number): RunRow[] {
    const { runs } = this.data.thread(key);
    if (last === undefined) return runs.all().map(copy);
    return runs.stretch({ order: "down", limit: last }).toReversed().map(copy);
  }

  liveRuns({ tenant, threadId }: ThreadKey): RunRow[] {
    this.data.demandOpen();
    return [...this.data.live.keys()]
      .filter((run) => run.threadId === threadId && run.tenant === tenant)
      .sort((left, right) => compareIds(left.id, right.id))
      .map(copy);
  }

  runIds(key: ThreadKey, state: RunState): string[] {
    return this.data
      .thread(key)
      .runs.all()
      .flatMap((run) => (run.state === state ? [run.id] : []));
  }

  lastRuns(tenant: string, threadIds: readonly string[], limit: number): RunRow[] {
    return threadIds.flatMap((threadId) => this.runs({ tenant, threadId }, limit));
  }

  usages(tenant: string, places: readonly { threadId: string; before: string }[], limit: number): RunUsage[] {
    return places.flatMap(({ threadId, before }) => {
      const { runs } = this.data.thread({ tenant, threadId });
      const found = runs.stretch({ order: "down", upTo: before, limit }, ({ id }) => id !== before);
      return found.map(({ id, state, usage }) => ({ threadId, id, state, usage }));
    });
  }

  changedRuns(tenant: string, places: readonly { threadId: string; after: string }[]): RunRow[] {
    return places.flatMap(({ threadId, after }) => {
      const { log, runs } = this.data.thread({ tenant, threadId });
      const told = log.stretch({ after, limit: log.size }, ({ kind }) => kind !== "delta");
      return [...new Set(told.map(({ runId }) => runId))].flatMap((id) => copyIf(runs.get(id)) ?? []);
    });
  }

  expiredRuns(now: number, limit: number, tenant?: string): RunRow[] {
    this.data.demandOpen();
    return [...this.data.live.keys()]
      .filter((run) => run.leaseUntil < now && (tenant === undefined || run.tenant === tenant))
      .sort((left, right) => left.leaseUntil - right.leaseUntil)
      .slice(0, limit)
      .map(copy);
  }

  compactableRuns(finishedBefore: number, limit: number, tenant?: string): RunRow[] {
    this.data.demandOpen();
    return [...this.data.logged.keys()]
      .filter((run) => endOf(run) < finishedBefore && (tenant === undefined || run.tenant === tenant))
      .sort((left, right) => endOf(left) - endOf(right))
      .slice(0, limit)
      .map(copy);
  }

  compactedRun(key: ThreadKey, { after, upTo }: { after: string; upTo: string }): RunRow | undefined {
    const isAround = ({ compacted, firstDeltaId: first, lastDeltaId: last }: RunRow): boolean =>
      compacted && first !== null && last !== null && compareIds(first, upTo) <= 0 && compareIds(last, after) > 0;
    return copyIf(this.data.thread(key).runs.stretch({ limit: 1 }, isAround)[0]);
  }

  log(key: ThreadKey, stretch: IdRange & { runId?: string }): LogRow[] {
    const { runId } = stretch;
    const isWanted = runId === undefined ? undefined : (row: LogRow) => row.runId === runId;
    return this.data.thread(key).log.stretch(stretch, isWanted).map(copy);
  }

  alias(tenant: string, name: string): AliasRow | undefined {
    return copyIf(this.data.tenant(tenant).aliases.get(name));
  }

  aliases(key: ThreadKey): AliasRow[] {
    return this.data.thread(key).aliases.all().map(copy);
  }

  work(key: ThreadKey): WorkRow | undefined {
    this.data.demandOpen();
    return copyIf(this.data.work.get(nameOf(key)));
  }

  openWork(now: number, limit: number, tenant?: string): WorkRow[] {
    this.data.demandOpen();
    return [...this.data.work.values()]
      .filter((row) => row.leaseUntil < now && (tenant === undefined || row.tenant === tenant))
      .sort((left, right) => left.wantedAt - right.wantedAt)
      .slice(0, limit)
      .map(copy);
  }

  idempotencyKey(key: ThreadKey, name: string): KeyRow | undefined {
    return copyIf(this.data.thread(key).keys.get(name));
  }

  blob(tenant: string, hash: string): BlobRow | undefined {
    return copyIf(this.data.tenant(tenant).blobs.get(hash));
  }

  chunk(tenant: string, blobId: string, position: number): ChunkRow | undefined {
    const row = this.data.tenant(tenant).chunks.get(blobId)?.get(position);
    return row && { ...row, bytes: row.bytes.slice() };
  }

  blobRefs(key: ThreadKey): BlobRefRow[] {
    const { blobRefs } = this.data.thread(key);
    return blobRefs.all().flatMap((ofMessage) => ofMessage.all().map(copy));
  }

  quarantined(tenant: string, limit: number): QuarantineRow[] {
    const threads = this.data.tenant(tenant).data.all();
    return threads
      .flatMap(({ quarantine }) => quarantine.all())
      .slice(0, limit)
      .map(copy);
  }
}
